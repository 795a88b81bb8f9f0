/* changed_trace.h: writes the events of a run at other times, as a new trace (what_if.c, simulate.c -> import_trace.h).
 */
#ifndef REFRAIN_CHANGED_TRACE_H
#define REFRAIN_CHANGED_TRACE_H

#include "common/error.h"
#include "match/event.h"
#include "model/trace_read.h"

struct refrain_changed_trace;

/* Makes the directory, which must not exist. `source`: for `refrain info`. The trace must outlive the result, which is
 * to be finished even after a failure. */
enum refrain_status refrain_changed_trace_open(const struct refrain_trace *trace, const char *directory,
                                               const char *source, struct refrain_changed_trace **opened,
                                               struct refrain_error *error);

/* Adds an event at its new time; those of a location in order. Nonzero if it cannot be written;
 * refrain_changed_trace_finish() has the error. */
int refrain_changed_trace_add(struct refrain_changed_trace *changed, const struct refrain_event *event, int64_t now_ns);

/* Writes the rest and frees all. If `keep` is false, removes the directory. Null is allowed. */
enum refrain_status refrain_changed_trace_finish(struct refrain_changed_trace *changed, bool keep);

#endif
