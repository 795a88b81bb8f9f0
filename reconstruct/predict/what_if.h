/* what_if.h: writes the trace that a changed run would have left (trace, changes -> two walks -> a trace of its
 * events).
 *
 *     first walk  --> survey.h   activations, senders that wait
 *     second walk --> clocks.h   new times --> changed_trace.h   OUT/rank-N.trace, rank-N.events
 *
 * The new trace has the events of each location of the run in their order, at new times. A collective that no longer
 * waits is a call without a collective operation. */
#ifndef REFRAIN_WHAT_IF_H
#define REFRAIN_WHAT_IF_H

#include "predict/clocks.h"

/* Wraps a writer in one that reports progress (commands/progress.h); null: no progress. */
struct refrain_what_if_request {
    const char *directory; /* of the new trace; it must not exist */
    bool recorded;         /* use recorded events instead of learned ones */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner);
    void *around_data;
};

/* Writes the trace. The regions of `changes` must have been found. `report`: result of matching. */
enum refrain_status refrain_what_if(struct refrain_trace *trace, const struct refrain_changes *changes,
                                    const struct refrain_what_if_request *request, struct refrain_clocks_result *result,
                                    struct refrain_cursor_report *report, struct refrain_error *error);

#endif
