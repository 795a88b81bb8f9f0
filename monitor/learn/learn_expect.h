/* learn_expect.h: the values that a learner predicts: `until` - `confirmed` of them, from `expect` on. */
#ifndef REFRAIN_LEARN_EXPECT_H
#define REFRAIN_LEARN_EXPECT_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Values that `expect` and `stride` still predict. */
static inline uint64_t refrain_learn_left(const struct refrain_learner *learner) {
    return learner->until - learner->confirmed;
}
static inline void refrain_learn_promise(struct refrain_learner *learner, uint64_t values) {
    learner->until = learner->confirmed + values;
}

/* Is this the value that is predicted? */
static inline __attribute__((always_inline)) bool refrain_learn_expects(const struct refrain_learner *learner,
                                                                        int64_t value) {
    return __builtin_expect(value == learner->expect && learner->confirmed != learner->until, 1);
}

/* All values that were predicted have come: a loop predicts the next one at once, so that it is as expected when it
 * comes (learn_predict.c). What a reader looks at stays as it is. */
REFRAIN_SHARED void refrain_predict_ahead(struct refrain_learner *learner);

/* Takes the value that is predicted. Only `confirmed` changes each time: two counters, or a store of `expect` where it
 * stays the same, would double what a step costs. */
static inline __attribute__((always_inline)) void refrain_learn_take(struct refrain_learner *learner) {
    uint64_t confirmed = ++learner->confirmed;
    if (__builtin_expect(confirmed == learner->until, 0)) {
        refrain_predict_ahead(learner);
        return;
    }
    if (__builtin_expect(learner->stride != 0, 0))
        learner->expect = (int64_t)((uint64_t)learner->expect + (uint64_t)learner->stride);
}

/* Takes the value if it is the one that is predicted. */
static inline __attribute__((always_inline)) bool refrain_learn_expected(struct refrain_learner *learner,
                                                                         int64_t value) {
    if (!refrain_learn_expects(learner, value))
        return false;
    refrain_learn_take(learner);
    return true;
}

#endif
