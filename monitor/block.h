/* block.h: the time between two clock reads of a thread is filed under the slot that began it. Runs with context->busy
 * set. */
#ifndef REFRAIN_BLOCK_H
#define REFRAIN_BLOCK_H

#include "arch/clock.h"
#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Visit `slot->count` is the first one of a stretch of the slot's history: ends the stretch before, or makes the
 * history where it is the first visit of all. Out of line, rare. Without room the slot has no history. */
REFRAIN_HIDDEN void refrain_history_begin_stretch(struct refrain_slot *slot);

/* Stretches have twice as many visits each time that REFRAIN_HISTORY_STRETCHES of them have been used up: so the number
 * of a stretch's first visit is 0 below its upper five bits. */
static inline bool refrain_history_begins_stretch(uint64_t visit) {
    _Static_assert(REFRAIN_HISTORY_STRETCHES == 32, "five bits");
    return visit << __builtin_clzll(visit | 1) << 5 == 0;
}

/* Files a block of so many ticks, which ends `now`, under the slot that began it. */
static inline void refrain_file_block(struct refrain_thread *thread, struct refrain_slot *slot, uint64_t now,
                                      uint64_t elapsed) {
    uint64_t visit = slot->count;
    if (__builtin_expect(refrain_history_begins_stretch(visit), 0))
        refrain_history_begin_stretch(slot);
    slot->ticks += elapsed;
    slot->count = visit + 1;
    thread->last_ticks = now;
}

/* The block that `slot` began ends `now`. */
static inline void refrain_end_block(struct refrain_context *context, struct refrain_slot *slot, uint64_t now) {
    uint64_t elapsed = now - context->thread->last_ticks;
    refrain_file_block(context->thread, slot, now, elapsed);
    refrain_timeline_block(&context->timeline, now, elapsed);
}

#endif
