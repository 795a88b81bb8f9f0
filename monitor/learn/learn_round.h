/* learn_round.h: learners that are in a round of MPI calls (struct refrain_round), for whom whole calls are counted in
 * one place.
 *
 *     call_round.c --- opens a round: its learners predict nothing any more ---> calls are counted
 *     a value comes to one of them by another way --- learn.c ---> here: all are told, and predict again
 */
#ifndef REFRAIN_LEARN_ROUND_H
#define REFRAIN_LEARN_ROUND_H

#include "monitor.h"

#define REFRAIN_LONG_ROUND 16u /* calls; where rounds are shorter, longer is waited before the next one is opened */

/* Tells the calls of the round, if it is open, to its learners and slots. It is over then. Thread: that of the calls.
 */
REFRAIN_HIDDEN void refrain_round_tell(struct refrain_round *round);

/* Adds the calls so far to the learners and slots, and leaves the round open. Any thread. The round's own thread may go
 * on counting meanwhile; nothing that it has counted is lost. */
REFRAIN_HIDDEN void refrain_round_tell_for_another(const struct refrain_round *round);

/* Tells the round that the learner is in. */
REFRAIN_HIDDEN void refrain_round_tell_of(const struct refrain_learner *learner);

#endif
