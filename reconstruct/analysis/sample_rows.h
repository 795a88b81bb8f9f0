/* sample_rows.h: adds up the samples of all threads: by function, by call path, and by the MPI call during or after
 * which they were taken (model -> rows).
 *
 * A sample stands for 1/hz seconds of processor time. The number n of samples of a function has a standard deviation of
 * sqrt(n), since the times of sampling do not depend on what the program does. When a sample was taken is known to a
 * stretch of the run (struct refrain_samples), at most a 32nd of it while there is room. */
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

/* Samples of one rank in one stretch of the run. */
struct refrain_sample_moment {
    int32_t rank;
    uint32_t path;                          /* index */
    const struct refrain_region_info *call; /* as in struct refrain_sample_gap */
    bool inside;
    int64_t from_ns, to_ns; /* the stretch */
    uint64_t own;
};

struct refrain_sample_rows {
    struct refrain_sample_function *functions; /* sorted by own, the largest first */
    struct refrain_sample_path *paths;
    struct refrain_sample_gap *gaps; /* sorted by samples of (call, inside), then by own; the largest first */
    struct refrain_sample_moment *moments;
    size_t n_functions, n_paths, n_gaps, n_moments;
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

/* Index of the function that computes in this path. What the C library computes is computed for the function that
 * called it. */
uint32_t refrain_sample_computing(const struct refrain_sample_rows *rows, uint32_t path);

/* How the samples of each function changed over the run: n_functions times `parts` numbers, its samples in equal parts
 * of the time until end_ns, the run's end. The samples of a stretch are divided in proportion. `computing`: those of
 * the function's `computing`; else of its `own`. The caller frees them. Null without memory. */
double *refrain_sample_over_time(const struct refrain_sample_rows *rows, bool computing, int64_t end_ns, size_t parts);

/* Estimated time of this number of samples, in nanoseconds; its standard deviation. */
double refrain_sample_ns(const struct refrain_sample_rows *rows, uint64_t samples);
double refrain_sample_uncertainty_ns(const struct refrain_sample_rows *rows, uint64_t samples);

#endif
