/* learn_expect.h: the predicted values of a learner: `until` - `confirmed` values, beginning with `expect`. */
#ifndef REFRAIN_LEARN_EXPECT_H
#define REFRAIN_LEARN_EXPECT_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* The number of values that `expect` and `stride` still predict. */
static inline uint64_t refrain_learn_left(const struct refrain_learner *learner) {
    return learner->until - learner->confirmed;
}
static inline void refrain_learn_promise(struct refrain_learner *learner, uint64_t values) {
    learner->until = learner->confirmed + values;
}

/* True if this value is the predicted one. */
static inline __attribute__((always_inline)) bool refrain_learn_expects(const struct refrain_learner *learner,
                                                                        int64_t value) {
    return __builtin_expect(value == learner->expect && learner->confirmed != learner->until, 1);
}

/* Called when all predicted values have come. A loop predicts its next value at once, so this value takes the fast path
 * when it comes (learn_predict.c). What readers use stays as it is. */
REFRAIN_SHARED void refrain_predict_ahead(struct refrain_learner *learner);

/* Takes the predicted value. Only `confirmed` changes each time. A second counter, or a store to `expect` if its value
 * stays the same, would double the cost. */
static inline __attribute__((always_inline)) void refrain_learn_take(struct refrain_learner *learner) {
    uint64_t confirmed = ++learner->confirmed;
    if (__builtin_expect(confirmed == learner->until, 0)) {
        refrain_predict_ahead(learner);
        return;
    }
    if (__builtin_expect(learner->stride != 0, 0))
        learner->expect = (int64_t)((uint64_t)learner->expect + (uint64_t)learner->stride);
}

/* Takes the value if it is the predicted one. */
static inline __attribute__((always_inline)) bool refrain_learn_expected(struct refrain_learner *learner,
                                                                         int64_t value) {
    if (!refrain_learn_expects(learner, value))
        return false;
    refrain_learn_take(learner);
    return true;
}

#endif
