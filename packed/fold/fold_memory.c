/* fold_memory.c: allocates and frees memory within a limit (fold_memory.h). */
#include "fold_memory.h"

#include <stdlib.h>
#include <string.h>

/* Header before the returned memory. */
struct block {
    size_t bytes;
    max_align_t given[];
};

static struct block *block_of(void *p) {
    return (struct block *)((unsigned char *)p - offsetof(struct block, given));
}

void *refrain_fold_allocate(struct refrain_fold_memory *memory, size_t bytes) {
    struct block *block = bytes <= memory->most - memory->used ? calloc(1, sizeof *block + bytes) : NULL;
    if (!block) {
        memory->spent = true;
        return NULL;
    }
    block->bytes = bytes;
    memory->used += bytes;
    return block->given;
}

void *refrain_fold_grow(struct refrain_fold_memory *memory, void *p, size_t bytes) {
    void *more = refrain_fold_allocate(memory, bytes);
    if (more && p) {
        size_t before = block_of(p)->bytes;
        memcpy(more, p, before < bytes ? before : bytes);
        refrain_fold_free(memory, p);
    }
    return more;
}

void refrain_fold_free(struct refrain_fold_memory *memory, void *p) {
    if (!p)
        return;
    memory->used -= block_of(p)->bytes;
    free(block_of(p));
}
