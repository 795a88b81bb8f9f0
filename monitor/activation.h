/* activation.h: begins and ends activations. All functions run with context->busy set. */
#ifndef REFRAIN_ACTIVATION_H
#define REFRAIN_ACTIVATION_H

#include "context.h"
#include "entry.h"
#include "outside.h"
#include "run/pool.h"
#include "stacks.h"
#include "step.h"
#include <refrain/trace.h>
#include <stddef.h>
#include <stdint.h>

/* Ends the abandoned activations below a frame at `address` that is about to be entered. The stack grows down. */
static inline void refrain_drop_abandoned(struct refrain_context *context, uintptr_t address) {
    if (__builtin_expect(context->top->address < address, 0))
        refrain_drop_below(context, address);
}

/* The same in a function of refrain that the program calls: no activation below the caller's frame is open any more. */
static inline void refrain_drop_above_caller(struct refrain_context *context, const void *frame_address) {
    refrain_drop_abandoned(context, refrain_caller_frames(frame_address));
}

/* Opens an activation. Null if the shadow stack is full. */
static inline struct refrain_entry *refrain_push(struct refrain_context *context, struct refrain_slot *slot,
                                                 uintptr_t address, uint32_t kind, uint64_t id) {
    struct refrain_entry *entry = context->top + 1;
    if (__builtin_expect(entry == context->stack_end, 0) && !refrain_outside_grow_stack(context)) {
        refrain_lose(REFRAIN_LOSS_DEPTH, 1);
        return NULL;
    }
    refrain_open_entry(entry, slot, address, kind, id);
    context->top = entry;
    return entry;
}

/* Begins an activation at `slot`. The activation on top has called it and learns `value`. `whole`: slot [1] of a
 * function, which adds up its durations, else null. Null if the shadow stack is full. */
static inline struct refrain_entry *refrain_enter(struct refrain_context *context, struct refrain_slot *slot,
                                                  struct refrain_slot *whole, uintptr_t address, uint32_t kind,
                                                  uint64_t id, int64_t value) {
    struct refrain_entry *caller = context->top;
    struct refrain_entry *entry = refrain_push(context, slot, address, kind, id);
    if (!entry)
        return NULL;
    refrain_step(context, caller, value);
    if (whole) {
        entry->total_ticks = &whole->ticks;
        whole->count++;
    }
    entry->begin_ticks = refrain_close_block(context, caller->last);
    refrain_event(context, refrain_entry_record(entry, true), entry->begin_ticks, id);
    return entry;
}

/* The same for a region, which has no slot in a unit. */
static inline struct refrain_entry *refrain_enter_region(struct refrain_context *context,
                                                         struct refrain_region_name *region, uintptr_t address,
                                                         uint32_t kind) {
    struct refrain_entry *entry = refrain_enter(context, &region->inside, NULL, address, kind, region->number,
                                                REFRAIN_NEXT_REGION + region->number);
    region->begun += entry != NULL;
    return entry;
}

/* Ends the activation on top. */
static inline void refrain_leave(struct refrain_context *context) {
    struct refrain_entry *entry = context->top;
    refrain_step(context, entry, REFRAIN_NEXT_EXIT);
    uint64_t now = refrain_close_block(context, entry->last);
    refrain_event(context, refrain_entry_record(entry, false), now, entry->id);
    refrain_add_activation(entry, now);
    context->top = entry - 1;
    refrain_returned(entry - 1);
}

#endif
