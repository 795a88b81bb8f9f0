/* replay.h: a trace's events to a writer, through a cursor (trace, writer <- commands). */
#ifndef REFRAIN_REPLAY_H
#define REFRAIN_REPLAY_H

#include "match/event.h"
#include "match/turns.h"
#include "model/trace_read.h"

/* Gives the events that the options name to the writer, between its begin and its end; null options: all. At the
 * beginning of a window that begins after the trace does, the regions that are open are entered, and at its end they
 * are left. A rank whose image turns out to be damaged ends there: *error then holds the first damage found, though all
 * events before it have been written. `report` may be null. */
enum refrain_status refrain_write(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                  struct refrain_writer *writer, struct refrain_cursor_report *report,
                                  struct refrain_error *error);

/* The same without a window, by turns (turns.h; null: by time): events of one location come in time order, those of
 * several need not. When it returns, turns->wrong may say that what was written is void. */
enum refrain_status refrain_write_by_turns(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                           struct refrain_turns *turns, struct refrain_writer *writer,
                                           struct refrain_cursor_report *report, struct refrain_error *error);

/* A cursor over them. */
enum refrain_status refrain_cursor_open_by_turns(struct refrain_trace *trace,
                                                 const struct refrain_cursor_options *options,
                                                 struct refrain_turns *turns, struct refrain_cursor **cursor,
                                                 struct refrain_error *error);

/* Of one that goes by turns: the next events of one location, *n of them; null at the end. Valid until the next
 * call. What locations are in is not followed. */
const struct refrain_event *refrain_cursor_next_run(struct refrain_cursor *cursor, size_t *n);

#endif
