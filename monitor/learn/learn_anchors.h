/* learn_anchors.h: anchors: positions in the archive, found again by the terms before them.
 *
 * When terms leave the formula, anchors are kept for some of the positions between them, chosen by their content: a
 * hash of the last few terms, of which the number of leading zeros is the level. Each level keeps its latest anchors,
 * so those of high levels reach far back and those of low ones are close together: whatever the period, there is a
 * level where an anchor has not been forgotten and is met again before the period is over. When the latest terms of the
 * formula have the hash of an anchor, the values that followed it are predicted (learn_repeat.h).
 */
#ifndef REFRAIN_LEARN_ANCHORS_H
#define REFRAIN_LEARN_ANCHORS_H

#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

static inline struct refrain_repeat *refrain_repeat_of(const struct refrain_formula *formula) {
    return refrain_at_reference(formula->repeat);
}

/* Makes the memory for anchors of a formula whose archive is long. Without memory, the formula has no anchors. */
REFRAIN_HIDDEN void refrain_anchors_make_room(struct refrain_formula *formula, enum refrain_pool_use use);

/* `term` has been appended to the archive, whose last chunk now has `used` bytes. `has_position`: a term may begin
 * behind it, since no group continues there. */
REFRAIN_HIDDEN void refrain_anchors_add(struct refrain_formula *formula, const struct refrain_item *term,
                                        bool has_position, unsigned used);

/* Returns the anchor with this hash of the latest plain values; it may have no position yet. If there is none, makes
 * one for later, and returns null. */
REFRAIN_HIDDEN struct refrain_anchor *refrain_anchors_of_values(struct refrain_formula *formula, uint64_t hash);

/* Removes the anchors of the terms that were just archived, since these are taken back. */
REFRAIN_HIDDEN void refrain_anchors_forget(struct refrain_formula *formula);

/* Returns the latest position in the archive after terms that equal those before items[end]. Null if there is none. */
REFRAIN_HIDDEN const struct refrain_archive_position *
refrain_anchors_find(struct refrain_repeat *repeat, const struct refrain_item *items, unsigned end);

#endif
