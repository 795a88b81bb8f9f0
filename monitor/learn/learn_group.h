/* learn_group.h: values without a rule leave the window in groups of so many bits each (REFRAIN_ARCHIVED_GROUP,
 * formula.h). */
#ifndef REFRAIN_LEARN_GROUP_H
#define REFRAIN_LEARN_GROUP_H

#include "monitor.h"

/* Writes the terms at the beginning of `items`, as many as make sense, as one group of at most `most_values` values (at
 * most REFRAIN_GROUP_VALUES) to `out`, of which REFRAIN_GROUP_BYTES may be written, and sets *moved to their items.
 * Returns its bytes; 0 where a group would save nothing, and then *moved are those that are better written one by one.
 */
REFRAIN_HIDDEN unsigned refrain_group_encode(const struct refrain_item *items, unsigned n_items, unsigned most_values,
                                             unsigned char *out, unsigned *moved);

/* Reads the group whose values begin at bytes[*at], behind its first byte, into out[0 .. n]: a loop of one iteration
 * around them. Returns n + 1, and moves *at behind it. */
REFRAIN_HIDDEN unsigned refrain_group_decode(const unsigned char *bytes, uint32_t *at, struct refrain_item *out);

#endif
