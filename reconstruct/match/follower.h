/* follower.h: an analysis that gets all of a cursor's events from the start of the run, so that its state is complete
 * at the start of a window (cursor.c -> analysis/waiting.h).
 *
 * The state is part of the cursor's state: all of its memory comes from common/arena.h, and its pointers lead only into
 * that memory and the trace. So a saved state (saved_states.h) contains it. */
#ifndef REFRAIN_FOLLOWER_H
#define REFRAIN_FOLLOWER_H

#include "match/event.h"

struct refrain_follower {
    /* Returns the state. Null without memory. */
    void *(*open)(const struct refrain_trace *trace);
    /* Gets the next event, and may set its fields. False without memory. */
    bool (*event)(void *state, struct refrain_event *event);
    void (*close)(void *state);
    /* Closes the parts of a loaded state (saved_states.h) that this follower does not use. Null: it uses all. */
    void (*loaded)(void *state);
};

#endif
