/* fold_memory.h: allocates memory up to a limit, since packing runs in the traced process, at its end. For use by
 * one thread. */
#ifndef REFRAIN_FOLD_MEMORY_H
#define REFRAIN_FOLD_MEMORY_H

#include "packed_stream.h"

struct refrain_fold_memory {
    size_t used, most; /* bytes; the caller sets `most`, the limit */
    bool spent;        /* an allocation has failed: over the limit, or the system had no memory */
};

/* Allocates zeroed memory. Null, and `spent` set, if this exceeds the limit or the system has no memory. */
REFRAIN_PACKED_API void *refrain_fold_allocate(struct refrain_fold_memory *memory, size_t bytes);

/* Moves the memory at `p` (may be null) to a block of `bytes` bytes, and zeroes what is new. Both blocks count while it
 * copies. After a failure, `p` is still valid. */
REFRAIN_PACKED_API void *refrain_fold_grow(struct refrain_fold_memory *memory, void *p, size_t bytes);

/* Frees memory from the two functions above; null is allowed. */
REFRAIN_PACKED_API void refrain_fold_free(struct refrain_fold_memory *memory, void *p);

#endif
