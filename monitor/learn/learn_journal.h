/* learn_journal.h: the state of a learner before a change, so a change that is cut short can be undone. Each thread has
 * a journal in the trace file. If a process was killed during a change, the reader undoes it. */
#ifndef REFRAIN_LEARN_JOURNAL_H
#define REFRAIN_LEARN_JOURNAL_H

#include "context.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>

/* Bytes of a thread's journal. It has room for a whole formula of the largest kind. */
REFRAIN_HIDDEN size_t refrain_journal_bytes(void);

/* Saves the learner, the head of its formula, and its items from `first` on, before they change. A second call before
 * the end only adds items that the first one left out; these have not changed since. */
REFRAIN_HIDDEN void refrain_journal_begin(struct refrain_context *context, struct refrain_learner *learner,
                                          unsigned first);
/* Saves the learner's tally, too, if it had one before the change. False if it is too large. */
REFRAIN_HIDDEN bool refrain_journal_tally(struct refrain_context *context, const struct refrain_learner *learner);
REFRAIN_HIDDEN void refrain_journal_end(struct refrain_context *context);
/* Restores what was saved, if anything, and ends the journal. */
REFRAIN_HIDDEN void refrain_journal_undo(struct refrain_context *context, struct refrain_learner *learner);

#endif
