/* fold_memory.h: memory with a limit, so that packing at the end of a traced program uses no more than that. One
 * thread. */
#ifndef REFRAIN_FOLD_MEMORY_H
#define REFRAIN_FOLD_MEMORY_H

#include "packed_stream.h"

struct refrain_fold_memory {
    size_t used, most; /* bytes */
    bool spent;        /* an allocation has failed */
};

/* Allocates zeroed memory. Null without memory, when `spent` is set. */
REFRAIN_PACKED_API void *refrain_fold_take(struct refrain_fold_memory *memory, size_t bytes);

/* Grows the memory at `p` (may be null), as realloc. After a failure, `p` is still valid. */
REFRAIN_PACKED_API void *refrain_fold_more(struct refrain_fold_memory *memory, void *p, size_t bytes);

/* Frees memory from the two functions above; null is allowed. */
REFRAIN_PACKED_API void refrain_fold_give(struct refrain_fold_memory *memory, void *p);

#endif
