/* cursor_parts.h: the state of a cursor, which these files share (refrain/read.h).
 *
 *     cursor.c        events, windows, and the checkpoints that an open cursor keeps
 *     checkpoint.c    takes a checkpoint, and restores it
 *     saved_states.c  states that outlive the cursor
 *
 * cursor.c calls the other two. */
#ifndef REFRAIN_CURSOR_PARTS_H
#define REFRAIN_CURSOR_PARTS_H

#include "common/arena.h"
#include "match/event.h"
#include "match/follower.h"
#include "match/location_stream.h"

/* The regions that are open at a location, the outermost first. */
struct refrain_cursor_stack {
    struct refrain_open_region *regions;
    size_t n, capacity;
};

/* The part of a cursor that changes as the cursor moves. If there is an arena, all memory of it is there. */
struct refrain_cursor_position {
    struct refrain_location_stream *locations;
    struct refrain_stream **streams;
    size_t n;
    struct refrain_align *align;
    struct refrain_cursor_stack *stacks; /* by location */
    struct refrain_event held;           /* the next event, which was read but not delivered */
    size_t held_location;
    bool has_held;
    void *followed;  /* state of the follower; null: there is no follower */
    uint64_t events; /* number of events before the position */
    int64_t now_ns;  /* time of the last of these */
};

/* The cursor as it was after `position.events` events. */
struct refrain_checkpoint {
    struct refrain_cursor_position position;
    struct refrain_arena_copy *memory;
};

struct refrain_cursor {
    struct refrain_trace *trace;
    struct refrain_cursor_options options;
    struct refrain_turns *turns; /* null: in time order */
    bool *wanted;                /* ranks whose events are wanted; null: all */
    size_t n_wanted;
    struct refrain_cursor_position position;
    struct refrain_arena *arena;            /* memory of the position; null: malloc() */
    struct refrain_checkpoint *checkpoints; /* in order; none without memory for checkpoints */
    size_t n_checkpoints, capacity_checkpoints, checkpoint_bytes;
    struct refrain_arena_copy *base; /* checkpoints are stored as differences from it; null: none */
    uint64_t interval;               /* events between two checkpoints, a power of two; NO_INTERVAL: none are kept */
    const struct refrain_follower *follower; /* null: none */
    struct refrain_event followed_event;     /* the last event, with the fields that the follower has set */
    struct refrain_error error;              /* the first error of the replay */
    struct refrain_trace_event given;
    struct refrain_cursor_report report;
};

/* Frees the position. Memory in the arena is freed with the arena. */
void refrain_cursor_close_position(struct refrain_cursor *cursor);

#endif
