/* learn_predict.h: the position of a learner's prediction in a loop of items (`loops` in struct refrain_formula), which
 * moves from value to value. */
#ifndef REFRAIN_LEARN_PREDICT_H
#define REFRAIN_LEARN_PREDICT_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Sets the position before iteration `done` of the loop at `item`, which has `limit` iterations. */
REFRAIN_HIDDEN void refrain_predict_from(struct refrain_learner *learner, struct refrain_formula *formula,
                                         unsigned item, uint64_t done, uint64_t limit);

/* Moves to the next value and predicts it; if the innermost loop has only one value, predicts all of its iterations at
 * once. False at the end of the loop, or if the loop has no value at all. */
REFRAIN_HIDDEN bool refrain_predict_next(struct refrain_learner *learner, struct refrain_formula *formula);

/* A loop at the top whose values stay the same is predicted by its items alone, without the position (`next_item`), as
 * its counter follows from `confirmed`: prepares for that where `loop`, which is put before its next iteration, is such
 * a loop; and puts the position where the prediction is, when it ends. */
REFRAIN_HIDDEN void refrain_predict_cycle(struct refrain_learner *learner, const struct refrain_item *loop);
REFRAIN_HIDDEN void refrain_predict_cycle_end(struct refrain_learner *learner, struct refrain_formula *formula,
                                              const struct refrain_item *loop);

/* refrain_predict_next(), with or without a position. */
REFRAIN_HIDDEN bool refrain_predict_more(struct refrain_learner *learner, struct refrain_formula *formula);

/* The value of an item in the open loops from the one at `height` outwards. The counters of all others are 0. */
static inline int64_t refrain_value_in_loops(const struct refrain_formula *formula, const struct refrain_item *item,
                                             unsigned height) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = height; h != REFRAIN_LOOP_HEIGHTS; h = formula->loops[h].outer)
        value += (uint64_t)item->stride[h] * formula->loops[h].counter;
    return (int64_t)value;
}

#endif
