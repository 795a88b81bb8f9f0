/* probe.c: what instrumented code calls (refrain/unit.h), and user regions (refrain/refrain.h). */
#define _GNU_SOURCE
#include "registers.h"
#include "step.h"
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop
#include <refrain/settings.h>

#include <string.h>

static uint32_t entry_record(const struct refrain_entry *entry, bool enter) {
    switch (entry->kind) {
    case REFRAIN_ENTRY_FUNCTION:
        return enter ? REFRAIN_RECORD_ENTER : REFRAIN_RECORD_LEAVE;
    case REFRAIN_ENTRY_CALL:
        return enter ? REFRAIN_RECORD_CALL_ENTER : REFRAIN_RECORD_CALL_LEAVE;
    default:
        return enter ? REFRAIN_RECORD_REGION_ENTER : REFRAIN_RECORD_REGION_LEAVE;
    }
}

void refrain_unwind(struct refrain_context *context, struct refrain_entry *keep) {
    refrain_step(context, context->top, REFRAIN_NEXT_UNWIND);
    uint64_t now = refrain_close_block(context, context->top->last);
    for (;;) {
        keep->communicates |= context->top->communicates;
        refrain_event(context, entry_record(context->top, false), now, context->top->id);
        refrain_returned(--context->top);
        if (context->top == keep)
            break;
        refrain_step(context, context->top, REFRAIN_NEXT_ABANDONED);
    }
}

/* Enters an activation from wherever the thread is. `whole`: slot [1] of a function, else null. */
static struct refrain_entry *enter(struct refrain_context *context, struct refrain_slot *slot,
                                   struct refrain_slot *whole, uintptr_t address, uint32_t kind, uint64_t id,
                                   int64_t value) {
    struct refrain_entry *caller = context->top;
    struct refrain_entry *entry = refrain_push(context, slot, address, kind, id);
    if (!entry)
        return NULL;
    refrain_step(context, caller, value);
    if (whole) {
        entry->whole = whole;
        whole->count++;
    }
    entry->begin_ticks = refrain_close_block(context, caller->last);
    refrain_event(context, entry_record(entry, true), entry->begin_ticks, id);
    return entry;
}

/* What switching a probe off needs, and whether it was done. */
struct throttling {
    uint32_t number;
    bool done;
};

static void throttle_unit(void *what) {
    struct throttling *throttling = what;
    throttling->done = refrain_units_throttle(throttling->number);
}

/* Switches off the probe with this slot, unless another is being switched just now. */
static bool switch_off(uint32_t number) {
    struct throttling throttling = {.number = number};
    refrain_keep_vectors(throttle_unit, &throttling);
    return throttling.done;
}

/* A function that is tiny, hot and does not communicate makes no more events: its probes are switched off, and with
 * them those of loops and callers that were on for its sake only. What then happens in it belongs to its callers. */
static void throttle(const struct refrain_context *context, struct refrain_slot *whole) {
    if (whole->throttled_at || whole->flags & REFRAIN_SLOT_COMMUNICATES ||
        whole->ticks / whole->count >= context->throttle_ticks || whole->count > UINT32_MAX)
        return;
    if (switch_off(whole->number - 1))
        whole->throttled_at = (uint32_t)whole->count;
}

/* Leaves the activation on top. */
static void leave(struct refrain_context *context) {
    struct refrain_entry *entry = context->top;
    refrain_step(context, entry, REFRAIN_NEXT_EXIT);
    uint64_t now = refrain_close_block(context, entry->last);
    refrain_event(context, entry_record(entry, false), now, entry->id);
    struct refrain_slot *whole = entry->whole;
    if (whole) {
        whole->ticks += now - entry->begin_ticks;
        if (entry->communicates)
            whole->flags |= REFRAIN_SLOT_COMMUNICATES;
        else if (__builtin_expect(whole->count >= REFRAIN_THROTTLE_CALLS, 0))
            throttle(context, whole);
    }
    entry[-1].communicates |= entry->communicates;
    context->top = entry - 1;
    refrain_returned(entry - 1);
}

/* The entry of a site returns nothing in registers (registers.S). */
REFRAIN_HIDDEN void refrain_enter_frame(struct refrain_frame *frame, unsigned int slot, struct refrain_unit *unit,
                                        void *frame_address);
void refrain_enter_frame(struct refrain_frame *frame, unsigned int slot, struct refrain_unit *unit,
                         void *frame_address) {
    *frame = refrain_enter(unit, slot, frame_address);
}

struct refrain_frame refrain_enter(struct refrain_unit *unit, unsigned int slot, void *frame_address) {
    struct refrain_frame frame = {NULL, NULL};
    struct refrain_context *context = refrain_begin();
    if (!context)
        return frame;
    if (unit->slots) {
        refrain_drop_abandoned(context, (uintptr_t)frame_address);
        struct refrain_slot *slots = (struct refrain_slot *)unit->slots + (size_t)context->number * unit->n_slots;
        frame.entry = enter(context, &slots[slot], &slots[slot + 1], (uintptr_t)frame_address, REFRAIN_ENTRY_FUNCTION,
                            slots[slot].number, slots[slot].number);
        frame.slots = slots;
    }
    refrain_end(context);
    return frame;
}

/* Is `entry` one of this thread's open activations? Not so when the probe runs in another thread (a body that OpenMP
 * hands out) or in an activation that was taken for abandoned. */
static inline bool is_open(const struct refrain_context *context, const struct refrain_entry *entry) {
    return entry > context->stack && entry <= context->top;
}

/* Where a probe of this activation counts: its entry, or the user region open in it; null when it is not open. What
 * longjmp abandoned above it is ended first. */
static inline struct refrain_entry *current(struct refrain_context *context, const struct refrain_frame *frame) {
    struct refrain_entry *entry = frame->entry;
    if (__builtin_expect(entry == context->top, 1))
        return entry;
    if (!is_open(context, entry))
        return NULL;
    while (entry < context->top && entry[1].kind == REFRAIN_ENTRY_REGION)
        entry++;
    if (entry != context->top)
        refrain_unwind(context, entry);
    return entry;
}

void refrain_leave(struct refrain_frame *frame) {
    if (!frame->entry)
        return;
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    struct refrain_entry *entry = frame->entry;
    if (is_open(context, entry)) {
        if (entry != context->top)
            refrain_unwind(context, entry);
        leave(context);
    }
    refrain_end(context);
}

/* Is nothing lost but the probe itself when it is switched off? That holds for those which are there for their own
 * sake, and for a call through a pointer that never was the last place before an event. */
static bool can_be_spared(const struct refrain_slot *slot) {
    return slot->flags & REFRAIN_SLOT_SPARE ||
           ((slot->flags & (REFRAIN_SLOT_CALL | REFRAIN_SLOT_MPI_CALL)) == REFRAIN_SLOT_CALL && slot->count == 0 &&
            slot[1].count == 0);
}

/* The probe at `slot` is one of many that come close together: at fault some times, it is switched off if it can be
 * spared. What then happens there belongs to the place before. */
static __attribute__((noinline)) void sample(struct refrain_context *context, struct refrain_slot *slot) {
    uint64_t now = refrain_clock(), elapsed = now - context->sample_ticks;
    context->sample_ticks = now;
    if (elapsed >= context->crowded_ticks || !can_be_spared(slot))
        return;
    if (++slot->throttled_at >= REFRAIN_THROTTLE_SAMPLES)
        switch_off(slot->number);
}

static inline void count_probe(struct refrain_context *context, struct refrain_slot *slot) {
    if (__builtin_expect(++context->probes % REFRAIN_THROTTLE_SAMPLE == 0, 0))
        sample(context, slot);
}

/* A probe of an activation: where control is, once that has been learned by the place it was at. */
struct arrival {
    struct refrain_context *context; /* null: nothing to do, not even refrain_end */
    struct refrain_entry *entry;     /* null: nothing to learn */
    struct refrain_slot *to;
};

static inline struct arrival arrive(const struct refrain_frame *frame, unsigned int slot) {
    struct arrival here = {NULL, NULL, NULL};
    if (!frame->entry || !(here.context = refrain_begin()))
        return here;
    struct refrain_entry *entry = current(here.context, frame);
    if (entry && here.context->learning) {
        here.entry = entry;
        here.to = (struct refrain_slot *)frame->slots + slot;
        refrain_step(here.context, entry, here.to->number);
    }
    return here;
}

/* The activation is at `last` from now on. */
static inline void depart(const struct arrival *here, struct refrain_slot *last) {
    here->entry->last = last;
    count_probe(here->context, here->to);
}

static inline void end_arrival(const struct arrival *here) {
    if (here->context)
        refrain_end(here->context);
}

void refrain_at(struct refrain_frame *frame, unsigned int slot) {
    struct arrival here = arrive(frame, slot);
    if (here.entry)
        depart(&here, here.to);
    end_arrival(&here);
}

int refrain_if(struct refrain_frame *frame, unsigned int slot, int value) {
    struct arrival here = arrive(frame, slot);
    if (here.entry) {
        refrain_learn(here.context, &here.to->next, value, REFRAIN_KIND_CONTROL);
        depart(&here, value ? here.to + 1 : here.to + 2);
    }
    end_arrival(&here);
    return value;
}

int refrain_loop(struct refrain_frame *frame, unsigned int slot, int value) {
    struct arrival here = arrive(frame, slot);
    if (here.entry && value) {
        here.to->count++;
        depart(&here, here.to + 1);
    } else if (here.entry) {
        refrain_learn(here.context, &here.to->next, (int64_t)here.to->count, REFRAIN_KIND_LOOP);
        here.to->count = 0;
        depart(&here, here.to + 2);
    }
    end_arrival(&here);
    return value;
}

void refrain_count(struct refrain_frame *frame, unsigned int slot, unsigned long count) {
    struct arrival here = arrive(frame, slot);
    if (here.entry) {
        if (__builtin_expect(!(here.to->flags & REFRAIN_SLOT_COUNTED), 0))
            __atomic_fetch_or(&here.to->flags, REFRAIN_SLOT_COUNTED, __ATOMIC_RELAXED);
        refrain_learn(here.context, &here.to->next, (int64_t)count, REFRAIN_KIND_LOOP);
        depart(&here, here.to + 2);
    }
    end_arrival(&here);
}

/* ---- user regions ---- */

/* The thread's record of a region name; null when the pool is spent. */
static struct refrain_region_name *region_name(struct refrain_context *context, const char *name) {
    struct refrain_region_cache *cache = &context->regions[((uintptr_t)name >> 3) % REFRAIN_REGION_CACHE];
    if (cache->name == name)
        return cache->record;
    struct refrain_region_name *record = NULL;
    uint32_t reference = (uint32_t)refrain_region.header->regions;
    for (; reference; reference = record->next) {
        record = refrain_at_reference(reference);
        const struct refrain_name *text = refrain_at_reference(record->name);
        if (record->thread == context->number && strcmp(text->text, name) == 0)
            break;
    }
    if (!reference) {
        uint32_t text = refrain_pool_name(name);
        record = text ? refrain_pool_take(sizeof *record, REFRAIN_POOL_PLACES) : NULL;
        if (!record)
            return NULL;
        record->name = text;
        record->thread = context->number;
        record->inside.number = UINT32_MAX;
        uint32_t head = (uint32_t)__atomic_load_n(&refrain_region.header->regions, __ATOMIC_RELAXED);
        uint64_t expected;
        do {
            record->next = head;
            expected = head;
            if (__atomic_compare_exchange_n(&refrain_region.header->regions, &expected, refrain_reference(record),
                                            false, __ATOMIC_RELEASE, __ATOMIC_RELAXED))
                break;
            head = (uint32_t)expected;
        } while (true);
    }
    cache->name = name;
    cache->record = record;
    return record;
}

void refrain_region_begin(const char *name) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    refrain_drop_abandoned(context, (uintptr_t)__builtin_frame_address(0));
    struct refrain_region_name *record = region_name(context, name);
    if (record) {
        uint32_t reference = refrain_reference(record);
        /* The region stays open after this function returns: it counts as the caller's own frame. */
        enter(context, &record->inside, NULL, context->top->address, REFRAIN_ENTRY_REGION, reference,
              REFRAIN_NEXT_REGION + reference);
    } else {
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
    }
    refrain_end(context);
}

void refrain_region_end(void) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    refrain_drop_abandoned(context, (uintptr_t)__builtin_frame_address(0));
    if (context->top->kind == REFRAIN_ENTRY_REGION)
        leave(context);
    else
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
    refrain_end(context);
}
