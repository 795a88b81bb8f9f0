/* learn_spare.h: reuses formulas that were replaced by larger ones, within a thread. In a phase of chance, formulas
 * grow to the largest size. Those that they leave behind serve the phases after it.
 *
 *     replaced, under the journal ---> waiting, as the journal may restore it ---> spare ---> a formula or archive
 * again */
#ifndef REFRAIN_LEARN_SPARE_H
#define REFRAIN_LEARN_SPARE_H

#include "context.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Takes a formula with room for `items` items, or a larger one if only that is left, zeroed except for its capacity.
 * Null if there is neither a spare one nor memory in the pool for this use. */
REFRAIN_HIDDEN struct refrain_formula *refrain_spare_take(struct refrain_context *context, unsigned items,
                                                          enum refrain_pool_use use);

/* Takes the memory of a spare formula for something else, zeroed: at least `least` bytes, at a higher reference than
 * `behind`; *bytes is set to its size. Keeps `left` formulas of each size. Null if there is none. */
REFRAIN_HIDDEN void *refrain_spare_take_bytes(struct refrain_context *context, size_t least, uint32_t behind,
                                              unsigned left, size_t *bytes);

/* Gives a formula away that the learner in the journal no longer uses. */
REFRAIN_HIDDEN void refrain_spare_give(struct refrain_context *context, struct refrain_formula *formula);

/* The journal has ended: formulas that waited are spare, or (`undone`) in use again. */
REFRAIN_HIDDEN void refrain_spare_settle(struct refrain_context *context, bool undone);

#endif
