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
 * of a stretch's first visit has no bit below its upper five. */
static inline bool refrain_history_begins_stretch(uint64_t visit) {
    uint64_t lowest_bit = visit & -visit;
    return lowest_bit * REFRAIN_HISTORY_STRETCHES >= visit;
}

/* The block that `slot` began is about to end: before the clock is read, so that little is kept over a call. */
static inline void refrain_expect_end_of_block(struct refrain_slot *slot) {
    if (__builtin_expect(refrain_history_begins_stretch(slot->count), 0))
        refrain_history_begin_stretch(slot);
}

/* It ends `now`. */
static inline void refrain_end_block(struct refrain_context *context, struct refrain_slot *slot, uint64_t now) {
    uint64_t elapsed = now - context->thread->last_ticks;
    slot->ticks += elapsed;
    slot->count++;
    context->thread->last_ticks = now;
    refrain_timeline_block(&context->timeline, now, elapsed);
}

#endif
