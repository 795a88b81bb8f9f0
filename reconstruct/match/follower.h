/* follower.h: what follows a cursor's events from the run's start on, so that it knows at the start of a window what
 * came before (cursor.c -> analysis/waiting.h).
 *
 * Its state lies with the cursor's own: all of its memory comes from common/arena.h, and it keeps addresses of that
 * memory and of the trace only. So a saved state (saved_states.h) has it too. */
#ifndef REFRAIN_FOLLOWER_H
#define REFRAIN_FOLLOWER_H

#include "match/event.h"

struct refrain_follower {
    /* Null without memory. */
    void *(*open)(const struct refrain_trace *trace);
    /* The next event of all, which it may add to. False without memory. */
    bool (*event)(void *state, struct refrain_event *event);
    void (*close)(void *state);
};

#endif
