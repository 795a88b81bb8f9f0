/* overhead.h: estimates what tracing cost a run (learners, calibrated costs -> seconds by function and kind of probe).
 *
 *     executions of each probe x cost of this kind of probe, which was measured when the process began
 *
 * This is a lower bound: it was measured with the monitor's data in the processor's nearest caches. In a program that
 * uses much memory between its calls, the data is not there, and a probe costs up to what was measured with cold caches
 * (cold_ns). Not included: the end of the process, what wrappers look up about communicators and datatypes,
 * optimisations that disabled probes prevent, and the program's data that the monitor displaces from the caches. */
#ifndef REFRAIN_OVERHEAD_H
#define REFRAIN_OVERHEAD_H

#include "model/trace_read.h"

/* The probes of one function, over all processes and threads. */
struct refrain_overhead_function {
    const struct refrain_region_info *region; /* null: of no function in the trace */
    uint64_t activations;
    uint64_t probes;
    double ns;
    bool was_throttled;  /* the probes at its begin and end were disabled for some time by throttling */
    bool part_throttled; /* ... or other probes in it: the counts are lower bounds */
};

struct refrain_overhead {
    double run_ns;         /* sum over all threads */
    double total_ns;       /* cost of probes with warm caches ... */
    double cold_ns;        /* ... and with cold caches; a lower bound if some processes did not measure it */
    size_t n_cold_unknown; /* number of these processes */
    double begin_ns;       /* setup and MPI_Init, of all processes */
    double pack_ns;        /* time for packing the trace files at the end */
    size_t n_unpacked;     /* processes for which this is unknown */
    uint64_t pages;        /* upper bound of the pages of trace files that were written */
    double pages_ns;
    size_t n_unmeasured; /* processes that measured no costs; not included in any of these figures */
    const char *kinds[REFRAIN_PROBE_KINDS];
    uint64_t probes[REFRAIN_PROBE_KINDS];
    double ns[REFRAIN_PROBE_KINDS];
    struct refrain_overhead_function
        *functions; /* by cost, the highest first; functions of which no probe ran are left out */
    size_t n_functions;
};

/* Fills in the overhead, which is zero before. The names in it live as long as the trace. */
enum refrain_status refrain_overhead_read(struct refrain_trace *trace, struct refrain_overhead *overhead,
                                          struct refrain_error *error);

void refrain_overhead_free(struct refrain_overhead *overhead);

#endif
