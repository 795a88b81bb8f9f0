/* relearn.h: what a trace's sequences would look like in shorter formulas (learner in the image -> capture).
 *
 *     learner in the image -> its values (sequence.h) -> the monitor's own learner, with less room -> type of formula
 *
 * The learner is that of monitor/, linked in: anything else would be a guess at what it does. One thread at a time. */
#ifndef REFRAIN_RELEARN_H
#define REFRAIN_RELEARN_H

#include "analysis/formula_text.h"
#include <refrain/settings.h>
#include <stdbool.h>

#define REFRAIN_RELEARN_SHORTEST REFRAIN_MINIMUM_FORMULA_LENGTH /* number of items */
#define REFRAIN_RELEARN_LONGEST REFRAIN_MAXIMUM_FORMULA_LENGTH

/* Learns the values that `learner` holds exactly once more, with formulas of at most `length` items and without an
 * archive. Sets *type to the resulting type; REFRAIN_TYPE_ARCHIVE if the values need more items. Learns a hundred
 * million values at most, of which a run of equal steps counts as one. False without memory. */
bool refrain_relearn(const void *image, size_t image_bytes, const struct refrain_learner *learner, unsigned length,
                     enum refrain_formula_type *type);

#endif
