/* address_entry.h: a thread's hash table of code addresses: MPI call sites (call.c) and frames of call paths
 * (call_path.c). */
#ifndef REFRAIN_ADDRESS_ENTRY_H
#define REFRAIN_ADDRESS_ENTRY_H

#include "context.h"
#include "outside.h"
#include <stddef.h>
#include <stdint.h>

struct refrain_address_entry {
    uint64_t key;       /* 0: free entry */
    uint64_t special;   /* of a call site: 0 for the program's own code, REFRAIN_ENTRY_*, or the rule that leads to the
                           caller (caller.h). Of a   frame: the rule that leads to the frame above */
    uint32_t reference; /* of the call site or overflow site; or of a region: the first one of the frame's function, or
                           the one for the calls of a path; 0 none yet */
    uint32_t function;  /* MPI function of a call site, or one of the following kinds of entries */
};
#define REFRAIN_ENTRY_OF_OTHER 1u /* its calls are recorded at another call site */
#define REFRAIN_ENTRY_OF_OVERFLOW_SITE 4u
#define REFRAIN_ENTRY_OF_FRAME UINT32_MAX
#define REFRAIN_ENTRY_OF_CODE (UINT32_MAX - 1) /* a code object of Python; the region as for a frame */
#define REFRAIN_ENTRY_OF_PATH                                                                                          \
    ((uint32_t)1 << 30)                           /* + number of a function's first region: its calls from one place   \
                                                   */
#define REFRAIN_ENTRY_OF_LINE ((uint32_t)1 << 31) /* + MPI function: called from a line of Python */
_Static_assert(sizeof(struct refrain_address_entry) == REFRAIN_ADDRESS_ENTRY_BYTES, "settings.h counts the table");

/* Finds the entry with this key and function, or a free entry for it, and charges the entry's page. Null if the table
 * is full. */
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
