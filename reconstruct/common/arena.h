/* arena.h: the memory of a replay, which can be copied and restored from the copy (cursor.c -> all of the replay).
 *
 *     chunk 0 [block][block]...   chunk 1 [block]...   chunk 2 ...      chunks never move and are freed with the arena
 *                                                ^ next block; freed blocks are listed by their size
 *
 * All memory of walks, sequences, translation and matching is in one arena. A copy of its bytes is then a copy of
 * their state: a restore puts the bytes back where they were, so pointers between them stay valid. Therefore replay
 * code allocates with the functions below only. It keeps pointers only to memory in the arena, or to memory that
 * lives as long as the trace.
 *
 * Outside of refrain_arena_use(), the functions are those of malloc: a walk may be used without a cursor, and a
 * cursor without saved states has no arena. Threads: the arena in use is that of the calling thread. */
#ifndef REFRAIN_ARENA_H
#define REFRAIN_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Returns zeroed memory, null without memory. Freed by refrain_free(), or with its arena. */
void *refrain_calloc(size_t n, size_t bytes);

/* As realloc: additional bytes are not set. */
void *refrain_realloc(void *memory, size_t bytes);
void refrain_free(void *memory);

struct refrain_arena;

/* Null without memory. Closing an arena frees all memory in it. */
struct refrain_arena *refrain_arena_open(void);
void refrain_arena_close(struct refrain_arena *arena);

/* The same with chunks from `get`, which returns zeroed memory of at least `*bytes` bytes and sets their number; null
 * without memory. Such an arena is never closed. */
struct refrain_arena *refrain_arena_open_from(void *(*get)(size_t *bytes));

/* Makes this thread allocate from the arena from now on (null: from malloc). Returns the arena used before. */
struct refrain_arena *refrain_arena_use(struct refrain_arena *arena);

/* Access for code that stores an arena elsewhere: its chunks in use (of size `bytes`, of which the first `used` are
 * allocated), and the lists of freed blocks. Blocks contain the address of their arena. */
size_t refrain_arena_chunks(const struct refrain_arena *arena);
void *refrain_arena_chunk(const struct refrain_arena *arena, size_t i, size_t *bytes, size_t *used);
void *refrain_arena_lists(struct refrain_arena *arena, size_t *bytes);

/* Adds a zeroed chunk; null without memory. The caller then sets the lists. */
void *refrain_arena_add(struct refrain_arena *arena, size_t bytes, size_t used);

/* The state of an arena at some time. */
struct refrain_arena_copy;

/* Copies the arena; null without memory. With `base`, an earlier copy of the same arena, the copy has only the
 * differences, and `base` lives as long as it. `base` must not have a base itself. If `base` is null, the copy has
 * all bytes that are not 0. */
struct refrain_arena_copy *refrain_arena_copy(const struct refrain_arena *arena, struct refrain_arena_copy *base);

/* Size of a copy, without its base. */
size_t refrain_arena_copy_bytes(const struct refrain_arena_copy *copy);

/* The base of a copy, null if it has none. */
const struct refrain_arena_copy *refrain_arena_copy_base(const struct refrain_arena_copy *copy);

/* Makes a copy of the bytes of another one, which lie where it points, and of a copy of its base. They are from
 * malloc(), and freed with the copy. It is valid only for an arena whose chunks have the same addresses. It has no
 * owner yet: the caller adds one. */
struct refrain_arena_copy *refrain_arena_copy_of(void *bytes, struct refrain_arena_copy *base);

/* Adds an owner of the copy, who must free it, too. Returns the copy. Null is allowed. */
struct refrain_arena_copy *refrain_arena_copy_hold(struct refrain_arena_copy *copy);

/* Removes an owner. The copy is freed with its last owner, and so is its base. Returns how many bytes were freed.
 * Null is allowed. */
size_t refrain_arena_copy_free(struct refrain_arena_copy *copy);

/* Sets the arena back to the state of the copy. */
void refrain_arena_restore(struct refrain_arena *arena, const struct refrain_arena_copy *copy);

#endif
