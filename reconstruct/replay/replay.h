/* replay.h: a trace's events to a writer: what was learned, or what was recorded (trace, writer <- commands).
 *
 * Both call writer->begin, ->event in time order over all locations, and ->end. */
#ifndef REFRAIN_REPLAY_H
#define REFRAIN_REPLAY_H

#include "align.h"
#include "trace_read.h"

/* Whether the trace holds what is asked for: formulas, or `recorded` events. The error says which rank lacks them. */
enum refrain_status refrain_replayable(const struct refrain_trace *trace, bool recorded, struct refrain_error *error);

/* Events regenerated from formulas and durations; times made consistent across ranks. A rank whose region turns out to
 * be damaged ends there: *error then holds the first such place, though all events before it have been written.
 * `report` may be null. */
enum refrain_status refrain_replay(struct refrain_trace *trace, struct refrain_writer *writer,
                                   struct refrain_align_report *report, struct refrain_error *error);

/* Events as recorded (modes events and both), with their own times. */
enum refrain_status refrain_recorded(struct refrain_trace *trace, struct refrain_writer *writer,
                                     struct refrain_align_report *report, struct refrain_error *error);

#endif
