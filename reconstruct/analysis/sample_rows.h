/* sample_rows.h: samples of all threads added up: by function, by call path, by the MPI call they were taken in or
 * after (model -> rows).
 *
 * A sample stands for 1/hz seconds of processor time. Of n samples the standard deviation is sqrt(n): they fall
 * independently of what the program does. */
#ifndef REFRAIN_SAMPLE_ROWS_H
#define REFRAIN_SAMPLE_ROWS_H

#include "common/error.h"
#include "model/trace_read.h"

/* A function, of whatever process and thread. */
struct refrain_sample_function {
    const char *name, *file; /* file: of the source, "" unknown */
    const char *object;      /* path of the executable or library, "" unknown */
    uint32_t line;
    uint64_t own, all;  /* samples in it; in it and what it calls, each once however deep it calls itself */
    uint64_t computing; /* samples in it, or in the C library for it, while its thread was in no MPI call */
};

/* A function under its callers. */
struct refrain_sample_path {
    uint32_t parent;   /* index + 1; 0: outermost. Less than its own */
    uint32_t function; /* index */
    uint64_t own, all;
};

/* What was running while a rank was in an MPI call, or between it and the next one. */
struct refrain_sample_gap {
    const struct refrain_region_info *call; /* null: before the thread's first one, or it makes none */
    bool inside;
    uint32_t function; /* index, the innermost one */
    uint64_t own;
};

struct refrain_sample_rows {
    struct refrain_sample_function *functions; /* by own, the greatest first */
    struct refrain_sample_path *paths;
    struct refrain_sample_gap *gaps; /* by call and inside, the greatest first; within these by own */
    size_t n_functions, n_paths, n_gaps;
    uint64_t taken, cut, merged, lost; /* as in struct refrain_samples */
    uint64_t computing;                /* of all functions */
    size_t n_threads, n_ranks;         /* that have samples */
    uint32_t hz;                       /* 0: the run took none */
};

/* Adds up the samples of a rank, or of all with -1. The caller frees *rows, also after an error; the trace has to stay
 * open as long. Only lack of memory is an error. */
enum refrain_status refrain_sample_rows_make(const struct refrain_trace *trace, int32_t rank,
                                             struct refrain_sample_rows *rows, struct refrain_error *error);
void refrain_sample_rows_free(struct refrain_sample_rows *rows);

/* Estimated time of so many samples, in nanoseconds, and its standard deviation. */
double refrain_sample_ns(const struct refrain_sample_rows *rows, uint64_t samples);
double refrain_sample_uncertainty_ns(const struct refrain_sample_rows *rows, uint64_t samples);

#endif
