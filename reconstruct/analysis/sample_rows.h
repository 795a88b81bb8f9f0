/* sample_rows.h: adds up the samples of all threads: by function, by call path, and by the MPI call during or after
 * which they were taken (model -> rows).
 *
 * A sample stands for 1/hz seconds of processor time. The number n of samples of a function has a standard deviation of
 * sqrt(n), since the times of sampling do not depend on what the program does. */
#ifndef REFRAIN_SAMPLE_ROWS_H
#define REFRAIN_SAMPLE_ROWS_H

#include "common/error.h"
#include "model/trace_read.h"

/* A function, over all processes and threads. */
struct refrain_sample_function {
    const char *name, *file; /* file: of the source, "" unknown */
    const char *object;      /* path of the executable or library, "" unknown */
    uint32_t line;
    uint64_t own;       /* samples in the function itself */
    uint64_t all;       /* samples in it or in functions that it called; a sample counts once, also under recursion */
    uint64_t computing; /* samples in it, or in the C library for it, while its thread was in no MPI call */
};

/* A function below its callers. */
struct refrain_sample_path {
    uint32_t parent;   /* index + 1 of the caller's path, which comes before this one; 0: outermost */
    uint32_t function; /* index */
    uint64_t own, all;
};

/* Functions that ran while a rank was in an MPI call, or between it and the next one. */
struct refrain_sample_gap {
    const struct refrain_region_info *call; /* null: before the first call of the thread, or if it makes none */
    bool inside;                            /* true: during the call; false: between it and the next one */
    uint32_t function;                      /* index of the innermost one */
    uint64_t own;
};

struct refrain_sample_rows {
    struct refrain_sample_function *functions; /* sorted by own, the largest first */
    struct refrain_sample_path *paths;
    struct refrain_sample_gap *gaps; /* sorted by samples of (call, inside), then by own; the largest first */
    size_t n_functions, n_paths, n_gaps;
    uint64_t taken, cut, merged, lost; /* as in struct refrain_samples */
    uint64_t computing;                /* of all functions */
    size_t n_threads, n_ranks;         /* that have samples */
    uint32_t hz;                       /* 0: the run took none */
};

/* Adds up the samples of a rank, or of all if it is -1. The caller frees *rows, also after an error; the trace must
 * stay open as long. Fails only without memory. */
enum refrain_status refrain_sample_rows_make(const struct refrain_trace *trace, int32_t rank,
                                             struct refrain_sample_rows *rows, struct refrain_error *error);
void refrain_sample_rows_free(struct refrain_sample_rows *rows);

/* Estimated time of this number of samples, in nanoseconds; its standard deviation. */
double refrain_sample_ns(const struct refrain_sample_rows *rows, uint64_t samples);
double refrain_sample_uncertainty_ns(const struct refrain_sample_rows *rows, uint64_t samples);

#endif
