/* user.c: what a program tells by hand (refrain/refrain.h). */
#define _GNU_SOURCE
#include "call_path.h"
#include "step.h"
#pragma GCC visibility push(default)
#include <refrain/refrain.h>
#pragma GCC visibility pop

#include <string.h>

void refrain_region_add(struct refrain_region_name *record) {
    uint64_t head = __atomic_load_n(&refrain_region.header->regions, __ATOMIC_RELAXED);
    record->number = __atomic_fetch_add(&refrain_region.header->n_regions, 1, __ATOMIC_RELAXED);
    do
        record->next = (uint32_t)head;
    while (!__atomic_compare_exchange_n(&refrain_region.header->regions, &head, refrain_reference(record), false,
                                        __ATOMIC_RELEASE, __ATOMIC_RELAXED));
}

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
        if (record->use == REFRAIN_USE_REGION && record->thread == context->number && strcmp(text->text, name) == 0)
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
        refrain_region_add(record);
    }
    cache->name = name;
    cache->record = record;
    return record;
}

/* The program tells something: where its path is told, that comes first. Returns the address of what stays open when
 * the program's call has returned: in the frame that made it. */
static uintptr_t come(struct refrain_context *context, void *return_address, void *frame_address) {
    if (context->path)
        return refrain_path_come(context, refrain_caller_of_wrapper(return_address, frame_address),
                                 (uintptr_t)frame_address, NULL);
    refrain_drop_abandoned(context, (uintptr_t)frame_address);
    return context->top->address;
}

void refrain_region_begin(const char *name) {
    struct refrain_context *context = refrain_begin();
    if (!context)
        return;
    uintptr_t address = come(context, __builtin_return_address(0), __builtin_frame_address(0));
    struct refrain_region_name *record = region_name(context, name);
    if (record) {
        refrain_enter(context, &record->inside, NULL, address, REFRAIN_ENTRY_REGION, record->number,
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
        refrain_leave(context);
    else
        refrain_lose(REFRAIN_LOSS_REGIONS, 1);
    refrain_end(context);
}
