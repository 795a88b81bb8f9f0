/* learn_archive.h: the archive of a formula: chunks of bytes with the older terms. By the learner's own thread. */
#ifndef REFRAIN_LEARN_ARCHIVE_H
#define REFRAIN_LEARN_ARCHIVE_H

#include "context.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>

/* Moves the oldest terms to the archive until at most `keep` items are left. A group may leave fewer, but at least
 * `least`, since a longer group takes fewer bytes a value. False, with nothing changed, without memory or if the
 * archive is closed. */
REFRAIN_HIDDEN bool refrain_formula_archive(struct refrain_context *context, struct refrain_learner *learner,
                                            unsigned keep, unsigned least);

/* True if values are archived in groups, since the sequence has shown no rule for a long time. Repetition of such
 * values is found at the beginning of a group only, and ends at the first value that differs. */
REFRAIN_HIDDEN bool refrain_archive_takes_groups(const struct refrain_formula *formula);

/* Moves the plain values of the learner's formula to the archive. False, with nothing changed, without memory. */
REFRAIN_HIDDEN bool refrain_archive_values(struct refrain_context *context, struct refrain_learner *learner);

/* The end of an archive that is not empty. */
static inline struct refrain_archive_position refrain_archive_end(const struct refrain_formula *formula) {
    const struct refrain_archive *last = refrain_at_reference(formula->archive_last);
    return (struct refrain_archive_position){formula->archive_last, last->used};
}

/* Reads the term at `position` into `out`, moves `position` behind it, and returns 0. If a group is there, writes its
 * values to `out`, and returns their number. */
REFRAIN_HIDDEN unsigned refrain_archive_read(struct refrain_archive_position *position, struct refrain_item *out);

#endif
