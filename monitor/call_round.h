/* call_round.h: MPI calls that go as those before them from the same place, of which only a count is kept (struct
 * refrain_round): what they take is in two cache lines, that by which the call is known and the round's first.
 *
 * The values of its operations may be the same for all calls, or take turns: then each has a row of its own
 * (round_step.h). How control comes to the call is of the round where it always comes so;
 * else that is told call by call.
 *
 *     call_usual.c --- call after call as expected ---> refrain_round_open() ---> rounds, counted there
 *                                                                                  |
 *     learners and slots <--- refrain_round_tell() (learn_round.c) <--- any other value, or no more room
 */
#ifndef REFRAIN_CALL_ROUND_H
#define REFRAIN_CALL_ROUND_H

#include "learn_round.h"

/* The call that now begins is known, but not in a round that it can go on with: opens one if it is time. True where
 * there is one then. */
REFRAIN_HIDDEN bool refrain_round_try(struct refrain_context *context, struct refrain_call_cache *known);

/* Tells all rounds of the calling thread, which ends. */
REFRAIN_HIDDEN void refrain_rounds_end(struct refrain_context *context);

/* Tells those of another thread as far as they are; they go on. */
REFRAIN_HIDDEN void refrain_rounds_tell_for_another(const struct refrain_context *context);

#endif
