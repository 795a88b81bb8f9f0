/* learn_predict.h: the position of a learner's prediction in a loop of items (`loops` in struct refrain_formula),
 * moved from value to value. */
#ifndef REFRAIN_LEARN_PREDICT_H
#define REFRAIN_LEARN_PREDICT_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Puts the prediction before iteration `done` of the loop at `item`, of `limit` iterations in all. */
REFRAIN_HIDDEN void refrain_predict_from(struct refrain_learner *learner, struct refrain_formula *formula,
                                         unsigned item, uint64_t done, uint64_t limit);

/* Moves to the next value and sets the prediction to it (to the whole run where the innermost loop holds one value
 * only). False at the end of the loop, and when it would go on without ever giving a value. */
REFRAIN_HIDDEN bool refrain_predict_next(struct refrain_learner *learner, struct refrain_formula *formula);

/* A loop at the top whose values stay the same is predicted by its items alone, without the position (`next_item`), as
 * its counter follows from `confirmed`: prepares for that where `loop`, which is put before its next iteration, is such
 * a loop; and puts the position where the prediction is, when it ends. */
REFRAIN_HIDDEN void refrain_predict_cycle(struct refrain_learner *learner, const struct refrain_item *loop);
REFRAIN_HIDDEN void refrain_predict_cycle_end(struct refrain_learner *learner, struct refrain_formula *formula,
                                              const struct refrain_item *loop);

/* refrain_predict_next(), in either way. */
REFRAIN_HIDDEN bool refrain_predict_more(struct refrain_learner *learner, struct refrain_formula *formula);

/* An item's value in the loops that are open from the one at `height` outwards: the counters of all others are 0. */
static inline int64_t refrain_value_in_loops(const struct refrain_formula *formula, const struct refrain_item *item,
                                             unsigned height) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = height; h != REFRAIN_LOOP_HEIGHTS; h = formula->loops[h].outer)
        value += (uint64_t)item->stride[h] * formula->loops[h].counter;
    return (int64_t)value;
}

#endif
