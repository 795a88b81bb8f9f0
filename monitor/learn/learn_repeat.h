/* learn_repeat.h: cycles longer than the window: values that are a repetition of what the archive holds. Where the
 * latest ones have been there before (learn_anchors.h), those that followed them then are predicted. */
#ifndef REFRAIN_LEARN_REPEAT_H
#define REFRAIN_LEARN_REPEAT_H

#include "monitor.h"

/* State BUILD, the latest value is in the items: looks whether the archive holds what comes now, and if so goes to
 * state REPEAT. Without memory it does not. */
REFRAIN_HIDDEN void refrain_repeat_look(struct refrain_context *context, struct refrain_learner *learner);

/* All is in the archive: what comes now is what came from `first` on, state REPEAT. */
REFRAIN_HIDDEN void refrain_repeat_begin(struct refrain_learner *learner, struct refrain_place first);

/* Sequences of few different values are alike for some values by chance. Where that has led to nothing for long it is
 * followed up seldom, so that a later cycle is found a little later: false then. */
REFRAIN_HIDDEN bool refrain_repeat_follows(struct refrain_formula *formula);

/* State BUILD, after a repetition broken by one value: goes on with it if `value` is what came after that. */
REFRAIN_HIDDEN bool refrain_repeat_resume(struct refrain_context *context, struct refrain_learner *learner,
                                          int64_t value);

/* State REPEAT, nothing predicted: does `value` come next? If so it is taken. */
REFRAIN_HIDDEN bool refrain_repeat_takes(struct refrain_learner *learner, int64_t value);

/* State REPEAT, another value came: what was repeated becomes an item, state BUILD. */
REFRAIN_HIDDEN void refrain_repeat_leave(struct refrain_context *context, struct refrain_learner *learner);

#endif
