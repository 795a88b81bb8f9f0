/* block.h: the time between two clock reads of a thread is filed under the slot that began it. Runs with context->busy
 * set. */
#ifndef REFRAIN_BLOCK_H
#define REFRAIN_BLOCK_H

#include "arch/clock.h"
#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stddef.h>
#include <stdint.h>

/* Gives a slot its history, or one with room for visit `slot->count`; out of line, rare. Null when the pool is spent.
 */
REFRAIN_HIDDEN struct refrain_history *refrain_history_make_room(struct refrain_slot *slot);

/* The slot's history, where it has one that goes as far as visit `slot->count`, else null. */
static inline struct refrain_history *refrain_history_of(const struct refrain_context *context,
                                                         const struct refrain_slot *slot) {
    struct refrain_history *history = (void *)(context->trace_file + (size_t)slot->history * REFRAIN_GRAIN_BYTES);
    return slot->history && slot->count >> history->shift < REFRAIN_HISTORY_STRETCHES ? history : NULL;
}

/* Files a block of so many ticks, which ends `now`, under the slot that began it; `history` may be null. */
static inline void refrain_file_block(struct refrain_thread *thread, struct refrain_slot *slot,
                                      struct refrain_history *history, uint64_t now, uint64_t elapsed) {
    uint64_t visit = slot->count;
    if (history)
        history->ticks[visit >> history->shift] += elapsed;
    slot->ticks += elapsed;
    slot->count = visit + 1;
    thread->last_ticks = now;
}

/* The block that `slot` began ends `now`. Returns the place's history, null where it has none. */
static inline struct refrain_history *refrain_end_block(struct refrain_context *context, struct refrain_slot *slot,
                                                        uint64_t now) {
    uint64_t elapsed = now - context->thread->last_ticks;
    struct refrain_history *history = refrain_history_of(context, slot);
    if (__builtin_expect(!history, 0))
        history = refrain_history_make_room(slot);
    refrain_file_block(context->thread, slot, history, now, elapsed);
    refrain_timeline_block(&context->timeline, now, elapsed);
    return history;
}

#endif
