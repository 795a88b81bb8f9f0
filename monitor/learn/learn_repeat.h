/* learn_repeat.h: cycles longer than a formula: values that repeat a part of the archive. Where the latest values are
 * in the archive (learn_anchors.h), the learner predicts the values that followed them there. */
#ifndef REFRAIN_LEARN_REPEAT_H
#define REFRAIN_LEARN_REPEAT_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* State BUILD, the latest value is in the items: looks whether the archive holds what comes now, and if so goes to
 * state REPEAT. Without memory it does not. */
REFRAIN_HIDDEN void refrain_repeat_look(struct refrain_context *context, struct refrain_learner *learner);

/* All values are in the archive: goes to state REPEAT, and predicts the values that came from `first` on. */
REFRAIN_HIDDEN void refrain_repeat_begin(struct refrain_learner *learner, struct refrain_archive_position first);

/* Should the learner try to repeat the archive here? A sequence of few different values repeats some of them by chance.
 * Where many tries have failed it answers false most of the time, so that a later cycle is found a little later. */
REFRAIN_HIDDEN bool refrain_repeat_follows(struct refrain_formula *formula);

/* State REPEAT, nothing predicted: does `value` come next? If so it is taken. */
REFRAIN_HIDDEN bool refrain_repeat_takes(struct refrain_learner *learner, int64_t value);

/* State REPEAT, another value came: what was repeated becomes an item, state BUILD. */
REFRAIN_HIDDEN void refrain_repeat_leave(struct refrain_context *context, struct refrain_learner *learner);

#endif
