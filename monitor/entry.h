/* entry.h: fills entries of the shadow stack. */
#ifndef REFRAIN_ENTRY_H
#define REFRAIN_ENTRY_H

#include "context.h"
#include <refrain/trace.h>
#include <stddef.h>
#include <stdint.h>

/* The address where the frames of a function's callers begin. `frame_address`: the function's REFRAIN_FRAME_ADDRESS. */
static inline uintptr_t refrain_caller_frames(const void *frame_address) {
    return (uintptr_t)((const uintptr_t *)frame_address + 2);
}

/* Fills an entry of the shadow stack for an activation that begins at `slot`. */
static inline void refrain_open_entry(struct refrain_entry *entry, struct refrain_slot *slot, uintptr_t address,
                                      uint32_t kind, uint64_t id) {
    entry->last = slot;
    entry->address = address;
    entry->kind = kind;
    entry->id = id;
    entry->frame = 0;
    entry->total_ticks = NULL;
}

#endif
