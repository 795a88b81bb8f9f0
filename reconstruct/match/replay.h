/* replay.h: writes the events of a trace with a writer (trace -> cursor -> writer). */
#ifndef REFRAIN_REPLAY_H
#define REFRAIN_REPLAY_H

#include "match/event.h"
#include "match/follower.h"
#include "match/turns.h"
#include "model/trace_read.h"

/* Writes the events that the options select (null: all). Calls the writer's begin before them, and its end after them.
 * If the window begins after the trace does, the regions that are open there are entered first. At the end of the
 * window, open regions are left. If the image of a rank is damaged, its events end there: *error is the first damage,
 * and all events before it have been written. `report` may be null. */
enum refrain_status refrain_write(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                  struct refrain_writer *writer, struct refrain_cursor_report *report,
                                  struct refrain_error *error);

/* How a trace is replayed, besides the cursor's options. All zero: as refrain_write(). */
struct refrain_replay {
    /* Locations take turns (turns.h); not with a window. If turns->wrong is set after the replay, the output is void.
     * Null: events come in time order. */
    struct refrain_turns *turns;
    const struct refrain_follower *follower; /* sets fields of the events; not with turns; null: none */
    void *followed;                          /* its state, set before the writer's begin */
    struct refrain_arena *arena; /* memory of all that the cursor allocates, for checkpoints (checkpoint.h). The cursor
                                    closes it. Null: malloc() */
    bool own_times; /* regions that are open at the start of the window are entered at their own times, and no region is
                       left at its end */
};

enum refrain_status refrain_write_as(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                     struct refrain_replay *replay, struct refrain_writer *writer,
                                     struct refrain_cursor_report *report, struct refrain_error *error);

/* Opens a cursor for such a replay. */
enum refrain_status refrain_cursor_open_as(struct refrain_trace *trace, const struct refrain_cursor_options *options,
                                           const struct refrain_replay *replay, struct refrain_cursor **cursor,
                                           struct refrain_error *error);

/* The first damage that the cursor has met so far, or an error of its own. */
enum refrain_status refrain_cursor_status(const struct refrain_cursor *cursor, struct refrain_error *error);

/* For a cursor with turns: returns the next events of one location, and sets *n to their number. Null at the end. Valid
 * until the next call. Open regions are not updated. */
const struct refrain_event *refrain_cursor_next_run(struct refrain_cursor *cursor, size_t *n);

#endif
