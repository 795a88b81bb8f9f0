/* learn_memory.c: makes room for items, and counts values without it (learn_memory.h). */
#define _GNU_SOURCE
#include "learn_memory.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_archive.h"
#include "learn_formula.h"
#include "learn_journal.h"
#include "learn_spare.h"
#include "learn_tally.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define FIRST_CAPACITY 4u
/* Formulas of at most so many items take memory of REFRAIN_POOL_SHORT, which is refused late. */
#define SHORT_ITEMS 8u
#define SHORT_CONTROL_ITEMS 16u /* the same for control flow */

/* Once half of the memory is used, a formula grows to SPARING_ITEMS at most, and its oldest terms are archived. */
#define SPARING_ITEMS 12u

/* The use of a formula with room for `items` items. */
static enum refrain_pool_use use_for_items(const struct refrain_learner *learner, unsigned items) {
    enum refrain_pool_use use = refrain_learner_use(learner);
    return items <= (use == REFRAIN_POOL_CONTROL ? SHORT_CONTROL_ITEMS : SHORT_ITEMS) ? REFRAIN_POOL_SHORT : use;
}

/* ---- items ---- */

bool refrain_formula_create(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_formula *formula =
        refrain_spare_take(context, FIRST_CAPACITY, use_for_items(learner, FIRST_CAPACITY));
    if (!formula)
        return false;
    refrain_commit();
    learner->body = refrain_reference(formula);
    return true;
}

/* Makes room: archives the oldest terms or, without memory for that, counts them. False if neither is possible. */
static bool give_way(struct refrain_context *context, struct refrain_learner *learner, unsigned keep) {
    if (refrain_formula_archive(context, learner, keep, keep / 16))
        return true;
    if (learner->kind == REFRAIN_KIND_PARAMETER)
        return false;
    refrain_journal_begin(context, learner, 0);
    return refrain_tally_terms(context, learner, keep);
}

/* True if more than half of the memory for this use is taken. Then terms should be archived, where they take less
 * memory than in a formula. */
static bool is_sparing(enum refrain_pool_use use) {
    const struct refrain_header *header = refrain_trace_file.header;
    uint64_t kept = refrain_pool_kept(use);
    return kept >= header->bytes || header->pool_used > (header->bytes - kept) / 2;
}

/* Enlarges a formula that lies at the end of the pool. So a sequence that is learned alone is never copied. Only the
 * monitor reads `capacity`, so this is no change for the journal. */
static bool grow_in_place(struct refrain_formula *formula, unsigned items, enum refrain_pool_use use) {
    size_t bytes = refrain_formula_bytes(formula->capacity);
    if (!refrain_pool_extend((unsigned char *)formula + bytes, refrain_formula_bytes(items) - bytes, use))
        return false;
    formula->capacity = (uint8_t)items;
    return true;
}

struct refrain_formula *refrain_formula_room(struct refrain_context *context, struct refrain_learner *learner,
                                             unsigned span) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    while (formula->n_items + span > formula->capacity) {
        unsigned capacity = formula->capacity * 2u;
        if (capacity > context->formula_length)
            capacity = context->formula_length;
        bool spares = capacity > SPARING_ITEMS && is_sparing(refrain_learner_use(learner));
        if (spares && formula->capacity < SPARING_ITEMS)
            capacity = SPARING_ITEMS;
        else if (spares && span <= SPARING_ITEMS / 2 &&
                 refrain_formula_archive(context, learner, formula->capacity / 2u, formula->capacity / 32u))
            continue;
        if (capacity > formula->capacity && grow_in_place(formula, capacity, use_for_items(learner, capacity)))
            continue;
        struct refrain_formula *larger = capacity > formula->capacity
                                             ? refrain_spare_take(context, capacity, use_for_items(learner, capacity))
                                             : NULL;
        if (larger) {
            refrain_journal_begin(context, learner, UINT32_MAX);
            capacity = larger->capacity;
            memcpy(larger, formula, refrain_formula_bytes(formula->n_items));
            larger->capacity = (uint8_t)capacity;
            refrain_commit();
            learner->body = refrain_reference(larger);
            refrain_spare_give(context, formula);
            formula = larger;
        } else if (formula->n_items == 0 || !give_way(context, learner, formula->capacity / 2u)) {
            return NULL;
        }
    }
    return formula;
}

/* ---- summary ---- */

void refrain_summary_begin(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    refrain_journal_begin(context, learner, UINT32_MAX);
    learner->until = learner->confirmed;
    learner->stride = 0;
    if (learner->kind == REFRAIN_KIND_PARAMETER || !refrain_tally_of_values(learner))
        refrain_lose(REFRAIN_LOSS_LEARNERS, 1);
    else
        learner->stride = (int64_t)((const struct refrain_tally *)refrain_at_reference(learner->tally))->count;
    learner->state = REFRAIN_SUMMARY;
    refrain_journal_end(context);
    refrain_summary_add(context, learner, value);
}

void refrain_summary_add(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    bool loop = learner->kind == REFRAIN_KIND_LOOP, left_early = loop && value < 0;
    refrain_lose(REFRAIN_LOSS_SUMMARY_VALUES, 1);
    learner->stride += !left_early; /* if it was left early, its iterations are added to those of the next count */
    learner->last = loop ? learner->last + (left_early ? -value : value) : value;
    if (learner->kind == REFRAIN_KIND_PARAMETER || !learner->tally)
        return;
    refrain_tally_add(context, &learner->tally, &value, 1);
    learner->stride = (int64_t)((const struct refrain_tally *)refrain_at_reference(learner->tally))->count;
}
