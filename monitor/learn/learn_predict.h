/* learn_predict.h: the position of a learner's prediction in a loop of items (`loops` in struct refrain_formula),
 * moved from value to value. */
#ifndef REFRAIN_LEARN_PREDICT_H
#define REFRAIN_LEARN_PREDICT_H

#include "monitor.h"

/* Puts the prediction before iteration `done` of the loop at `item`, of `limit` iterations in all. */
REFRAIN_HIDDEN void refrain_predict_from(struct refrain_learner *learner, struct refrain_formula *formula,
                                         unsigned item, uint64_t done, uint64_t limit);

/* Moves to the next value and sets the prediction to it (to the whole run where the innermost loop holds one value
 * only). False at the end of the loop, and when it would go on without ever giving a value. */
REFRAIN_HIDDEN bool refrain_predict_next(struct refrain_learner *learner, struct refrain_formula *formula);

/* Values that take turns, as far as that is certain: those of the loop that the prediction is in. */
struct refrain_turns {
    const struct refrain_formula *formula;
    unsigned first, n; /* items of the loop's body, from this one on, all of them values */
    unsigned next;     /* of these comes next */
    uint64_t left;     /* values that are still to come */
};

/* False where the next values are not such, or of more than `most` turns. Of all that comes later: the value of turn
 * i, from the next one on. */
REFRAIN_HIDDEN bool refrain_predict_turns(const struct refrain_learner *learner, unsigned most,
                                          struct refrain_turns *turns);
REFRAIN_HIDDEN int64_t refrain_turns_value(const struct refrain_turns *turns, unsigned i);

/* Of a learner whose values take turns: nothing is predicted any more, and then the next `n` values have come, all at
 * once, and the next is predicted. */
REFRAIN_HIDDEN void refrain_predict_hold(struct refrain_learner *learner);
REFRAIN_HIDDEN void refrain_predict_pass(struct refrain_learner *learner, uint64_t n);

#endif
