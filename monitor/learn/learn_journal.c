/* learn_journal.c: saves and restores the state of a learner (learn_journal.h). */
#define _GNU_SOURCE
#include "learn_journal.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_formula.h"
#include "learn_scratch.h"
#include "learn_spare.h"
#include "learn_tally.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

/* A larger tally is not saved: if the process is killed during the change, values may be counted twice. */
#define LARGEST_JOURNAL_TALLY 2048u

size_t refrain_journal_bytes(void) {
    return sizeof(struct refrain_journal) + refrain_formula_bytes(REFRAIN_FORMULA_ITEMS) + LARGEST_JOURNAL_TALLY;
}

static struct refrain_item *journal_items(struct refrain_journal *journal) {
    return refrain_formula_items((struct refrain_formula *)journal->formula);
}

void refrain_journal_begin(struct refrain_context *context, struct refrain_learner *learner, unsigned first) {
    struct refrain_journal *journal = context->journal;
    if (journal->learner) {
        if (first < journal->first_item) {
            const struct refrain_item *items = refrain_formula_items(refrain_at_reference(learner->body));
            memcpy(journal_items(journal) + first, items + first, (journal->first_item - first) * sizeof *items);
            refrain_commit();
            journal->first_item = first;
            refrain_commit();
        }
        return;
    }
    journal->before = *learner;
    journal->formula_bytes = 0;
    journal->first_item = 0;
    journal->archive_last_used = 0;
    journal->tally_bytes = 0;
    if (learner->body) {
        struct refrain_formula *formula = refrain_at_reference(learner->body);
        unsigned n = formula->n_items;
        if (first > n)
            first = n;
        journal->formula_bytes = (uint32_t)refrain_formula_bytes(n);
        journal->first_item = first;
        memcpy(journal->formula, formula, sizeof *formula);
        memcpy(journal_items(journal) + first, refrain_formula_items(formula) + first,
               (n - first) * sizeof(struct refrain_item));
        if (formula->archive_last)
            journal->archive_last_used =
                ((const struct refrain_archive *)refrain_at_reference(formula->archive_last))->used;
    }
    learner->changes++;
    refrain_commit();
    journal->learner = (uint64_t)((const unsigned char *)learner - refrain_trace_file.base);
    refrain_commit();
}

bool refrain_journal_tally(struct refrain_context *context, const struct refrain_learner *learner) {
    struct refrain_journal *journal = context->journal;
    if (journal->tally_bytes || !journal->before.tally)
        return true;
    const struct refrain_tally *tally = refrain_at_reference(learner->tally);
    uint64_t bytes = refrain_tally_bytes(tally->width, tally->capacity);
    if (bytes > LARGEST_JOURNAL_TALLY)
        return false;
    journal->tally_at = (uint32_t)refrain_formula_bytes(REFRAIN_FORMULA_ITEMS);
    memcpy(journal->formula + journal->tally_at, tally, bytes);
    refrain_commit();
    journal->tally_bytes = (uint32_t)bytes;
    refrain_commit();
    return true;
}

void refrain_journal_end(struct refrain_context *context) {
    refrain_commit();
    if (!context->journal->learner)
        return;
    struct refrain_learner *learner = (struct refrain_learner *)(refrain_trace_file.base + context->journal->learner);
    context->journal->learner = 0;
    refrain_commit();
    learner->changes++;
    refrain_spare_settle(context, false);
}

void refrain_journal_undo(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_journal *journal = context->journal;
    if (!journal->learner)
        return;
    struct refrain_learner before = journal->before;
    before.changes = learner->changes; /* odd until all is restored: until then a reader uses the journal */
    *learner = before;
    if (learner->body) {
        struct refrain_formula *formula = refrain_at_reference(learner->body);
        memcpy(formula, journal->formula, sizeof *formula);
        memcpy(refrain_formula_items(formula) + journal->first_item, journal_items(journal) + journal->first_item,
               (formula->n_items - journal->first_item) * sizeof(struct refrain_item));
        if (formula->archive_last)
            ((struct refrain_archive *)refrain_at_reference(formula->archive_last))->used =
                (uint16_t)journal->archive_last_used;
    }
    if (journal->tally_bytes)
        memcpy(refrain_at_reference(learner->tally), journal->formula + journal->tally_at, journal->tally_bytes);
    refrain_spare_settle(context, true);
    refrain_journal_end(context);
}
