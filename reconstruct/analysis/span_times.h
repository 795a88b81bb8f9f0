/* span_times.h: computes how long loops and branches of decisions took (a walk with records of steps -> profile.h).
 *
 *     for (...) {          | begun    | again    | again    | done         steps
 *         compute();       |   r--r   |   r--r   |   r--r   |          r   clock reads, around the call
 *         MPI_Barrier();   |   '----------known---------'   |
 *     }                  edge            gap               edge
 *
 * The clock is read at calls, not where a loop begins or ends. Between the first and the last read in a loop, its
 * time is known, including all its calls. The time before the first and after the last read is not known. It is at
 * most the blocks there, and about the time between the last read of an iteration and the first one of the next. A
 * read counts when it is certain that control has not left the loop: at the next iteration, at the end by its
 * condition, or at a call with a probe inside it. For a loop that is left by break, or for a branch, the last calls
 * may be missing. */
#ifndef REFRAIN_SPAN_TIMES_H
#define REFRAIN_SPAN_TIMES_H

#include "model/trace_read.h"

struct refrain_span_times {
    long double known_ns, called_ns; /* from the first read to the last; of that, in callees */
    long double mpi_ns,
        files_ns;        /* of that, in MPI calls and in calls of the C library for files, made directly from it */
    long double edge_ns; /* blocks at its edges, of which a part belongs to it */
    long double gap_ns;  /* from the last read of an iteration to the first of the next; `gaps`: how many times */
    uint64_t gaps;
    uint64_t bounded; /* number of times that it began and had a clock read */
};

/* True if it has a time. */
static inline bool refrain_span_is_known(const struct refrain_span_times *times) {
    return times->known_ns > 0 || times->gaps > 0;
}

/* Estimated time at the edges, from the time between iterations; 0 if there is none. */
static inline long double refrain_span_edges_ns(const struct refrain_span_times *times) {
    if (times->gaps == 0)
        return 0;
    long double likely_ns = times->gap_ns / (long double)times->gaps * (long double)times->bounded;
    return likely_ns < times->edge_ns ? likely_ns : times->edge_ns;
}

/* Including callees; without callees. */
static inline long double refrain_span_total_ns(const struct refrain_span_times *times) {
    return times->known_ns + refrain_span_edges_ns(times);
}
static inline bool refrain_span_knows_own(const struct refrain_span_times *times) {
    return times->gaps > 0 || times->known_ns - times->called_ns >= 1;
}
static inline long double refrain_span_own_ns(const struct refrain_span_times *times) {
    return refrain_span_total_ns(times) - times->called_ns;
}

/* Walks through a thread and adds its times. `of`: for each unit of the process, struct refrain_span_times [2 *
 * n_nodes]: of loop i in [2 * i], of decision i in [2 * i] if it was true and in [2 * i + 1] if it was false. If the
 * thread is damaged, adds the times up to there. False without memory. */
bool refrain_span_times_add(const struct refrain_process *process, uint32_t thread,
                            struct refrain_span_times *const *of);

#endif
