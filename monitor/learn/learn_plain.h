/* learn_plain.h: sequences that have shown no rule for long. Their values are kept as they come, where the items of the
 * formula would be, and go to the archive in groups (learn_group.h) when that room is full. It costs little, and finds
 *
 *     values that have been there before: the archive is repeated (learn_repeat.h)
 *     everything else when the room has been filled a few times: then values are items until the formula is full
 */
#ifndef REFRAIN_LEARN_PLAIN_H
#define REFRAIN_LEARN_PLAIN_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Values between two searches for long repetition, where these go on finding nothing (struct refrain_formula,
 * `patience`). From there on it is looked for when the formula is full only; each step beyond doubles how often the
 * room for plain values is filled before values are items again. */
#define REFRAIN_MOST_PATIENCE 32u

/* In state BUILD, when the formula is full: changes to state PLAIN if the values have shown no rule for a long time. */
REFRAIN_HIDDEN bool refrain_plain_begin(struct refrain_context *context, struct refrain_learner *learner);

/* In state PLAIN: takes a value if there is room for it. Changes to state REPEAT if the archive holds what comes next.
 */
REFRAIN_HIDDEN bool refrain_plain_takes(struct refrain_context *context, struct refrain_learner *learner,
                                        int64_t value);

/* In state PLAIN: makes room by archiving or counting the values. Changes to state BUILD if it is time to search for
 * rules. False without memory. */
REFRAIN_HIDDEN bool refrain_plain_empty(struct refrain_context *context, struct refrain_learner *learner);

#endif
