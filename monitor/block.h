/* block.h: adds the time between two clock reads of a thread, a block, to the slot that began it. Runs with
 * context->busy set. */
#ifndef REFRAIN_BLOCK_H
#define REFRAIN_BLOCK_H

#include "arch/clock.h"
#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Called at visit `slot->count`, the first of a stretch of the slot's history. Ends the stretch before; at the very
 * first visit it makes the history. Without memory the slot has no history. Out of line, since it is rare. */
REFRAIN_HIDDEN void refrain_history_begin_stretch(struct refrain_slot *slot);

/* Stretches get twice as many visits whenever REFRAIN_HISTORY_STRETCHES of them have been used. So the number of a
 * stretch's first visit has no bits set below its upper five. */
static inline bool refrain_history_begins_stretch(uint64_t visit) {
    uint64_t lowest_bit = visit & -visit;
    return lowest_bit * REFRAIN_HISTORY_STRETCHES >= visit;
}

/* Prepares the end of the block that `slot` began. Called before the clock is read, so that few values are alive across
 * the read. */
static inline void refrain_expect_end_of_block(struct refrain_slot *slot) {
    if (__builtin_expect(refrain_history_begins_stretch(slot->count), 0))
        refrain_history_begin_stretch(slot);
}

/* Ends the block `now`. */
static inline void refrain_end_block(struct refrain_context *context, struct refrain_slot *slot, uint64_t now) {
    uint64_t elapsed = now - context->thread->last_ticks;
    slot->ticks += elapsed;
    slot->count++;
    context->thread->last_ticks = now;
    refrain_timeline_block(&context->timeline, now, elapsed);
}

#endif
