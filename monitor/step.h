/* step.h: the steps that probes and MPI calls are made of. All of them run with context->busy set. */
#ifndef REFRAIN_STEP_H
#define REFRAIN_STEP_H

#include "clock.h"
#include "learn.h"
#include "metrics.h"
#include "outside.h"
#include "stacks.h"

/* The activation goes on at `value`: learned by the place it was at. */
static inline void refrain_step(struct refrain_context *context, struct refrain_entry *entry, int64_t value) {
    if (context->learning)
        refrain_learn(context, &entry->last->next, value, REFRAIN_KIND_CONTROL);
}

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

/* The clock where blocks are not special (metrics.h): they are wherever it is the system's. */
static inline uint64_t refrain_ticks_of_block(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    return refrain_clock_of_system();
#endif
}

/* Closes the block that `slot` began and opens the next: one clock read for both. */
static inline uint64_t refrain_close_block(struct refrain_context *context, struct refrain_slot *slot) {
#if defined(__x86_64__)
    if (__builtin_expect(!refrain_blocks_are_special, 1)) {
        uint64_t now = __builtin_ia32_rdtsc();
        refrain_end_block(context, slot, now);
        return now;
    }
#endif
    return refrain_close_special_block(context, slot);
}

/* What was called from this activation has returned. */
static inline void refrain_returned(struct refrain_entry *entry) {
    if (entry->last->flags & REFRAIN_SLOT_CALL)
        entry->last++;
}

static inline void refrain_event(struct refrain_context *context, unsigned kind, uint64_t ticks, uint64_t id) {
    if (__builtin_expect(context->events != NULL, 0))
        refrain_events_write(context, kind, ticks, id, 0, NULL, 0);
}

/* Ends abandoned activations below a frame at `address` that is about to be entered (the stack grows down). */
static inline void refrain_drop_abandoned(struct refrain_context *context, uintptr_t address) {
    if (__builtin_expect(context->top->address < address, 0))
        refrain_drop_below(context, address);
}

/* Where the frames begin of those that have called a function whose REFRAIN_FRAME_ADDRESS this is. */
static inline uintptr_t refrain_caller_frames(const void *frame_address) {
    return (uintptr_t)((const uintptr_t *)frame_address + 2);
}

/* The same for a function that the program calls: nothing is open any more below the frame of its caller. */
static inline void refrain_drop_above_caller(struct refrain_context *context, const void *frame_address) {
    refrain_drop_abandoned(context, refrain_caller_frames(frame_address));
}

/* The activation that an entry of the shadow stack is of. */
static inline void refrain_open_entry(struct refrain_entry *entry, struct refrain_slot *slot, uintptr_t address,
                                      uint32_t kind, uint64_t id) {
    entry->last = slot;
    entry->address = address;
    entry->kind = kind;
    entry->id = id;
    entry->frame = 0;
    entry->total_ticks = NULL;
}

/* Opens an activation; null when the shadow stack is full. */
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

/* The record of an activation that begins or ends. */
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

/* Enters an activation from wherever the thread is. `whole`: slot [1] of a function, else null. */
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

/* The activation ends `now`. */
static inline void refrain_add_activation(const struct refrain_entry *entry, uint64_t now) {
    if (entry->total_ticks)
        *entry->total_ticks += now - entry->begin_ticks;
}

/* Leaves the activation on top. */
static inline void refrain_leave(struct refrain_context *context) {
    struct refrain_entry *entry = context->top;
    refrain_step(context, entry, REFRAIN_NEXT_EXIT);
    uint64_t now = refrain_close_block(context, entry->last);
    refrain_event(context, refrain_entry_record(entry, false), now, entry->id);
    refrain_add_activation(entry, now);
    context->top = entry - 1;
    refrain_returned(entry - 1);
}

extern REFRAIN_HIDDEN __thread struct refrain_context *refrain_thread_context;

static inline struct refrain_context *refrain_begin(void) {
    struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(context == NULL, 0)) {
        context = refrain_context();
        if (!context)
            return NULL;
    }
    if (__builtin_expect(context->busy, 0)) {
        if (context->trace_file && context->busy != REFRAIN_PAUSED)
            refrain_lose(REFRAIN_LOSS_INTERRUPTED, 1);
        return NULL;
    }
    context->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    return context;
}

static inline void refrain_end(struct refrain_context *context) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = 0;
}

#endif
