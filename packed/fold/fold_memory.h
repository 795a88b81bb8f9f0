/* fold_memory.h: memory with a bound: packing at the end of a traced program takes no more than that. One thread. */
#ifndef REFRAIN_FOLD_MEMORY_H
#define REFRAIN_FOLD_MEMORY_H

#include "packed_stream.h"

struct refrain_fold_memory {
    size_t used, most; /* bytes */
    bool spent;        /* something was asked for that was not there */
};

/* Zeroed memory; null, and `spent`, where there is none. */
REFRAIN_PACKED_API void *refrain_fold_take(struct refrain_fold_memory *memory, size_t bytes);

/* As many bytes with what was at `p` (which may be null) at their beginning; `p` stays where that fails. */
REFRAIN_PACKED_API void *refrain_fold_more(struct refrain_fold_memory *memory, void *p, size_t bytes);

/* Gives back what one of the two gave; null is none. */
REFRAIN_PACKED_API void refrain_fold_give(struct refrain_fold_memory *memory, void *p);

#endif
