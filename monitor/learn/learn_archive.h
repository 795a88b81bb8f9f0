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

/* Reads the term of the archive at `place` to `out`, and moves the place behind it. */
REFRAIN_HIDDEN void refrain_archive_read(struct refrain_place *place, struct refrain_item *out);

#endif
