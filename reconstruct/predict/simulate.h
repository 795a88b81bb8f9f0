/* simulate.h: writes the trace that the run would have left on another machine, by SimGrid (trace, platform -> ops ->
 * SimGrid in a child process -> a trace of the run's events at new times).
 *
 *     first walk  --> simulate_schedule.h   ops of each rank
 *                     simulate_smpi.c       ends of the ops: a module that the child process loads
 *     second walk --> simulate_schedule.h   new times --> changed_trace.h
 */
#ifndef REFRAIN_SIMULATE_H
#define REFRAIN_SIMULATE_H

#include "match/event.h"
#include "match/follower.h"
#include "predict/changes.h"

/* Wraps a writer in one that reports progress (commands/progress.h); null: no progress. */
struct refrain_simulate_request {
    const char *directory; /* of the new trace; it must not exist */
    const char *platform;  /* SimGrid's XML file */
    double speed;          /* factor for all computing */
    bool recorded;         /* use recorded events instead of learned ones */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner);
    void *around_data;
};

/* From the end of the last MPI_Init to the begin of the last MPI_Finalize. */
struct refrain_simulate_result {
    int64_t was_ns, now_ns;
};

/* Writes the trace. The regions of `changes` must have been found. `report`: result of matching. */
enum refrain_status refrain_simulate(struct refrain_trace *trace, const struct refrain_changes *changes,
                                     const struct refrain_simulate_request *request,
                                     struct refrain_simulate_result *result, struct refrain_cursor_report *report,
                                     struct refrain_error *error);

#endif
