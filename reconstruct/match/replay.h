/* replay.h: a trace's events to a writer, through a cursor (trace, writer <- commands). */
#ifndef REFRAIN_REPLAY_H
#define REFRAIN_REPLAY_H

#include "match/event.h"
#include "match/follower.h"
#include "match/turns.h"
#include "model/trace_read.h"

/* Gives the events that the options name to the writer, between its begin and its end; null options: all. At the
 * beginning of a window that begins after the trace does, the regions that are open are entered, and at its end they
 * are left. A rank whose image turns out to be damaged ends there: *error then holds the first damage found, though all
 * events before it have been written. `report` may be null. */
enum refrain_status refrain_write(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                  struct refrain_writer *writer, struct refrain_cursor_report *report,
                                  struct refrain_error *error);

/* How a trace is replayed, beside a cursor's options. Zeros: as refrain_write() does. */
struct refrain_replay {
    /* By turns, without a window: events of one location come in time order, those of several need not. When it
     * returns, turns->wrong may say that what was written is void. Null: by time. */
    struct refrain_turns *turns;
    const struct refrain_follower *follower; /* events are as it gives them, not by turns; null none */
    void *followed;                          /* its state, set before the writer's begin */
    struct refrain_arena *arena; /* where all lies that the cursor allocates, so that it can take checkpoints
                                    (checkpoint.h); the cursor closes it. Null: memory from malloc() */
    bool own_times; /* regions that are open when the window begins are entered at their own time, and at its end none
                       is left */
};

enum refrain_status refrain_write_as(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                     struct refrain_replay *replay, struct refrain_writer *writer,
                                     struct refrain_cursor_report *report, struct refrain_error *error);

/* A cursor over the events of such a replay. */
enum refrain_status refrain_cursor_open_as(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                           const struct refrain_replay *replay, struct refrain_cursor **cursor,
                                           struct refrain_error *error);

/* What is damaged of the trace, as far as the cursor has come. */
enum refrain_status refrain_cursor_status(const struct refrain_cursor *cursor, struct refrain_error *error);

/* Of one that goes by turns: the next events of one location, *n of them; null at the end. Valid until the next
 * call. What locations are in is not followed. */
const struct refrain_event *refrain_cursor_next_run(struct refrain_cursor *cursor, size_t *n);

#endif
