/* learn_turns.h: values that take turns, of which a round of MPI calls (call_round.c) keeps a row each: those of one
 * iteration of the loop that a learner's prediction is in. Its body is values, which may be alike in a row:
 *
 *     LOOP n { a b c }            a, b, c                   the loop
 *     LOOP n { a LOOP 2 { b } }   a, b, b                   of which some are runs
 *     LOOP n { LOOP 3 { a+i } }   a, a+1, a+2
 */
#ifndef REFRAIN_LEARN_TURNS_H
#define REFRAIN_LEARN_TURNS_H

#include "monitor.h"

/* As far as they are certain. */
struct refrain_turns {
    const struct refrain_formula *formula;
    unsigned loop; /* the item that is the loop */
    unsigned n;    /* values of an iteration, two at least */
    unsigned next; /* of these comes next */
    uint64_t left; /* values that are still to come */
};

/* False where the next values are not such, or of more than `most` turns. */
REFRAIN_HIDDEN bool refrain_turns_find(const struct refrain_learner *learner, unsigned most,
                                       struct refrain_turns *turns);

/* The value of turn i, from the next one on. */
REFRAIN_HIDDEN int64_t refrain_turns_value(const struct refrain_turns *turns, unsigned i);

/* The learner, whose values take turns, predicts nothing any more, ... */
REFRAIN_HIDDEN void refrain_turns_hold(struct refrain_learner *learner);

/* ... and then n of them have come, all at once, of which `confirmed` tells already; it predicts the next one. */
REFRAIN_HIDDEN void refrain_turns_pass(struct refrain_learner *learner, uint64_t n);

#endif
