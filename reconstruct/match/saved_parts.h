/* saved_parts.h: the parts of memory that a replay's pointers lead to (saved_states.c).
 *
 *     parts    [trace] [processes] [image 0] .. [tables] .. [code] .. [arena] [chunk 0] [chunk 1] ..
 *     address of a byte of a part, or of the end of a part <--> number of the part, offset
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
    struct refrain_saved_part *parts;  /* by number */
    struct refrain_saved_part *sorted; /* by address */
    size_t n, capacity;
    uint32_t first_code,
        n_code; /* functions and constants of refrain; all replays of a process have them at the same addresses */
};

/* Collects the parts of a trace, and the chunks in use of an arena. False without memory. The caller closes `parts` in
 * both cases. */
bool refrain_saved_parts_open(struct refrain_saved_parts *parts, const struct refrain_trace *trace,
                              const struct refrain_arena *arena);

/* The same with only the first n_chunks of the arena. */
bool refrain_saved_parts_open_chunks(struct refrain_saved_parts *parts, const struct refrain_trace *trace,
                                     const struct refrain_arena *arena, size_t n_chunks);
void refrain_saved_parts_close(struct refrain_saved_parts *parts);

/* Translates a word that is `a` in one replay and `b` in the other. *kept: the word itself, or the part and offset of
 * the address. False if the words differ and are not addresses of the same place. */
bool refrain_saved_parts_place(const struct refrain_saved_parts *one, const struct refrain_saved_parts *other,
                               uint64_t a, uint64_t b, uint64_t *kept, bool *is_address);

/* Translates part and offset to the address in this process. False if the part does not exist or is shorter. */
bool refrain_saved_parts_address(const struct refrain_saved_parts *parts, uint64_t *word);

/* Continues a checksum: of the bytes before it is `sum` (0: there are none). */
uint64_t refrain_saved_sum(uint64_t sum, const void *bytes, size_t n);

#endif
