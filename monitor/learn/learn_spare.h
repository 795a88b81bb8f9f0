/* learn_spare.h: formulas that larger ones have taken the place of: room for others of the same thread, so that a phase
 * of chance, whose formulas grow to the longest, leaves some to the phases after it.
 *
 *     grown, under the journal ---> waiting, as the journal may put it back ---> spare ---> another's formula, archive
 */
#ifndef REFRAIN_LEARN_SPARE_H
#define REFRAIN_LEARN_SPARE_H

#include "context.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A formula with room for `items` items, or for more where only a larger one is left; zero but for its capacity. Null
 * when there is neither a spare one nor memory in the pool for that use. */
REFRAIN_HIDDEN struct refrain_formula *refrain_spare_take(struct refrain_context *context, unsigned items,
                                                          enum refrain_pool_use use);

/* The memory of a spare formula for something else, zeroed: at least `least` bytes, at a higher reference than
 * `behind`; *bytes is set to its size. `left` formulas of each size are not given away. Null when there is none. */
REFRAIN_HIDDEN void *refrain_spare_take_bytes(struct refrain_context *context, size_t least, uint32_t behind,
                                              unsigned left, size_t *bytes);

/* A formula that the learner which the journal is at has no use for any more. */
REFRAIN_HIDDEN void refrain_spare_give(struct refrain_context *context, struct refrain_formula *formula);

/* The journal has ended: what waited is spare; or is in use again. */
REFRAIN_HIDDEN void refrain_spare_settle(struct refrain_context *context, bool undone);

#endif
