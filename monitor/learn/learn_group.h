/* learn_group.h: archives values without a rule in groups (include/refrain/group.h has their form): with a fixed number
 * of bits each, or coded by how often each value comes. */
#ifndef REFRAIN_LEARN_GROUP_H
#define REFRAIN_LEARN_GROUP_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

#include <refrain/group.h>

/* The place of the next group: behind the `used` bytes of a chunk. */
struct refrain_chunk_end {
    const unsigned char *chunk;
    unsigned used;
    unsigned table; /* offset of the chunk's latest table; 0: none */
    unsigned room;  /* bytes left in the chunk */
};

/* Writes the values of the first terms of `items` to `values`: of as many whole terms as have at most `most` values.
 * Returns the number of values. Sets *moved to the number of items, and *alone to about the bytes that they would take
 * one by one. */
REFRAIN_HIDDEN unsigned refrain_group_expand(const struct refrain_item *items, unsigned n_items, unsigned most,
                                             int64_t *values, unsigned *moved, unsigned *alone);

/* Writes the first values as one group to `out`, which has room for REFRAIN_GROUP_BYTES: all of them or, where these do
 * not fit in the room behind the chunk but some do, *taken. Sets end->table where the group has a new one. Returns its
 * bytes: 0 where a group takes no less than `alone` bytes; more than end->room where no group that is worth its bytes
 * fits, and then `out` holds nothing of use. n > 0. */
#define REFRAIN_GROUP_BYTES (8u * REFRAIN_GROUP_VALUES + 512u)
REFRAIN_HIDDEN unsigned refrain_group_encode(const int64_t *values, unsigned n, unsigned alone,
                                             struct refrain_chunk_end *end, unsigned char *out, unsigned *taken);

#endif
