/* arena.c: allocates blocks in chunks of an arena, and copies the arena (arena.h). */
#include "common/arena.h"
#include "common/difference.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define CHUNK_BYTES ((size_t)64 << 10)
#define CLASSES 128u      /* of block sizes: four classes per doubling */
#define MOST_CHUNKS 4096u /* each chunk is larger than all before it by a fraction, so this many exceed any memory */

struct block {
    size_t bytes; /* bytes after this header */
    struct refrain_arena *arena;
};
#define HEADER_BYTES ((sizeof(struct block) + 15) & ~(size_t)15)

struct chunk {
    unsigned char *memory;
    size_t bytes, used;
};

/* The part of an arena that is copied besides the memory of its chunks. */
struct state {
    struct block *given_back[CLASSES]; /* freed blocks by size class, linked through the first word of their memory */
    size_t n_used;                     /* chunks in use */
};

struct refrain_arena {
    struct state state;
    struct chunk chunks[MOST_CHUNKS];
    size_t n;
    void *(*get)(size_t *bytes); /* memory of chunks */
};

static _Thread_local struct refrain_arena *in_use;

/* ---- sizes ---- */

/* The smallest size class for `bytes`, which becomes the size of this class. */
static unsigned class_of(size_t *bytes) {
    size_t rest = *bytes < 64 ? 64 : *bytes;
    unsigned shift = 0;
    while (rest >> shift > 7)
        shift++;
    size_t quarters = (rest + ((size_t)1 << shift) - 1) >> shift; /* 4 to 8 */
    *bytes = quarters << shift;
    return shift * 4 + (unsigned)quarters - 4;
}

/* ---- allocation ---- */

static void *memory_of(struct block *block) {
    return (unsigned char *)block + HEADER_BYTES;
}

static struct block *block_of(void *memory) {
    return (struct block *)((unsigned char *)memory - HEADER_BYTES);
}

/* Zeroed, so that bytes that are never written are equal in every replay. */
static void *get_zeros(size_t *bytes) {
    return calloc(1, *bytes);
}

void *refrain_arena_add(struct refrain_arena *arena, size_t bytes, size_t used) {
    unsigned char *memory = arena->n < MOST_CHUNKS && bytes <= SIZE_MAX / 4 ? arena->get(&bytes) : NULL;
    if (memory)
        arena->chunks[arena->n++] = (struct chunk){memory, bytes, used};
    return memory;
}

/* A chunk with room for `bytes` bytes; null without memory. */
static struct chunk *chunk_with_room(struct refrain_arena *arena, size_t bytes) {
    size_t *n_used = &arena->state.n_used;
    if (*n_used > 0) {
        struct chunk *last = &arena->chunks[*n_used - 1];
        if (last->bytes - last->used >= bytes)
            return last;
    }
    for (; *n_used < arena->n; ++*n_used) { /* chunks left empty by a restore */
        struct chunk *chunk = &arena->chunks[*n_used];
        chunk->used = 0;
        if (chunk->bytes >= bytes)
            return ++*n_used, chunk;
    }
    size_t room = CHUNK_BYTES;
    for (size_t i = 0; i < arena->n; i++)
        room += arena->chunks[i].bytes / 8;
    if (room < bytes)
        room = bytes;
    if (!refrain_arena_add(arena, room, 0))
        return NULL;
    *n_used = arena->n;
    return &arena->chunks[arena->n - 1];
}

static void *allocate(size_t bytes) {
    struct refrain_arena *arena = in_use;
    if (bytes > SIZE_MAX / 4)
        return NULL;
    if (!arena) {
        struct block *block = malloc(HEADER_BYTES + bytes);
        if (!block)
            return NULL;
        *block = (struct block){bytes, NULL};
        return memory_of(block);
    }
    unsigned class = class_of(&bytes);
    struct block *block = arena->state.given_back[class];
    if (block) {
        memcpy(&arena->state.given_back[class], memory_of(block), sizeof block);
        return memory_of(block);
    }
    size_t whole = HEADER_BYTES + ((bytes + 15) & ~(size_t)15);
    struct chunk *chunk = chunk_with_room(arena, whole);
    if (!chunk)
        return NULL;
    block = (struct block *)(chunk->memory + chunk->used);
    chunk->used += whole;
    *block = (struct block){bytes, arena};
    return memory_of(block);
}

void *refrain_calloc(size_t n, size_t bytes) {
    if (bytes && n > SIZE_MAX / 4 / bytes)
        return NULL;
    void *memory = allocate(n * bytes);
    return memory ? memset(memory, 0, n * bytes) : NULL;
}

void *refrain_realloc(void *memory, size_t bytes) {
    if (memory && block_of(memory)->bytes >= bytes && block_of(memory)->arena)
        return memory;
    void *larger = allocate(bytes);
    if (larger && memory) {
        memcpy(larger, memory, block_of(memory)->bytes < bytes ? block_of(memory)->bytes : bytes);
        refrain_free(memory);
    }
    return larger;
}

void refrain_free(void *memory) {
    if (!memory)
        return;
    struct block *block = block_of(memory);
    if (!block->arena) {
        free(block);
        return;
    }
    size_t bytes = block->bytes;
    struct block **list = &block->arena->state.given_back[class_of(&bytes)];
    memset(memory, 0, block->bytes); /* equal states of an arena then have equal bytes */
    memcpy(memory, list, sizeof *list);
    *list = block;
}

/* ---- the arena ---- */

struct refrain_arena *refrain_arena_open_from(void *(*get)(size_t *bytes)) {
    struct refrain_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->get = get;
    return arena;
}

struct refrain_arena *refrain_arena_open(void) {
    return refrain_arena_open_from(get_zeros);
}

void refrain_arena_close(struct refrain_arena *arena) {
    for (size_t i = 0; arena && i < arena->n; i++)
        free(arena->chunks[i].memory);
    free(arena);
}

size_t refrain_arena_chunks(const struct refrain_arena *arena) {
    return arena->state.n_used;
}

void *refrain_arena_chunk(const struct refrain_arena *arena, size_t i, size_t *bytes, size_t *used) {
    *bytes = arena->chunks[i].bytes;
    *used = arena->chunks[i].used;
    return arena->chunks[i].memory;
}

void *refrain_arena_lists(struct refrain_arena *arena, size_t *bytes) {
    *bytes = sizeof arena->state;
    return &arena->state;
}

struct refrain_arena *refrain_arena_use(struct refrain_arena *arena) {
    struct refrain_arena *before = in_use;
    in_use = arena;
    return before;
}

/* ---- copies ---- */

/* The bytes: for each chunk in use, its size and its difference from the base, or from zeros. So a base needs little
 * memory if little is in use, however much was used before. */
struct refrain_arena_copy {
    struct state state;
    struct refrain_arena_copy *base; /* null: difference from zeros */
    size_t users;                    /* the owner, and the copies that have it as their base */
    size_t n_bytes;
    unsigned char bytes[];
};

static size_t get_size(const unsigned char *at) {
    size_t size;
    memcpy(&size, at, sizeof size);
    return size;
}

/* Restores the chunk at position `*at` of a base to `memory`, which must have room for it, and moves to the next
 * chunk. Returns its size, 0 after the last chunk. */
static size_t chunk_of_base(const struct refrain_arena_copy *base, size_t *at, unsigned char *memory) {
    if (!base || *at >= base->n_bytes)
        return 0;
    size_t used = get_size(base->bytes + *at);
    *at += sizeof used;
    *at += refrain_difference_apply(memory, used, NULL, 0, base->bytes + *at);
    return used;
}

/* Writes a copy to `bytes`, unless that is null. Returns its size. `memory`: room for the largest chunk, if there is
 * a base. */
static size_t write_copy(const struct refrain_arena *arena, const struct refrain_arena_copy *base,
                         unsigned char *memory, unsigned char *bytes) {
    size_t n = 0, base_at = 0;
    for (size_t i = 0; i < arena->state.n_used; i++) {
        const struct chunk *chunk = &arena->chunks[i];
        size_t base_used = chunk_of_base(base, &base_at, memory);
        if (bytes)
            memcpy(bytes + n, &chunk->used, sizeof chunk->used);
        n += sizeof chunk->used;
        n += refrain_difference(chunk->memory, chunk->used, memory, base_used, bytes ? bytes + n : NULL);
    }
    return n;
}

static size_t largest_chunk(const struct refrain_arena *arena) {
    size_t largest = 0;
    for (size_t i = 0; i < arena->n; i++)
        if (largest < arena->chunks[i].bytes)
            largest = arena->chunks[i].bytes;
    return largest;
}

struct refrain_arena_copy *refrain_arena_copy(const struct refrain_arena *arena, struct refrain_arena_copy *base) {
    unsigned char *memory = base ? malloc(largest_chunk(arena)) : NULL;
    if (base && !memory)
        return NULL;
    size_t n_bytes = write_copy(arena, base, memory, NULL);
    struct refrain_arena_copy *copy = malloc(sizeof *copy + n_bytes);
    if (copy) {
        *copy = (struct refrain_arena_copy){.state = arena->state, .base = base, .users = 1, .n_bytes = n_bytes};
        write_copy(arena, base, memory, copy->bytes);
        refrain_arena_copy_hold(base);
    }
    free(memory);
    return copy;
}

struct refrain_arena_copy *refrain_arena_copy_hold(struct refrain_arena_copy *copy) {
    if (copy)
        copy->users++;
    return copy;
}

size_t refrain_arena_copy_bytes(const struct refrain_arena_copy *copy) {
    return sizeof *copy + copy->n_bytes;
}

const struct refrain_arena_copy *refrain_arena_copy_base(const struct refrain_arena_copy *copy) {
    return copy->base;
}

struct refrain_arena_copy *refrain_arena_copy_of(void *bytes, struct refrain_arena_copy *base) {
    struct refrain_arena_copy *copy = bytes;
    copy->base = refrain_arena_copy_hold(base);
    copy->users = 0;
    return copy;
}

size_t refrain_arena_copy_free(struct refrain_arena_copy *copy) {
    size_t freed = 0;
    while (copy && --copy->users == 0) {
        struct refrain_arena_copy *base = copy->base;
        freed += refrain_arena_copy_bytes(copy);
        free(copy);
        copy = base;
    }
    return freed;
}

void refrain_arena_restore(struct refrain_arena *arena, const struct refrain_arena_copy *copy) {
    const unsigned char *at = copy->bytes;
    size_t base_at = 0;
    arena->state = copy->state;
    for (size_t i = 0; i < arena->state.n_used; i++) {
        struct chunk *chunk = &arena->chunks[i];
        size_t base_used = chunk_of_base(copy->base, &base_at, chunk->memory);
        chunk->used = get_size(at);
        at += sizeof chunk->used;
        at += refrain_difference_apply(chunk->memory, chunk->used, chunk->memory, base_used, at);
    }
}
