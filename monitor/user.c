/* user.c: the functions of refrain/refrain.h, which a program calls itself. */
#define _GNU_SOURCE
#include "user.h"
#include "activation.h"
#include "arch/arch.h"
#include "begin.h"
#include "call_path.h"
#include "context.h"
#include "events.h"
#include "run/pool.h"
#include "run/region_list.h"
#include <refrain/trace.h>
#define REFRAIN_BUILDING
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop

#include <string.h>

struct refrain_region_name *refrain_user_record(struct refrain_context *context, const char *name,
                                                enum refrain_region_use use) {
    struct refrain_region_cache *cache = &context->regions[((uintptr_t)name >> 3) % REFRAIN_REGION_CACHE];
    if (cache->name == name && cache->record->use == use)
        return cache->record;
    struct refrain_region_name *record = NULL;
    uint32_t reference = (uint32_t)refrain_trace_file.header->regions, text = 0;
    for (; reference; reference = record->next) {
        record = refrain_at_reference(reference);
        const struct refrain_name *known = refrain_at_reference(record->name);
        if (record->use == REFRAIN_USE_FUNCTION || record->object || strcmp(known->text, name) != 0)
            continue;
        if (record->use == use && record->thread == context->number)
            break;
        text = record->name;
    }
    if (!reference) {
        text = text ? text : refrain_pool_name(name);
        record = text ? refrain_pool_take(sizeof *record, REFRAIN_POOL_FIRST_MET) : NULL;
        if (!record)
            return NULL;
        record->name = text;
        record->thread = context->number;
        record->use = use;
        record->inside.number = UINT32_MAX;
        refrain_region_add(record);
    }
    cache->name = name;
    cache->record = record;
    return record;
}

/* Begins a call of one of these functions: records the call path first, if call paths are recorded. Returns an address
 * in the frame of the caller. What is open there stays open when the call returns. */
static uintptr_t come(struct refrain_context *context, void *return_address, void *frame_address) {
    if (context->path)
        return refrain_path_come(context, refrain_caller_of_wrapper(return_address, frame_address),
                                 refrain_caller_frames(frame_address), NULL);
    refrain_drop_above_caller(context, frame_address);
    return context->top->address;
}

/* ---- regions and phases ---- */

static bool open_region(struct refrain_context *context, const char *name, enum refrain_region_use use,
                        uintptr_t address) {
    struct refrain_region_name *record = refrain_user_record(context, name, use);
    if (!record) {
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
        return false;
    }
    struct refrain_entry *entry = refrain_enter_region(context, record, address, REFRAIN_ENTRY_REGION);
    if (entry)
        entry->total_ticks = &record->total_ticks;
    return entry != NULL;
}

void refrain_region_begin(const char *name) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    uintptr_t address = come(context, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    open_region(context, name, REFRAIN_USE_REGION, address);
    refrain_end(context);
}

/* A phase is found by its record's total, which only regions of the program have, since `last` moves with the calls in
 * it. */
static bool is_in_phase(const struct refrain_context *context) {
    const struct refrain_entry *top = context->top;
    if (top->kind != REFRAIN_ENTRY_REGION || !top->total_ticks)
        return false;
    const struct refrain_region_name *record =
        (const void *)((char *)top->total_ticks - offsetof(struct refrain_region_name, total_ticks));
    return record->use == REFRAIN_USE_PHASE;
}

void refrain_region_end(void) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    refrain_drop_above_caller(context, REFRAIN_FRAME_ADDRESS);
    while (is_in_phase(context)) /* it ends with its phase */
        refrain_leave(context);
    if (context->top->kind == REFRAIN_ENTRY_REGION)
        refrain_leave(context);
    else
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
    refrain_end(context);
}

/* Ends the open phase, and begins another one. */
static void next_phase(struct refrain_context *context, const char *name, void *return_address, void *frame_address) {
    refrain_drop_above_caller(context, frame_address);
    if (is_in_phase(context))
        refrain_leave(context);
    if (name)
        open_region(context, name, REFRAIN_USE_PHASE, come(context, return_address, frame_address));
}

void refrain_phase(const char *name) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    next_phase(context, name, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    refrain_end(context);
}

/* ---- markers and counters ---- */

void refrain_user_record_value(struct refrain_context *context, struct refrain_region_name *record, int64_t value,
                               bool ends_block) {
    struct refrain_slot *last = context->top->last;
    refrain_step(context, context->top, REFRAIN_NEXT_VALUE + record->number);
    if (context->learning)
        refrain_learn(context, &record->inside.next, value, REFRAIN_KIND_VALUES);
    record->inside.count++;
    uint64_t now = ends_block ? refrain_close_block(context, last) : context->thread->last_ticks;
    if (context->events)
        refrain_events_write(context, REFRAIN_RECORD_VALUE, now, record->number, 0, &value, 1);
}

static void record_value(struct refrain_context *context, const char *name, enum refrain_region_use use,
                         int64_t value) {
    struct refrain_region_name *record = refrain_user_record(context, name, use);
    if (!record) {
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
        return;
    }
    refrain_user_record_value(context, record, value, true);
}

void refrain_iteration(const char *name, int64_t number) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    next_phase(context, name, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    record_value(context, name, REFRAIN_USE_COUNTER, number);
    refrain_end(context);
}

void refrain_marker(const char *name) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    come(context, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    record_value(context, name, REFRAIN_USE_MARKER, 0);
    refrain_end(context);
}

void refrain_counter(const char *name, int64_t value) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    come(context, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
    record_value(context, name, REFRAIN_USE_COUNTER, value);
    refrain_end(context);
}
