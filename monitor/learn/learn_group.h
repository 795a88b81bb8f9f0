/* learn_group.h: values without a rule leave the formula in groups (include/refrain/group.h has their form): in so many
 * bits each, or by how often each comes. */
#ifndef REFRAIN_LEARN_GROUP_H
#define REFRAIN_LEARN_GROUP_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

#include <refrain/group.h>

/* Where a group will be: behind the `used` bytes of a chunk. */
struct refrain_chunk_end {
    const unsigned char *chunk;
    unsigned used;
    unsigned table; /* where the chunk's latest one is; 0: it has none */
    unsigned room;  /* bytes left behind them */
};

/* Writes the values of the terms at the beginning of `items`, of as many whole ones as have at most `most` values, to
 * `values`. Returns their number. Sets *moved to their items, and *alone to the bytes they would take one by one,
 * about. */
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
