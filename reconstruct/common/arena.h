/* arena.h: the memory of a replay, which can be copied, and restored from the copy (cursor.c -> all of replay/).
 *
 *     chunk 0 [block][block]...   chunk 1 [block]...   chunk 2 ...      chunks never move and are freed with the arena
 *                                                ^ next block; blocks given back are listed by their size
 *
 * All that walks, sequences, translations and matching hold lies in one arena, so that a copy of its bytes is a copy of
 * their state: pointers between them stay right, since the bytes go back to where they were. So the code of a replay
 * allocates with the functions below only. It keeps pointers only to what is in the arena or lives as long as the
 * trace.
 *
 * Outside of refrain_arena_use() they are malloc and its like: a walk may be used without a cursor, and a cursor
 * without checkpoints has no arena. Threads: the arena in use is the calling thread's. */
#ifndef REFRAIN_ARENA_H
#define REFRAIN_ARENA_H

#include <stdbool.h>
#include <stddef.h>

/* Zeroed memory; null without. Freed by refrain_free, or with its arena. */
void *refrain_calloc(size_t n, size_t bytes);

/* As realloc: further bytes are not set. */
void *refrain_realloc(void *memory, size_t bytes);
void refrain_free(void *memory);

struct refrain_arena;

/* Null without memory. Closing it frees all that is in it. */
struct refrain_arena *refrain_arena_open(void);
void refrain_arena_close(struct refrain_arena *arena);

/* What this thread allocates comes from the arena from now on (null: from malloc). Returns what was used before. */
struct refrain_arena *refrain_arena_use(struct refrain_arena *arena);

/* An arena as it lies in memory, for who keeps it elsewhere: its chunks in use (`bytes` large, of which the first
 * `used` are taken), and the lists of what was given back. Blocks hold the address of their arena. */
size_t refrain_arena_chunks(const struct refrain_arena *arena);
void *refrain_arena_chunk(const struct refrain_arena *arena, size_t i, size_t *bytes, size_t *used);
void *refrain_arena_lists(struct refrain_arena *arena, size_t *bytes);

/* The next chunk, zeroed; null without memory. The caller then fills in the lists. */
void *refrain_arena_add(struct refrain_arena *arena, size_t bytes, size_t used);

/* All that was in an arena at a time. */
struct refrain_arena_copy;

/* A copy; null without memory. With `base`, an earlier copy of the same arena, the copy keeps only what differs from
 * it, and `base` lives as long as such copies. `base` itself has no base. Null: the copy keeps all that is not 0. */
struct refrain_arena_copy *refrain_arena_copy(const struct refrain_arena *arena, struct refrain_arena_copy *base);

/* Bytes that a copy takes, without its base's. */
size_t refrain_arena_copy_bytes(const struct refrain_arena_copy *copy);

/* Bytes that a copy of the arena would take that has no base: what is 0 takes next to nothing. */
size_t refrain_arena_bytes(const struct refrain_arena *arena);

/* Counts one more owner of the copy, who will free it, too. Returns the copy. Null is allowed. */
struct refrain_arena_copy *refrain_arena_copy_hold(struct refrain_arena_copy *copy);

/* The caller gives the copy up; it is freed once it has no other owner, and so is its base. Returns how many bytes were
 * freed. Null is allowed. */
size_t refrain_arena_copy_free(struct refrain_arena_copy *copy);

/* Puts the arena back to where it was when `copy` was made. */
void refrain_arena_restore(struct refrain_arena *arena, const struct refrain_arena_copy *copy);

#endif
