/* learn.h: a learner takes a value: one that is predicted here (learn_expect.h), any other in learn.c.
 *
 *                      v as expected: confirmed + 1
 *                      .-----.                .-----.
 *      first v         v     |   other v      v     |   repetition found
 *     EMPTY ------> IDENTITY-'  ---------->  BUILD--'  ------------------.
 *                                             |   ^                      v
 *                                             |   '---- other v ----- PREDICT --. v as expected: confirmed + 1
 *                                             |                          ^      |
 *                                             v                          '------'
 *                                          PLAIN        (REPEAT stands to BUILD as PREDICT does, for cycles longer
 *                                                        than a formula)
 *
 * Where memory is spent the oldest terms of BUILD are counted (learn_tally.h), and the states are the same. A learner
 * that has no memory even for its first term, and a parameter, which is counted together with others, goes to SUMMARY.
 *
 *     state     | v as expected    | other v
 *     ----------+------------------+---------------------------------------------------------------------
 *     EMPTY     | -                | IDENTITY: a^1
 *     IDENTITY  | confirmed + 1    | BUILD with a^n v
 *     PREDICT   | confirmed + 1    | close the loop; look for an outer loop that expects v: PREDICT, else BUILD with v
 *     BUILD     | -                | add v; repetition at the end: PREDICT; the archive holds what comes: REPEAT;
 *               |                  | no rule for long: PLAIN (learn_plain.h)
 *     PLAIN     | -                | keep v; from time to time BUILD; the archive holds what comes: REPEAT
 *     REPEAT    | confirmed + 1    | BUILD with what was repeated, and v, which may complete repetition
 *     SUMMARY   | -                | count it
 *
 * refrain_learn_table has the same for programs: tests hold every transition they see against it.
 */
#ifndef REFRAIN_LEARN_H
#define REFRAIN_LEARN_H

#include "context.h"
#include "learn_expect.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* For each state, the set of states that one value may lead to: one bit for each enum refrain_learner_state. */
#define REFRAIN_STATE(state) (1u << REFRAIN_##state)
static const unsigned refrain_learn_table[REFRAIN_LEARNER_STATES] = {
    [REFRAIN_EMPTY] = REFRAIN_STATE(IDENTITY),
    [REFRAIN_IDENTITY] =
        REFRAIN_STATE(IDENTITY) | REFRAIN_STATE(BUILD) | REFRAIN_STATE(PREDICT) | REFRAIN_STATE(SUMMARY),
    [REFRAIN_PREDICT] = REFRAIN_STATE(PLAIN) | REFRAIN_STATE(PREDICT) | REFRAIN_STATE(BUILD) | REFRAIN_STATE(REPEAT) |
                        REFRAIN_STATE(SUMMARY),
    [REFRAIN_BUILD] = REFRAIN_STATE(BUILD) | REFRAIN_STATE(PREDICT) | REFRAIN_STATE(REPEAT) | REFRAIN_STATE(PLAIN) |
                      REFRAIN_STATE(SUMMARY),
    [REFRAIN_SUMMARY] = REFRAIN_STATE(SUMMARY),
    [REFRAIN_REPEAT] = REFRAIN_STATE(REPEAT) | REFRAIN_STATE(BUILD) | REFRAIN_STATE(PREDICT) | REFRAIN_STATE(SUMMARY),
    [REFRAIN_PLAIN] = REFRAIN_STATE(PLAIN) | REFRAIN_STATE(BUILD) | REFRAIN_STATE(REPEAT) | REFRAIN_STATE(SUMMARY),
};

/* Learns a value that was not predicted. `kind`: the same in each call for a learner. By the learner's own thread. */
REFRAIN_HIDDEN void refrain_learn_other(struct refrain_context *context, struct refrain_learner *learner, int64_t value,
                                        enum refrain_learner_kind kind);

/* Learns the next value of the sequence. */
static inline __attribute__((always_inline)) void refrain_learn(struct refrain_context *context,
                                                                struct refrain_learner *learner, int64_t value,
                                                                enum refrain_learner_kind kind) {
    if (__builtin_expect(!refrain_learn_expected(learner, value), 0))
        refrain_learn_other(context, learner, value, kind);
}

#endif
