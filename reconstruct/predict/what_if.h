/* what_if.h: the trace that a changed run would have left (trace, changes -> two walks -> a trace of its events).
 *
 *     first walk  --> survey.h   activations, senders that wait
 *     second walk --> clocks.h   new times --> import/import_trace.h   OUT/rank-N.trace, rank-N.events
 *
 * The trace has the events of the run, location by location in their order, at their new times. Collectives that do not
 * wait any more are calls without a collective in it. */
#ifndef REFRAIN_WHAT_IF_H
#define REFRAIN_WHAT_IF_H

#include "predict/clocks.h"

/* Makes a writer around another one, which says how far it is (commands/progress.h); null: nothing is said. */
struct refrain_what_if_request {
    const char *directory; /* of the trace that is made: it does not exist yet */
    bool recorded;         /* recorded events in place of what was learned */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner);
    void *around_data;
};

/* Writes the trace. `changes`: their regions have been found. `report`: of the walk's matches. */
enum refrain_status refrain_what_if(struct refrain_trace *trace, const struct refrain_changes *changes,
                                    const struct refrain_what_if_request *request, struct refrain_clocks_result *result,
                                    struct refrain_cursor_report *report, struct refrain_error *error);

#endif
