/* learn_archive.h: the archive of a formula: chunks of bytes that hold the terms before those in it. All of it
 * is the calling thread's own. */
#ifndef REFRAIN_LEARN_ARCHIVE_H
#define REFRAIN_LEARN_ARCHIVE_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>

/* Moves terms to the archive, the oldest first, until at most `keep` items are left. A group may leave fewer, but at
 * least `least`, as a longer group takes fewer bytes a value. False, with nothing changed, when the pool is spent or
 * the archive closed. */
REFRAIN_HIDDEN bool refrain_formula_archive(struct refrain_context *context, struct refrain_learner *learner,
                                            unsigned keep, unsigned least);

/* True if values go to the archive in groups, as the sequence has shown no rule for long. Repetition of such values is
 * found at the beginning of a group only, and ends where one value differs. */
REFRAIN_HIDDEN bool refrain_archive_takes_groups(const struct refrain_formula *formula);

/* Moves the plain values of the learner's formula to the archive. A group begins after the first `first` of them;
 * *behind_first is set to that position. False, with nothing changed, when the pool is spent. */
REFRAIN_HIDDEN bool refrain_archive_values(struct refrain_context *context, struct refrain_learner *learner,
                                           unsigned first, struct refrain_archive_position *behind_first);

/* Reads the term of the archive at `position` to `out`, moves `position` behind it, and returns 0. Of a group it writes
 * the values to `out`, and returns their number. */
REFRAIN_HIDDEN unsigned refrain_archive_read(struct refrain_archive_position *position, struct refrain_item *out);

#endif
