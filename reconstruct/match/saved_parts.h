/* saved_parts.h: the parts of memory that a replay's addresses lead to (saved_states.c).
 *
 *     parts  [trace] [processes] [image 0] .. [tables] .. [code] .. [arena] [chunk 0] [chunk 1] ..     numbered so
 *     address of a part's byte, or of the one behind it <--> number of the part, offset
 *
 * The parts of two replays of one trace have the same numbers. */
#ifndef REFRAIN_SAVED_PARTS_H
#define REFRAIN_SAVED_PARTS_H

#include "common/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_trace;

struct refrain_saved_part {
    uintptr_t begin;
    size_t bytes;
    uint32_t number;
};

struct refrain_saved_parts {
    struct refrain_saved_part *parts;  /* by number ... */
    struct refrain_saved_part *sorted; /* ... and by address */
    size_t n, capacity;
    uint32_t first_code, n_code; /* these have the same addresses in all replays of a process */
};

/* Of a trace, and the chunks in use of an arena. False without memory; to be closed also then. */
bool refrain_saved_parts_open(struct refrain_saved_parts *parts, const struct refrain_trace *trace,
                              const struct refrain_arena *arena);

/* The same with the first n_chunks of the arena. */
bool refrain_saved_parts_open_chunks(struct refrain_saved_parts *parts, const struct refrain_trace *trace,
                                     const struct refrain_arena *arena, size_t n_chunks);
void refrain_saved_parts_close(struct refrain_saved_parts *parts);

/* A word of two replays, as it is kept: itself, or an address' part and offset. False where it is neither. */
bool refrain_saved_parts_place(const struct refrain_saved_parts *one, const struct refrain_saved_parts *other,
                               uint64_t a, uint64_t b, uint64_t *kept, bool *is_address);

/* Makes the address of a part and an offset. False where there is no such part or place in it. */
bool refrain_saved_parts_address(const struct refrain_saved_parts *parts, uint64_t *word);

/* A checksum of n bytes behind others that had `sum` (0: none). */
uint64_t refrain_saved_sum(uint64_t sum, const void *bytes, size_t n);

#endif
