/* learn_archive.h: the archive of a formula: chunks of bytes that hold the terms before those in its window. All of it
 * is the calling thread's own. */
#ifndef REFRAIN_LEARN_ARCHIVE_H
#define REFRAIN_LEARN_ARCHIVE_H

#include "monitor.h"

/* Moves terms from the oldest on to the archive until at most `keep` items are left; a group, which takes the less the
 * longer it is, may leave fewer, but at least `least`. False when the pool is spent or the archive closed, and nothing
 * has changed. */
REFRAIN_HIDDEN bool refrain_formula_archive(struct refrain_context *context, struct refrain_learner *learner,
                                            unsigned keep, unsigned least);

/* Values go to the archive in groups once a sequence has shown no rule for long: repetition of it is found between
 * groups only, and one value in them that is another the next time ends it. */
REFRAIN_HIDDEN bool refrain_archive_takes_groups(const struct refrain_formula *formula);

/* Moves the plain values of the learner's formula to the archive, and sets the place that is behind the `first` first
 * ones, where a group begins. False when the pool is spent, and nothing has changed. */
REFRAIN_HIDDEN bool refrain_archive_values(struct refrain_context *context, struct refrain_learner *learner,
                                           unsigned first, struct refrain_place *behind_first);

/* Reads the term of the archive at `place` to `out`, and moves the place behind it: returns 0. Of a group its values
 * are written there, and their number is returned. */
REFRAIN_HIDDEN unsigned refrain_archive_read(struct refrain_place *place, struct refrain_item *out);

#endif
