/* outside.c: memory beside the trace file that all threads share (outside.h). */
#include "outside.h"
#include "context.h"

#define PAGE_BYTES 4096u

static uint64_t left_bytes;

uint32_t refrain_outside_open(uint64_t total, uint32_t threads) {
    uint32_t entries = REFRAIN_ADDRESS_TABLE_ENTRIES;
    left_bytes = refrain_settings_outside_bytes(total, threads) - REFRAIN_OUTSIDE_FIXED_BYTES -
                 refrain_settings_end_bytes(total) - (uint64_t)threads * REFRAIN_OUTSIDE_STACK_BYTES;
    while (entries > 1 && (uint64_t)entries * REFRAIN_ADDRESS_ENTRY_BYTES > left_bytes / threads / 2)
        entries /= 2;
    return entries;
}

static bool take(uint64_t bytes) {
    uint64_t left = __atomic_load_n(&left_bytes, __ATOMIC_RELAXED);
    do {
        if (left < bytes)
            return false;
    } while (!__atomic_compare_exchange_n(&left_bytes, &left, left - bytes, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return true;
}

bool refrain_outside_grow_stack(struct refrain_context *context) {
    size_t left = (size_t)(context->stack + REFRAIN_SHADOW_STACK_ENTRIES - context->stack_end);
    size_t more = left < REFRAIN_OUTSIDE_FIRST_ENTRIES ? left : REFRAIN_OUTSIDE_FIRST_ENTRIES;
    if (more == 0 || !take(more * sizeof(struct refrain_entry)))
        return false;
    context->stack_end += more;
    return true;
}

bool refrain_outside_touch_addresses(struct refrain_context *context, const void *at, size_t bytes) {
    uintptr_t base = (uintptr_t)context->addresses / PAGE_BYTES, first = (uintptr_t)at / PAGE_BYTES - base;
    uintptr_t last = ((uintptr_t)at + bytes - 1) / PAGE_BYTES - base;
    for (uintptr_t page = first; page <= last; page++) {
        if (context->address_pages >> page & 1)
            continue;
        if (!take(PAGE_BYTES))
            return false;
        context->address_pages |= 1u << page;
    }
    return true;
}
