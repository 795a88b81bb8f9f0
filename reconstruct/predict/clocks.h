/* clocks.h: when each event would have been in a run that is changed (events in time order -> their new times).
 *
 *     as it was   rank 0   |== burn() ========|Send|              new   rank 0   |burn()|Send|
 *                 rank 1   |= work =|  waits  |Recv|                    rank 1   |= work =|Recv|
 *
 * Each location has a second clock. Computing moves it by the time that it took, less or more as the changes say. In an
 * MPI call, what the call waited for is not repeated: the clock goes to the new time of what it depends on, if that is
 * later, and then moves by the time that the call took beyond the old one. Dependences:
 *
 *     a message           its receive ends after its send was entered; several completions of one call at one time
 *                         end together, after the latest of what they wait for
 *     a sender that waits its send ends after the receive was posted (survey.h)
 *     a collective        ends after the last rank, or the root, entered, as its kind says (match/collective_rule.h);
 *                         so do MPI_Init and MPI_Finalize on all ranks
 *
 * If nothing is changed, all times are as they were. Who receives whose message, and how often a program polls, stays
 * as it was. Waiting in other calls (one-sided communication, files, MPI_Probe, the making of communicators, MPI_Scan)
 * is not known as such: they take the time that they took. A further thread begins as long after its rank's first
 * thread as it did, and no thread waits for another. Threads: one at a time. */
#ifndef REFRAIN_CLOCKS_H
#define REFRAIN_CLOCKS_H

#include "predict/survey.h"

struct refrain_clocks;

/* What the run came to. The window is that of the critical path: from the end of the last MPI_Init to the begin of the
 * last MPI_Finalize, or where there is none from the first event or to the last one. */
struct refrain_clocks_result {
    int64_t was_ns, now_ns;                 /* length of the window */
    int64_t kept_ns;                        /* over all ranks: in calls whose waiting is not known ... */
    const struct refrain_region_info *kept; /* ... and the one of these with most of it; null: there is none */
    int64_t all_ns;                         /* over all locations: as it was */
};

/* Gets each event and its new time: those of a location in their order. A status other than 0 ends the walk. */
typedef int refrain_clocks_emit(void *data, const struct refrain_event *event, int64_t now_ns);
#define REFRAIN_CLOCKS_NO_MEMORY (-1) /* a status */

/* Null without memory. All that is passed has to stay open. */
struct refrain_clocks *refrain_clocks_open(const struct refrain_trace *trace, const struct refrain_changes *changes,
                                           const struct refrain_survey *survey, refrain_clocks_emit *emit,
                                           void *emit_data);
void refrain_clocks_close(struct refrain_clocks *clocks); /* null is allowed */

/* Takes the next event, which the survey had before. Completions are held until the call goes on. 0, the status of
 * `emit`, or REFRAIN_CLOCKS_NO_MEMORY. */
int refrain_clocks_event(struct refrain_clocks *clocks, const struct refrain_event *event);

/* There are no further events: those that are held are emitted. The same statuses. */
int refrain_clocks_end(struct refrain_clocks *clocks);

/* After the end. */
struct refrain_clocks_result refrain_clocks_finish(const struct refrain_clocks *clocks);

#endif
