/* cursor_parts.h: what the parts of a cursor share (refrain/read.h).
 *
 *     cursor.c        events, windows, and which checkpoints a cursor keeps while it is open
 *     checkpoint.c    takes a checkpoint and restores it
 *     saved_states.c  states that are kept beyond that
 *
 * cursor.c calls the other two. */
#ifndef REFRAIN_CURSOR_PARTS_H
#define REFRAIN_CURSOR_PARTS_H

#include "common/arena.h"
#include "match/event.h"
#include "match/follower.h"
#include "match/location_stream.h"

/* The regions that a location is in. */
struct refrain_cursor_stack {
    struct refrain_open_region *regions;
    size_t n, capacity;
};

/* What changes as the cursor moves. What it refers to is in the arena, where there is one. */
struct refrain_cursor_position {
    struct refrain_location_stream *locations;
    struct refrain_stream **streams;
    size_t n;
    struct refrain_align *align;
    struct refrain_cursor_stack *stacks; /* by location */
    struct refrain_event held;           /* the next event, read but not given */
    size_t held_location;
    bool has_held;
    void *followed;  /* state of the follower; null: none has it */
    uint64_t events; /* passed */
    int64_t now_ns;  /* of the last one */
};

/* The cursor as it was after `position.events` events. */
struct refrain_checkpoint {
    struct refrain_cursor_position position;
    struct refrain_arena_copy *memory;
};

struct refrain_cursor {
    struct refrain_trace *trace;
    struct refrain_cursor_options options;
    struct refrain_turns *turns; /* null: by time */
    bool *wanted;                /* by rank; null: all */
    size_t n_wanted;
    struct refrain_cursor_position position;
    struct refrain_arena *arena;            /* null: the position's memory is of malloc() */
    struct refrain_checkpoint *checkpoints; /* in their order; none unless there is memory for them */
    size_t n_checkpoints, capacity_checkpoints, checkpoint_bytes;
    struct refrain_arena_copy *base;         /* by which checkpoints are told; null none */
    uint64_t interval;                       /* a power of two; the largest one where none are kept */
    const struct refrain_follower *follower; /* null none */
    struct refrain_event followed_event;     /* the last one, as the follower has it */
    struct refrain_error error;              /* met on the way */
    struct refrain_trace_event given;
    struct refrain_cursor_report report;
};

/* Gives back what the position holds; where there is an arena, that goes with it. */
void refrain_cursor_close_position(struct refrain_cursor *cursor);

#endif
