/* span_times.h: how long loops and the branches of decisions took (a walk that tells its steps -> profile.h).
 *
 *     for (...) {          | begun    | again    | again    | done         steps
 *         compute();       |   r--r   |   r--r   |   r--r   |          r   clock reads, around the call
 *         MPI_Barrier();   |   '----------known---------'   |
 *     }                  edge            gap               edge
 *
 * The clock is read at calls and not where a loop begins or ends. From the first read in it to the last its time is
 * known, whatever it calls. What lies before the first and behind the last is not: it is at most the blocks there, and
 * about what lies between the last read of an iteration and the first of the next. A read counts once it is certain
 * that control has not left: at the next iteration, at the loop's end by its condition, or at a call that has a probe
 * in it. Of a loop that is left by break, or of a branch, the last calls may be missing. */
#ifndef REFRAIN_SPAN_TIMES_H
#define REFRAIN_SPAN_TIMES_H

#include "model/trace_read.h"

struct refrain_span_times {
    long double known_ns, called_ns; /* from the first read to the last, and of that in what it called ... */
    long double mpi_ns;              /* ... and of that in MPI calls made right from it */
    long double edge_ns;             /* the blocks at its edges, of which a part is its */
    long double gap_ns;              /* from an iteration's last read to the next one's first, so many times: */
    uint64_t gaps;
    uint64_t bounded; /* times that it was begun and the clock was read in it */
};

/* Does it have a time? */
static inline bool refrain_span_is_known(const struct refrain_span_times *times) {
    return times->known_ns > 0 || times->gaps > 0;
}

/* What lies at the edges, by what lies between iterations; 0 where there is nothing to go by. */
static inline long double refrain_span_edges_ns(const struct refrain_span_times *times) {
    if (times->gaps == 0)
        return 0;
    long double likely_ns = times->gap_ns / (long double)times->gaps * (long double)times->bounded;
    return likely_ns < times->edge_ns ? likely_ns : times->edge_ns;
}

/* With what it calls, and without. */
static inline long double refrain_span_total_ns(const struct refrain_span_times *times) {
    return times->known_ns + refrain_span_edges_ns(times);
}
static inline bool refrain_span_knows_own(const struct refrain_span_times *times) {
    return times->gaps > 0 || times->known_ns - times->called_ns >= 1;
}
static inline long double refrain_span_own_ns(const struct refrain_span_times *times) {
    return refrain_span_total_ns(times) - times->called_ns;
}

/* Walks through a thread and adds its times. `of`: for each unit of the process, struct refrain_span_times
 * [2 * n_nodes]: of loop i in [2 * i], of decision i where it held in [2 * i] and where it did not in [2 * i + 1].
 * Where the thread is damaged, the times up to there. False without memory. */
bool refrain_span_times_add(const struct refrain_process *process, uint32_t thread,
                            struct refrain_span_times *const *of);

#endif
