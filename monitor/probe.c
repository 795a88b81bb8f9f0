/* probe.c: what instrumented code calls (refrain/unit.h), and user regions (refrain/refrain.h). */
#define _GNU_SOURCE
#include "allowance.h"
#include "registers.h"
#include "site_table.h"
#include "step.h"
#include <refrain/settings.h>
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop

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

/* Leaves the activation on top. */
static void leave(struct refrain_context *context) {
    struct refrain_entry *entry = context->top;
    refrain_step(context, entry, REFRAIN_NEXT_EXIT);
    uint64_t now = refrain_close_block(context, entry->last);
    refrain_event(context, entry_record(entry, false), now, entry->id);
    if (entry->whole)
        entry->whole->ticks += now - entry->begin_ticks;
    context->top = entry - 1;
    refrain_returned(entry - 1);
}

/* ---- functions ---- */

static void enter_function(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place,
                           uintptr_t frame) {
    refrain_drop_abandoned(context, place);
    struct refrain_entry *entry =
        enter(context, slot, slot + 1, place, REFRAIN_ENTRY_FUNCTION, slot->number, slot->number);
    if (entry)
        entry->frame = (int32_t)(intptr_t)(frame - place);
}

static bool has_frame(const struct refrain_entry *entry, uintptr_t frame) {
    return entry->kind == REFRAIN_ENTRY_FUNCTION && entry->address + (uintptr_t)(intptr_t)entry->frame == frame;
}

/* Frames of callers lie above: both addresses of an activation are in its own. */
static bool may_be_inside(const struct refrain_entry *entry, uintptr_t frame) {
    return entry->address <= frame || entry->address + (uintptr_t)(intptr_t)entry->frame <= frame;
}

/* Leaves the activation with this frame, and those that were abandoned above it; none where it was not entered. */
static void leave_function(struct refrain_context *context, uintptr_t frame) {
    struct refrain_entry *entry = context->top;
    while (!has_frame(entry, frame) && entry > context->stack && may_be_inside(entry, frame))
        entry--;
    if (!has_frame(entry, frame))
        return;
    if (entry != context->top)
        refrain_unwind(context, entry);
    leave(context);
}

/* ---- places in functions ---- */

/* The activation of `function` that a probe at `place` belongs to lies below others: those that longjmp left in its
 * frame, of functions that the compiler put into it, or user regions. Null: it was not entered. */
static __attribute__((noinline)) struct refrain_entry *find(struct refrain_context *context, uint64_t function) {
    struct refrain_entry *entry = context->top;
    while (entry > context->stack && entry->kind == REFRAIN_ENTRY_REGION)
        entry--;
    for (uintptr_t address = entry->address; entry > context->stack && entry->address == address; entry--)
        if (entry->kind == REFRAIN_ENTRY_FUNCTION && entry->id == function)
            return entry;
    return NULL;
}

/* Where a probe of this activation counts: its entry, or the user region open in it; null where it was not entered.
 * What longjmp abandoned above it is ended first. */
static inline struct refrain_entry *current(struct refrain_context *context, uint64_t function, uintptr_t place) {
    refrain_drop_abandoned(context, place);
    struct refrain_entry *entry = context->top;
    if (__builtin_expect(entry->id == function && entry->kind == REFRAIN_ENTRY_FUNCTION, 1))
        return entry;
    entry = find(context, function);
    while (entry && entry < context->top && entry[1].kind == REFRAIN_ENTRY_REGION)
        entry++;
    if (entry && entry != context->top)
        refrain_unwind(context, entry);
    return entry;
}

/* Control comes to `slot` in an activation that goes on. */
static inline void arrive(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uint64_t count) {
    if (!context->learning)
        return;
    uint32_t flags = slot->flags;
    struct refrain_entry *entry = current(context, slot->number - REFRAIN_SLOT_OF_FUNCTION(flags), place);
    if (!entry) {
        if (!(flags & REFRAIN_SLOT_MPI_CALL))
            return;
        entry = context->top;
    }
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
        refrain_step(context, entry, first->number);
        first->count++;
        break;
    case REFRAIN_ARRIVAL_DONE:
        first = slot - 2;
        refrain_step(context, entry, first->number);
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

/* ---- what instrumented code calls ---- */

static inline void probe(struct refrain_context *context, struct refrain_slot *slot, uintptr_t place, uint64_t extra) {
    bool sampled = refrain_allowance_takes(context);
    uint64_t begin_ticks = sampled ? refrain_clock() : 0;
    switch (REFRAIN_SLOT_KIND(slot->flags)) {
    case REFRAIN_ARRIVAL_ENTER:
        enter_function(context, slot, place, (uintptr_t)extra);
        break;
    case REFRAIN_ARRIVAL_LEAVE:
        leave_function(context, (uintptr_t)extra);
        break;
    default:
        arrive(context, slot, place, extra);
        break;
    }
    if (__builtin_expect(sampled, 0))
        refrain_allowance_sample(context, slot, begin_ticks);
}

void refrain_probe(struct refrain_unit *unit, unsigned int slot, const void *place, unsigned long extra) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    if (unit->slots)
        probe(context, (struct refrain_slot *)unit->slots + (size_t)context->number * unit->n_slots + slot,
              (uintptr_t)place, extra);
    refrain_end(context);
}

static void make_tables(void *unused) {
    (void)unused;
    refrain_units_make_site_tables();
}

static void settle(void *unused) {
    (void)unused;
    refrain_units_settle();
}

static __attribute__((noinline)) void settle_code(struct refrain_context *context) {
    context->allowance.probes = REFRAIN_ALLOWANCE_PROBES;
    refrain_keep_vectors(settle, NULL);
}

/* The slot of a site that is in no table, once there is one; rare. */
static __attribute__((noinline)) struct refrain_slot *new_site(const struct refrain_context *context,
                                                               uintptr_t address) {
    bool known;
    refrain_keep_vectors(make_tables, NULL);
    return refrain_site_slot(address, context->number, &known);
}

/* What a site in code comes to (registers.S). */
REFRAIN_HIDDEN void refrain_site_run(uintptr_t address, uintptr_t place, uintptr_t frame, uint64_t count);
void refrain_site_run(uintptr_t address, uintptr_t place, uintptr_t frame, uint64_t count) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    bool known;
    struct refrain_slot *slot = refrain_site_slot(address, context->number, &known);
    if (__builtin_expect(!known, 0))
        slot = new_site(context, address);
    if (__builtin_expect(slot != NULL, 1)) {
        unsigned arrival = REFRAIN_SLOT_KIND(slot->flags);
        bool with_frame = arrival == REFRAIN_ARRIVAL_ENTER || arrival == REFRAIN_ARRIVAL_LEAVE;
        if (__builtin_expect(!(slot->flags & REFRAIN_SLOT_OFF), 1))
            probe(context, slot, place, with_frame ? frame : count);
        else if (refrain_allowance_takes(context))
            settle_code(context);
    }
    refrain_end(context);
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
        record->number = __atomic_fetch_add(&refrain_region.header->n_regions, 1, __ATOMIC_RELAXED);
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
        /* The region stays open after this function returns: it counts as the caller's own frame. */
        enter(context, &record->inside, NULL, context->top->address, REFRAIN_ENTRY_REGION, record->number,
              REFRAIN_NEXT_REGION + record->number);
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
