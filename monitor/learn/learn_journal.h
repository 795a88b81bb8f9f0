/* learn_journal.h: what a learner was before a change, so that a change that is cut short can be undone. Each thread
 * has a journal of its own, in the trace file: a reader undoes the change that a process was killed in. */
#ifndef REFRAIN_LEARN_JOURNAL_H
#define REFRAIN_LEARN_JOURNAL_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of a thread's journal: it holds a whole formula of the longest kind. */
REFRAIN_HIDDEN size_t refrain_journal_bytes(void);

/* Keeps the learner, the head of its formula and its items from `first` on as they are now, before they change. A
 * second call before the end only adds the items that an earlier one left out: those have not changed since. */
REFRAIN_HIDDEN void refrain_journal_begin(struct refrain_context *context, struct refrain_learner *learner,
                                          unsigned first);
/* Keeps the learner's tally as it is now, too, where it had one before the change. False where that is too large. */
REFRAIN_HIDDEN bool refrain_journal_tally(struct refrain_context *context, const struct refrain_learner *learner);
REFRAIN_HIDDEN void refrain_journal_end(struct refrain_context *context);
/* Puts back what was kept, if anything, and ends. */
REFRAIN_HIDDEN void refrain_journal_undo(struct refrain_context *context, struct refrain_learner *learner);

#endif
