/* learn_group.h: values without a rule leave the window in groups (include/refrain/group.h has their form): in so many
 * bits each, or by how often each comes. */
#ifndef REFRAIN_LEARN_GROUP_H
#define REFRAIN_LEARN_GROUP_H

#include "monitor.h"

#include <refrain/group.h>

/* Where a group will be: behind the `used` bytes of a chunk. */
struct refrain_group_place {
    const unsigned char *chunk;
    unsigned used;
    unsigned table; /* the chunk's latest one, in units; 0: it has none */
    unsigned room;  /* bytes left behind them, which values in so many bits each fill up rather than leave */
};

/* Writes the terms at the beginning of `items`, as many as make sense, as one group that reads as at most `most_items`
 * items (at most REFRAIN_GROUP_ITEMS) to scratch->bytes, by way of scratch->entries. Sets *moved to their items, and
 * place->table where the group has a new one. Returns its bytes; 0 where a group would save nothing, and then *moved
 * are those that are better written one by one. */
REFRAIN_HIDDEN unsigned refrain_group_encode(const struct refrain_item *items, unsigned n_items, unsigned most_items,
                                             struct refrain_group_place *place, struct refrain_learn_scratch *scratch,
                                             unsigned *moved);

#endif
