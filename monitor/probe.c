/* probe.c: the functions that instrumented code calls (refrain/unit.h). */
#define _GNU_SOURCE
#include "probe.h"
#include "activation.h"
#include "begin.h"
#include "context.h"
#include "pause.h"
#include "run/allowance.h"
#include "run/loaded_units.h"
#include "run/pool.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

/* ---- functions ---- */

static inline __attribute__((always_inline)) void
enter_function(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uintptr_t frame) {
    refrain_drop_abandoned(context, place);
    /* An exception or longjmp has left the activation that had the same frame. */
    if (__builtin_expect(refrain_has_frame(context->top, frame), 0))
        refrain_abandon(context, context->top - 1);
    struct refrain_entry *entry =
        refrain_enter(context, slot, slot + 1, place, REFRAIN_ENTRY_FUNCTION, slot->number, slot->number);
    if (entry)
        entry->frame = (int32_t)(intptr_t)(frame - place);
}

/* Ends the activation with this frame, and abandoned ones above it. Does nothing if the function was not entered. */
static inline __attribute__((always_inline)) void leave_function(struct refrain_context *context,
                                                                 const struct refrain_slot *slot, uintptr_t frame) {
    if (__builtin_expect(refrain_has_frame(context->top, frame), 1) || refrain_drop_above(context, slot, frame))
        refrain_leave(context);
}

/* ---- places in functions ---- */

/* Finds the activation of `function` that contains the probe at `place`, below others: inlined functions that longjmp
 * has left in its frame, or user regions. Null if it was not entered. */
static __attribute__((noinline)) struct refrain_entry *find(struct refrain_context *context, uint64_t function) {
    struct refrain_entry *entry = context->top;
    while (entry > context->stack && entry->kind == REFRAIN_ENTRY_REGION)
        entry--;
    for (uintptr_t address = entry->address; entry > context->stack && entry->address == address; entry--)
        if (entry->kind == REFRAIN_ENTRY_FUNCTION && entry->id == function)
            return entry;
    return NULL;
}

/* Returns the entry that a probe of this activation moves: its own, or that of the user region open in it. Null if it
 * was not entered. Ends abandoned activations above it first. */
static inline struct refrain_entry *current(struct refrain_context *context, uint64_t function, uintptr_t place) {
    refrain_drop_abandoned(context, place);
    struct refrain_entry *entry = context->top;
    if (__builtin_expect(entry->id == function && entry->kind == REFRAIN_ENTRY_FUNCTION, 1))
        return entry;
    entry = find(context, function);
    while (entry && entry < context->top && entry[1].kind == REFRAIN_ENTRY_REGION)
        entry++;
    if (entry && entry != context->top)
        refrain_abandon(context, entry);
    return entry;
}

/* ---- loops ---- */

/* If the last visit of the loop with this first slot was left other than by its condition, stores its count. If the
 * order of counts is not kept, that count stays, and is added to the count of the next visit. */
static void end_visit(struct refrain_context *context, struct refrain_slot *first) {
    if (first->count == 0 || first->next.state == REFRAIN_SUMMARY || first->next.tally)
        return;
    refrain_learn(context, &first->next, -(int64_t)first->count, REFRAIN_KIND_LOOP);
    first->count = 0;
}

/* Control reaches the condition of a loop. If it comes from outside the loop, a visit begins. */
static inline void arrive_at_loop(struct refrain_context *context, struct refrain_slot *first,
                                  struct refrain_entry *entry) {
    if (__builtin_expect(entry->last->number - first->number >= first->next.loop_slots, 0))
        end_visit(context, first);
    refrain_step(context, entry, first->number);
}

void refrain_probe_end_loops(struct refrain_context *context) {
    for (uint64_t at = refrain_trace_file.header->units; at && context->learning;) {
        const struct refrain_unit_record *unit = (const void *)(refrain_trace_file.base + at);
        struct refrain_slot *slots =
            (struct refrain_slot *)(refrain_trace_file.base + unit->slots) + (size_t)context->number * unit->n_slots;
        for (uint32_t i = 0; i < unit->n_slots; i++)
            if (REFRAIN_SLOT_KIND(slots[i].flags) == REFRAIN_ARRIVAL_COUNT)
                end_visit(context, &slots[i]);
        at = unit->next;
    }
}

/* ---- arrivals ---- */

/* Control comes to `slot` in an open activation. */
static void arrive(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uint64_t count) {
    if (!context->learning)
        return;
    uint32_t flags = slot->flags;
    struct refrain_entry *entry = current(context, slot->number - REFRAIN_SLOT_OF_FUNCTION(flags), place);
    if (!entry)
        return;
    struct refrain_slot *first = slot;
    switch (REFRAIN_SLOT_KIND(flags)) {
    case REFRAIN_ARRIVAL_TRUE:
        first = slot - 1;
        refrain_step(context, entry, first->number);
        refrain_learn(context, &first->next, 1, REFRAIN_KIND_CONTROL);
        break;
    case REFRAIN_ARRIVAL_FALSE:
        first = slot - 2;
        refrain_step(context, entry, first->number);
        refrain_learn(context, &first->next, 0, REFRAIN_KIND_CONTROL);
        break;
    case REFRAIN_ARRIVAL_AGAIN:
        first = slot - 1;
        arrive_at_loop(context, first, entry);
        first->count++;
        break;
    case REFRAIN_ARRIVAL_DONE:
        first = slot - 2;
        arrive_at_loop(context, first, entry);
        refrain_learn(context, &first->next, (int64_t)first->count, REFRAIN_KIND_LOOP);
        first->count = 0;
        break;
    case REFRAIN_ARRIVAL_COUNT:
        refrain_step(context, entry, first->number);
        if (__builtin_expect(!(flags & REFRAIN_SLOT_COUNTED), 0))
            __atomic_fetch_or(&slot->flags, REFRAIN_SLOT_COUNTED, __ATOMIC_RELAXED);
        refrain_learn(context, &first->next, (int64_t)count, REFRAIN_KIND_LOOP);
        slot += 2;
        break;
    default:
        refrain_step(context, entry, first->number);
        break;
    }
    entry->last = slot;
}

void refrain_probe_come(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place) {
    struct refrain_entry *entry = current(context, slot->number - REFRAIN_SLOT_OF_FUNCTION(slot->flags), place);
    if (!entry)
        entry = context->top;
    refrain_step(context, entry, slot->number);
    entry->last = slot;
}

/* ---- what instrumented code calls ---- */

/* Without ending the probe. */
static inline __attribute__((always_inline)) void run(struct refrain_context *context, struct refrain_slot *slot,
                                                      uintptr_t place, uint64_t extra) {
    switch (REFRAIN_SLOT_KIND(slot->flags)) {
    case REFRAIN_ARRIVAL_ENTER:
        enter_function(context, slot, place, (uintptr_t)extra);
        break;
    case REFRAIN_ARRIVAL_LEAVE:
        leave_function(context, slot, (uintptr_t)extra);
        break;
    default:
        arrive(context, slot, place, extra);
        break;
    }
}

void refrain_probe_run(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uint64_t extra) {
    run(context, slot, place, extra);
    refrain_end(context);
}

void refrain_probe_enter(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uintptr_t frame) {
    enter_function(context, slot, place, frame);
    refrain_end(context);
}

void refrain_probe_leave(struct refrain_context *context, const struct refrain_slot *slot, uintptr_t frame) {
    leave_function(context, slot, frame);
    refrain_end(context);
}

void refrain_probe_sample(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uint64_t extra) {
    uint64_t begin_ticks = refrain_clock();
    run(context, slot, place, extra);
    refrain_allowance_sample(context, slot, begin_ticks);
}

void refrain_probe(struct refrain_unit *unit, unsigned int number, const void *frame, unsigned long extra) {
    struct refrain_context *context = refrain_begin();
    if (!context) {
        const struct refrain_slot *slots = unit->slots;
        if (refrain_trace_file.base && slots && REFRAIN_SLOT_KIND(slots[number].flags) == REFRAIN_ARRIVAL_LEAVE)
            refrain_pause_leave(extra);
        return;
    }
    if (unit->slots) {
        struct refrain_slot *first = (struct refrain_slot *)unit->slots + number;
        struct refrain_slot *slot = first + (size_t)context->number * unit->n_slots;
        if (slot->flags & REFRAIN_SLOT_MPI_CALL) {
            refrain_place = first;
        } else if (!refrain_allowance_takes(context)) {
            refrain_probe_run(context, slot, (uintptr_t)frame, extra);
            return;
        } else {
            refrain_probe_sample(context, slot, (uintptr_t)frame, extra);
        }
    }
    refrain_end(context);
}
