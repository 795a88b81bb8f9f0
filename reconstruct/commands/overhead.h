/* overhead.h: what tracing cost a run (learners, calibrated costs -> seconds by function and by kind of probe).
 *
 *     how often control came to each place x what that kind of probe costs, as measured when the process began
 *
 * That is the least that it took: the monitor's data was in the caches nearest to the processor. In a program that
 * works on much memory between its calls it is not, and a probe takes up to what it took in cold caches (cold_ns). Not
 * in it: the end, what wrappers look up of communicators and datatypes, what probes that are off keep the compiler
 * from, and memory that the program would have had in its caches. */
#ifndef REFRAIN_OVERHEAD_H
#define REFRAIN_OVERHEAD_H

#include "model/trace_read.h"

/* Of a function's own probes, over all processes and threads. */
struct refrain_overhead_function {
    const struct refrain_region_info *region; /* null: of no function that the trace names */
    uint64_t activations;
    uint64_t probes;
    double ns;
    bool was_dormant;  /* the probes at its beginning and end were dormant at some time */
    bool part_dormant; /* ... or others in it: what is counted is the least there was */
};

struct refrain_overhead {
    double run_ns;         /* of all threads */
    double total_ns;       /* of probes, in warm caches ... */
    double cold_ns;        /* ... and in cold ones; less than that where some process did not measure it */
    size_t n_cold_unknown; /* such processes */
    double begin_ns;       /* setting up and MPI_Init, of all processes */
    double pack_ns;        /* packing the trace files when they ended */
    size_t n_unpacked;     /* processes of which that is not known */
    uint64_t pages;        /* of trace files that were stored to, at most */
    double pages_ns;
    size_t n_unmeasured; /* processes that measured no costs: not in any of these figures */
    const char *kinds[REFRAIN_PROBE_KINDS];
    uint64_t probes[REFRAIN_PROBE_KINDS];
    double ns[REFRAIN_PROBE_KINDS];
    struct refrain_overhead_function
        *functions; /* by cost, the highest first; functions of which no probe ran are left out */
    size_t n_functions;
};

/* Fills the overhead, zeroed before. What it names lives as long as the trace. */
enum refrain_status refrain_overhead_read(struct refrain_trace *trace, struct refrain_overhead *overhead,
                                          struct refrain_error *error);

void refrain_overhead_free(struct refrain_overhead *overhead);

#endif
