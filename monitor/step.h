/* step.h: steps within an activation: it moves to a place, and the block that ends there is closed. All functions run
 * with context->busy set. */
#ifndef REFRAIN_STEP_H
#define REFRAIN_STEP_H

#include "arch/arch.h"
#include "context.h"
#include "events.h"
#include "learn.h"
#include "metrics.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The activation moves to `value`, which its previous place learns. */
static inline void refrain_step(struct refrain_context *context, struct refrain_entry *entry, int64_t value) {
    if (context->learning)
        refrain_learn(context, &entry->last->next, value, REFRAIN_KIND_CONTROL);
}

/* Ends the block that `slot` began `now`: the time since the last clock read of the thread is the slot's. */
static inline void refrain_end_block(struct refrain_context *context, struct refrain_slot *slot, uint64_t now) {
    uint64_t elapsed = now - context->thread->last_ticks;
    slot->ticks += elapsed;
    slot->count++;
    context->thread->last_ticks = now;
    refrain_timeline_block(&context->timeline, now, elapsed);
}

/* Ends the block that `slot` began and begins the next one, with one clock read. */
static inline __attribute__((always_inline)) uint64_t refrain_close_block(struct refrain_context *context,
                                                                          struct refrain_slot *slot) {
#if REFRAIN_ARCH_HAS_COUNTER
    if (__builtin_expect(!refrain_blocks_are_special, 1)) {
        uint64_t now = refrain_arch_counter();
        refrain_end_block(context, slot, now);
        return now;
    }
#endif
    return refrain_close_special_block(context, slot);
}

/* What this activation called has returned. */
static inline void refrain_returned(struct refrain_entry *entry) {
    if (entry->last->flags & REFRAIN_SLOT_CALL)
        entry->last++;
}

static inline void refrain_event(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id) {
    if (__builtin_expect(context->events != NULL, 0))
        refrain_events_write(context, kind, ticks, id, 0, NULL, 0);
}

/* The kind of record for an activation that begins or ends. */
static inline uint32_t refrain_entry_record(const struct refrain_entry *entry, bool enter) {
    switch (entry->kind) {
    case REFRAIN_ENTRY_FUNCTION:
        return enter ? REFRAIN_RECORD_ENTER : REFRAIN_RECORD_LEAVE;
    case REFRAIN_ENTRY_CALL:
        return enter ? REFRAIN_RECORD_CALL_ENTER : REFRAIN_RECORD_CALL_LEAVE;
    default:
        return enter ? REFRAIN_RECORD_REGION_ENTER : REFRAIN_RECORD_REGION_LEAVE;
    }
}

/* Ends the activation `now`. */
static inline void refrain_add_activation(const struct refrain_entry *entry, uint64_t now) {
    if (entry->total_ticks)
        *entry->total_ticks += now - entry->begin_ticks;
}

#endif
