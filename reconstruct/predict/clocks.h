/* clocks.h: computes when each event would have been in a changed run (events in time order -> their new times).
 *
 *     the run     rank 0   |== burn() ========|Send|              changed   rank 0   |burn()|Send|
 *                 rank 1   |= work =|  waits  |Recv|                        rank 1   |= work =|Recv|
 *
 * Each location has a second clock. Computing moves it by the time that it took, scaled by the changes. Waiting in
 * an MPI call is not repeated: the clock moves to the new time of the event that the call depends on, if that is
 * later. Then it moves by the time that the call took beyond the old time of this event. Dependences:
 *
 *     a message           its receive ends after its send began; several completions of one call at one time
 *                         end together, after the latest of the events that they wait for
 *     a sender that waits its send ends after the receive was posted (survey.h)
 *     a collective        ends after the last rank, or the root, entered, as its kind says (match/collective_rule.h);
 *                         so do MPI_Init and MPI_Finalize on all ranks
 *
 * Without changes, all times stay the same. Message matching and the number of polls stay the same, too. Waiting in
 * other calls (one-sided communication, files, MPI_Probe, making of communicators, MPI_Scan) is not recognised:
 * these calls keep their duration. A further thread begins as long after the first thread of its rank as in the run,
 * and no thread waits for another. Threads: one at a time. */
#ifndef REFRAIN_CLOCKS_H
#define REFRAIN_CLOCKS_H

#include "predict/survey.h"

struct refrain_clocks;

/* The length of the run. The window is that of the critical path: from the end of the last MPI_Init to the begin of
 * the last MPI_Finalize. Without these calls, it begins with the first event, or ends with the last one. */
struct refrain_clocks_result {
    int64_t was_ns, now_ns;                 /* length of the window */
    int64_t kept_ns;                        /* over all ranks: time in calls whose waiting is not recognised */
    const struct refrain_region_info *kept; /* the region with most of it; null: there is none */
    int64_t all_ns;                         /* over all locations, in the run */
};

/* Gets each event with its new time, those of a location in order. A status other than 0 ends the walk. */
typedef int refrain_clocks_emit(void *data, const struct refrain_event *event, int64_t now_ns);
#define REFRAIN_CLOCKS_NO_MEMORY (-1) /* a status */

/* Null without memory. All arguments must outlive the result. */
struct refrain_clocks *refrain_clocks_open(const struct refrain_trace *trace, const struct refrain_changes *changes,
                                           const struct refrain_survey *survey, refrain_clocks_emit *emit,
                                           void *emit_data);
void refrain_clocks_close(struct refrain_clocks *clocks); /* null is allowed */

/* Processes the next event. The survey must have had it before. Completions are held until the call continues.
 * Returns 0, the status of `emit`, or REFRAIN_CLOCKS_NO_MEMORY. */
int refrain_clocks_event(struct refrain_clocks *clocks, const struct refrain_event *event);

/* Called after the last event: emits held events. Returns the same statuses. */
int refrain_clocks_end(struct refrain_clocks *clocks);

/* To be called after refrain_clocks_end(). */
struct refrain_clocks_result refrain_clocks_finish(const struct refrain_clocks *clocks);

#endif
