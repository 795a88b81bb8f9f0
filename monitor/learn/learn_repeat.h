/* learn_repeat.h: cycles longer than the window: values that are a repetition of what the archive holds.
 *
 * Terms that leave the window leave an anchor at some of the places between them, chosen by their content: a hash of
 * the last few terms, of which the number of leading zeros is the level. Each level keeps its latest anchors, so those
 * of high levels reach far back and those of low ones are close together: whatever the period, there is a level where
 * an anchor has not been forgotten and is met again before the period is over. When the latest terms of the window
 * have the hash of an anchor, the values that followed it are predicted.
 */
#ifndef REFRAIN_LEARN_REPEAT_H
#define REFRAIN_LEARN_REPEAT_H

#include "monitor.h"

/* Have REPEATs been found, the latest of them neither short, as of chance, nor long ago? */
REFRAIN_HIDDEN bool refrain_repeat_is_fruitful(const struct refrain_formula *formula);

/* Gives a formula whose archive has grown long the means to find repetition in it. Null memory: it goes without. */
REFRAIN_HIDDEN void refrain_repeat_make_room(struct refrain_formula *formula, enum refrain_pool_use use);

/* `term` has been written to the end of the archive, whose last chunk now holds `used` bytes. `place`: there is a place
 * behind it, as no group goes on there. */
REFRAIN_HIDDEN void refrain_repeat_archived(struct refrain_formula *formula, const struct refrain_item *term,
                                            bool place, unsigned used);

/* Terms just archived are taken back: no anchor may lead there. */
REFRAIN_HIDDEN void refrain_repeat_forget(struct refrain_formula *formula);

/* Reads the term of the archive at `place` to `out`, and moves the place behind it. */
REFRAIN_HIDDEN void refrain_archive_read(struct refrain_place *place, struct refrain_item *out);

/* State BUILD, the latest value is in the items: looks whether the archive holds what comes now, and if so goes to
 * state REPEAT. Without memory it does not. */
REFRAIN_HIDDEN void refrain_repeat_look(struct refrain_context *context, struct refrain_learner *learner);

/* State BUILD, after a repetition broken by one value: goes on with it if `value` is what came after that. */
REFRAIN_HIDDEN bool refrain_repeat_resume(struct refrain_context *context, struct refrain_learner *learner,
                                          int64_t value);

/* State REPEAT, nothing predicted: does `value` come next? If so it is taken. */
REFRAIN_HIDDEN bool refrain_repeat_takes(struct refrain_learner *learner, int64_t value);

/* State REPEAT, another value came: what was repeated becomes an item, state BUILD. */
REFRAIN_HIDDEN void refrain_repeat_leave(struct refrain_context *context, struct refrain_learner *learner);

#endif
