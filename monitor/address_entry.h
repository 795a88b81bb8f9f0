/* address_entry.h: a thread's table of code addresses: MPI call sites (call.c) and frames of call paths (call_path.c).
 */
#ifndef REFRAIN_ADDRESS_ENTRY_H
#define REFRAIN_ADDRESS_ENTRY_H

#include "context.h"
#include "outside.h"
#include <stddef.h>
#include <stdint.h>

struct refrain_address_entry {
    uint64_t key;       /* 0: free */
    uint64_t special;   /* call site: 0 own, or REFRAIN_ENTRY_*; else none, but the way to the caller (caller.h). Frame:
                           the way to the frame above */
    uint32_t reference; /* of the call site or guest, or of a region: the first one of the frame's function, or that of
                           the calls of a path; 0 none yet */
    uint32_t function;  /* of MPI, or what else the entry is: */
};
#define REFRAIN_ENTRY_OF_OTHER 1u /* it is another one's */
#define REFRAIN_ENTRY_OF_GUEST 4u
#define REFRAIN_ENTRY_OF_FRAME UINT32_MAX
#define REFRAIN_ENTRY_OF_CODE (UINT32_MAX - 1)    /* of Python; its region as for a frame */
#define REFRAIN_ENTRY_OF_PATH ((uint32_t)1 << 30) /* + number of a function's first region: its calls from a place */
#define REFRAIN_ENTRY_OF_LINE ((uint32_t)1 << 31) /* + function of MPI: called from a line of Python */
_Static_assert(sizeof(struct refrain_address_entry) == REFRAIN_ADDRESS_ENTRY_BYTES, "settings.h counts the table");

/* The entry with this key and function, or a free one for it, whose page is charged; null when the table is full. */
static inline struct refrain_address_entry *refrain_address_entry(struct refrain_context *context, uint64_t key,
                                                                  uint32_t function) {
    uint64_t hash = (key ^ (uint64_t)function << 40) * 0x9e3779b97f4a7c15u >> 32;
    for (unsigned i = 0; i <= context->address_mask; i++) {
        struct refrain_address_entry *entry = &context->addresses[(hash + i) & context->address_mask];
        if (__builtin_expect(entry->key == key && entry->function == function, 1))
            return entry;
        if (entry->key == 0)
            return refrain_outside_touch_addresses(context, entry, sizeof *entry) ? entry : NULL;
    }
    return NULL;
}

#endif
