/* learn_repeat.h: cycles that are longer than a formula: values that repeat a part of the archive. If the archive has
 * the latest values (learn_anchors.h), the learner predicts the values that followed them there. */
#ifndef REFRAIN_LEARN_REPEAT_H
#define REFRAIN_LEARN_REPEAT_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* In state BUILD, with the latest value in the items: changes to state REPEAT if the archive holds what comes now.
 * Without memory it does not. */
REFRAIN_HIDDEN void refrain_repeat_look(struct refrain_context *context, struct refrain_learner *learner);

/* With all values in the archive: changes to state REPEAT, and predicts the values that came from `first` on. */
REFRAIN_HIDDEN void refrain_repeat_begin(struct refrain_learner *learner, struct refrain_archive_position first);

/* True if the learner should try to repeat the archive here. A sequence of few different values repeats some of them by
 * chance. After many failures it is false most of the time, so a later cycle is found a little later. */
REFRAIN_HIDDEN bool refrain_repeat_follows(struct refrain_formula *formula);

/* In state REPEAT, with nothing predicted: takes `value` if it comes next in the archive, and returns true. */
REFRAIN_HIDDEN bool refrain_repeat_takes(struct refrain_learner *learner, int64_t value);

/* In state REPEAT, when another value came: makes an item of what was repeated, and changes to state BUILD. */
REFRAIN_HIDDEN void refrain_repeat_leave(struct refrain_context *context, struct refrain_learner *learner);

#endif
