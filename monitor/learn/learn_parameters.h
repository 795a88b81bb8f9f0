/* learn_parameters.h: the parameters of an operation, each with a learner of its own.
 *
 *     learner --- no memory ---> SUMMARY: rows of all parameters are counted (learn_tally.h)
 */
#ifndef REFRAIN_LEARN_PARAMETERS_H
#define REFRAIN_LEARN_PARAMETERS_H

#include "context.h"
#include "learn_expect.h"
#include "learn_tally.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Learns values[i], which learners[i] has not predicted. If this learner has no memory left, learners[0] gets a tally,
 * which counts all parameters together from then on. By the learners' own thread. */
REFRAIN_HIDDEN void refrain_learn_parameter_other(struct refrain_context *context, struct refrain_learner *learners,
                                                  const int64_t *values, unsigned i, const struct refrain_row *row);

/* Learns the row->width values of one event; the first `n` of them have a learner each. If one of the learners has
 * given up, all values are also counted together. */
static inline __attribute__((always_inline)) void
refrain_learn_some_parameters(struct refrain_context *context, struct refrain_learner *learners, const int64_t *values,
                              const struct refrain_row *row, unsigned n) {
#pragma GCC unroll 4
    for (unsigned i = 0; i < n; i++)
        if (__builtin_expect(!refrain_learn_expected(&learners[i], values[i]), 0))
            refrain_learn_parameter_other(context, learners, values, i, row);
    if (__builtin_expect(learners[0].tally != 0, 0))
        refrain_tally_add(context, &learners[0].tally, values, 1);
}

#endif
