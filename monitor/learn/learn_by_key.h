/* learn_by_key.h: parameters of an operation, which may depend on each other: a tag on its partner, a size on its
 * level.
 *
 *     learner's own formula --- archived, and a trial says that it depends ---> BY_KEY: one learner for each key
 */
#ifndef REFRAIN_LEARN_BY_KEY_H
#define REFRAIN_LEARN_BY_KEY_H

#include "learn.h"

/* Handles values[i], which the prediction of learners[i] does not cover; values[0 .. i) are those of the same event.
 * Thread: the learners' own. */
REFRAIN_HIDDEN void refrain_learn_parameter_other(struct refrain_context *context, struct refrain_learner *learners,
                                                  const int64_t *values, unsigned i);

/* Takes the n values of one event, each for the learner at its place. */
static inline void refrain_learn_parameters(struct refrain_context *context, struct refrain_learner *learners,
                                            const int64_t *values, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (__builtin_expect(!refrain_learn_expected(&learners[i], values[i]), 0))
            refrain_learn_parameter_other(context, learners, values, i);
}

#endif
