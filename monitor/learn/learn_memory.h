/* learn_memory.h: memory of learners: room for items, the archive, the summary, and the journal that undoes a
 * transition cut short. All of it is the calling thread's own; what is taken from the pool is never given back to it.
 */
#ifndef REFRAIN_LEARN_MEMORY_H
#define REFRAIN_LEARN_MEMORY_H

#include "monitor.h"

static inline struct refrain_item *refrain_formula_items(struct refrain_formula *formula) {
    return (struct refrain_item *)(formula + 1);
}

/* What was stored before is seen before what is stored after. */
static inline void refrain_commit(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Bytes of a thread's journal: it holds a whole formula of the longest kind. */
REFRAIN_HIDDEN size_t refrain_journal_bytes(void);

/* Keeps the learner, the head of its formula and its items from `first` on as they are now, before they change. A
 * second call before the end only adds the items that an earlier one left out: those have not changed since. */
REFRAIN_HIDDEN void refrain_journal_begin(struct refrain_context *context, struct refrain_learner *learner,
                                          unsigned first);
/* Keeps the learner's tally as it is now, too, where it had one before the change. */
REFRAIN_HIDDEN void refrain_journal_tally(struct refrain_context *context, const struct refrain_learner *learner);
REFRAIN_HIDDEN void refrain_journal_end(struct refrain_context *context);
/* Puts back what was kept, if anything, and ends. */
REFRAIN_HIDDEN void refrain_journal_undo(struct refrain_context *context, struct refrain_learner *learner);

/* Bytes of a formula with room for so many items. */
static inline size_t refrain_formula_bytes(unsigned items) {
    return sizeof(struct refrain_formula) + items * sizeof(struct refrain_item);
}

/* Gives the learner an empty formula. False when the pool is spent. */
REFRAIN_HIDDEN bool refrain_formula_create(struct refrain_context *context, struct refrain_learner *learner);

/* Makes room for `span` more items, by a larger formula, or by archiving or counting the oldest terms. Returns the
 * formula, which may have moved; null when the pool is spent. */
REFRAIN_HIDDEN struct refrain_formula *refrain_formula_room(struct refrain_context *context,
                                                            struct refrain_learner *learner, unsigned span);

/* Has the learner counted values, so that its archive is closed? */
static inline bool refrain_learner_counts(const struct refrain_learner *learner) {
    return learner->tally && learner->kind != REFRAIN_KIND_PARAMETER;
}

/* Moves terms from the oldest on to the archive until at most `keep` items are left; a group, which takes the less the
 * longer it is, may leave fewer, but at least `least`. False when the pool is spent or the archive closed, and nothing
 * has changed. */
REFRAIN_HIDDEN bool refrain_formula_archive(struct refrain_context *context, struct refrain_learner *learner,
                                            unsigned keep, unsigned least);

/* The pool is spent: what the learner holds stays as the beginning, `value` and all later ones are counted, by itself
 * or (REFRAIN_KIND_PARAMETER) by who feeds it. */
REFRAIN_HIDDEN void refrain_summary_begin(struct refrain_context *context, struct refrain_learner *learner,
                                          int64_t value);
REFRAIN_HIDDEN void refrain_summary_add(struct refrain_context *context, struct refrain_learner *learner,
                                        int64_t value);

#endif
