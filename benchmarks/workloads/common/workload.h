/* workload.h: what every workload has in common: command line, set-up, timing, and the line that says how it went.
 *
 *     static const struct workload_spec spec = {.name = "heat", ...};
 *     int main(int argc, char **argv) {
 *         struct workload w;
 *         workload_begin(&w, &spec, &argc, &argv);
 *         workload_require(&w, w.size >= w.ranks, "--size %ld is less than one row per rank", w.size);
 *         ...
 *         return workload_end(&w, verified, check);
 *     }
 *
 * Exit status: 0 verified, 1 computed a wrong result, 2 impossible command line, size or number of ranks.
 */
#ifndef WORKLOAD_H
#define WORKLOAD_H

#include <mpi.h>
#include <stdbool.h>
#include <stddef.h>

#define WORKLOAD_MAXIMUM_RANKS 1024

enum workload_ranks {
    WORKLOAD_ANY,          /* 1 .. 1024 */
    WORKLOAD_SQUARE,       /* 1, 4, 9, ... 1024 */
    WORKLOAD_POWER_OF_TWO, /* 1, 2, 4, ... 1024 */
};

struct workload_spec {
    const char *name;
    const char *purpose;      /* one line, for --help */
    const char *size_meaning; /* "rows of the matrix" */
    const char *iteration_meaning;
    long size, size_minimum, size_maximum; /* default and range */
    long iterations;                       /* default; the range is 1 .. 10 million */
    enum workload_ranks ranks;
    int thread_level; /* 0: MPI_Init; else MPI_Init_thread with this level */
};

struct workload {
    const struct workload_spec *spec;
    int rank, ranks;
    long size, iterations;
    bool report;      /* --time */
    bool report_laps; /* --laps */
    double started;   /* MPI_Wtime */
};

/* Initialises MPI and reads the options. Ends the process on --help and on a bad command line. Collective. */
void workload_begin(struct workload *w, const struct workload_spec *spec, int *argc, char ***argv);

/* Ends the process with status 2 and one line from rank 0 unless `condition`, which must be the same on all ranks. */
void workload_require(const struct workload *w, bool condition, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Starts the clock anew, after set-up. Collective. */
void workload_start(struct workload *w);

/* A piece of the work, of some milliseconds, is done. --laps shows how long each took. By one thread at a time. */
void workload_lap(void);

/* Prints the result line (verified only if it is on every rank), finalises MPI and returns the exit status. `check` is
 * a figure that characterises the result, shown by --time; that of rank 0 counts. --time also shows the seconds and the
 * peak of resident bytes of the rank that took most of each. Collective. */
int workload_end(struct workload *w, bool verified, double check);

/* |value - expected| <= tolerance * |expected|; false for a value that is not a number. */
bool workload_close(double value, double expected, double tolerance);

/* Zeroed memory that is there: out of memory ends the run with a line that says so. `count` may be 0. */
void *workload_new(size_t count, size_t bytes);
#define NEW(type, count) ((type *)workload_new((size_t)(count), sizeof(type)))

/* Begin of block `index` when `total` things are dealt to `blocks` blocks as evenly as can be. */
static inline long workload_split(long total, long blocks, long index) {
    return total * index / blocks;
}

/* Which of `blocks` blocks holds `item`. */
static inline long workload_owner(long total, long blocks, long item) {
    return ((item + 1) * blocks - 1) / total;
}

#define SQUARE(x) ((x) * (x))
#define LOWER(a, b) ((a) < (b) ? (a) : (b))
#define UPPER(a, b) ((a) > (b) ? (a) : (b))

#endif
