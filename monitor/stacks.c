/* stacks.c: ends activations that were left without a return (stacks.h). */
#define _GNU_SOURCE
#include "stacks.h"
#include "arch/arch.h"
#include "context.h"
#include "run/pool.h"
#include "step.h"
#include <refrain/trace.h>

#include <signal.h>
#include <sys/syscall.h>

/* ---- functions without probes, which end when something else than an MPI call comes ---- */

struct refrain_entry *refrain_below_path(const struct refrain_context *context) {
    struct refrain_entry *entry = context->top;
    while (entry->kind == REFRAIN_ENTRY_FRAME)
        entry--;
    return entry;
}

void refrain_end_path_above(struct refrain_context *context, const struct refrain_entry *keep) {
    while (context->top != keep) {
        refrain_step(context, context->top, REFRAIN_NEXT_GONE);
        refrain_event(context, REFRAIN_RECORD_REGION_LEAVE, context->thread->last_ticks, context->top->id);
        refrain_returned(--context->top);
    }
}

/* ---- activations that were jumped out of ---- */

void refrain_unwind(struct refrain_context *context, struct refrain_entry *keep) {
    refrain_end_path_above(context, refrain_below_path(context));
    if (context->top == keep)
        return;
    refrain_step(context, context->top, REFRAIN_NEXT_UNWIND);
    uint64_t now = refrain_close_block(context, context->top->last);
    for (;;) {
        refrain_event(context, refrain_entry_record(context->top, false), now, context->top->id);
        refrain_add_activation(context->top, now);
        refrain_returned(--context->top);
        if (context->top == keep)
            break;
        refrain_step(context, context->top, REFRAIN_NEXT_ABANDONED);
    }
}

/* The position of the frame among the latest abandoned ones. REFRAIN_ABANDONED: it is not there. */
static unsigned abandoned_at(const struct refrain_context *context, uintptr_t frame) {
    unsigned i = 0;
    while (i < REFRAIN_ABANDONED && context->abandoned[i] != frame)
        i++;
    return i;
}

void refrain_abandon(struct refrain_context *context, struct refrain_entry *keep) {
    for (const struct refrain_entry *entry = keep + 1; entry <= context->top; entry++) {
        uintptr_t frame = entry->address + (uintptr_t)(intptr_t)entry->frame;
        if (entry->kind == REFRAIN_ENTRY_FUNCTION && abandoned_at(context, frame) == REFRAIN_ABANDONED)
            context->abandoned[context->n_abandoned++ % REFRAIN_ABANDONED] = frame;
    }
    refrain_unwind(context, keep);
}

/* True if `address` is on a signal stack on which the thread runs, and the activation on top is on another stack. */
static bool is_handler(const struct refrain_context *context, uintptr_t address) {
    stack_t now;
    if (refrain_arch_call_system(SYS_sigaltstack, 0, (uintptr_t)&now, 0) != 0 || !(now.ss_flags & SS_ONSTACK))
        return false;
    uintptr_t begin = (uintptr_t)now.ss_sp;
    return address - begin < now.ss_size && context->top->address - begin >= now.ss_size;
}

void refrain_drop_below(struct refrain_context *context, uintptr_t address) {
    struct refrain_entry *keep = context->top;
    if (is_handler(context, address))
        return;
    while (keep->address < address)
        keep--;
    refrain_abandon(context, keep);
}

void refrain_stacks_left(struct refrain_context *context, const struct refrain_slot *slot, uintptr_t frame) {
    unsigned at = abandoned_at(context, frame);
    if (at == REFRAIN_ABANDONED)
        return;
    context->abandoned[at] = 0;
    const struct refrain_slot *function = slot ? slot - REFRAIN_SLOT_OF_FUNCTION(slot->flags) : NULL;
    if (function && function->flags & REFRAIN_SLOT_WAS_THROTTLED)
        return;
    refrain_lose(REFRAIN_LOSS_STACKS, 1);
}

/* ---- functions, found by their frames ---- */

/* Frames of callers lie above, so both addresses of an activation are in its own frame. */
static bool may_be_inside(const struct refrain_entry *entry, uintptr_t frame) {
    return entry->address <= frame || entry->address + (uintptr_t)(intptr_t)entry->frame <= frame;
}

bool refrain_drop_above(struct refrain_context *context, const struct refrain_slot *slot, uintptr_t frame) {
    struct refrain_entry *entry = context->top;
    while (!refrain_has_frame(entry, frame) && entry > context->stack && may_be_inside(entry, frame))
        entry--;
    if (!refrain_has_frame(entry, frame)) {
        refrain_stacks_left(context, slot, frame);
        return false;
    }
    refrain_abandon(context, entry);
    return true;
}

/* Slot [1] of the entered function. */
static struct refrain_slot *whole_of(const struct refrain_entry *entry) {
    return (struct refrain_slot *)((unsigned char *)entry->total_ticks - offsetof(struct refrain_slot, ticks));
}

void refrain_give_up(struct refrain_context *context, uint64_t function) {
    refrain_end_path_above(context, refrain_below_path(context));
    struct refrain_entry *outermost = NULL;
    for (struct refrain_entry *entry = context->top; entry->kind == REFRAIN_ENTRY_FUNCTION; entry--)
        outermost = entry->id == function ? entry : outermost;
    if (!outermost)
        return;
    for (struct refrain_entry *entry = outermost; entry <= context->top; entry++) {
        struct refrain_slot *whole = whole_of(entry);
        __atomic_fetch_or(&whole[-1].flags, REFRAIN_SLOT_WAS_THROTTLED, __ATOMIC_RELAXED);
        if (whole->throttled_at == 0)
            whole->throttled_at = whole->count > UINT32_MAX ? UINT32_MAX : (uint32_t)whole->count;
    }
    refrain_unwind(context, outermost - 1);
}
