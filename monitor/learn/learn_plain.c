/* learn_plain.c: keeps values without a rule as they are, and tries rules from time to time (learn_plain.h). */
#define _GNU_SOURCE
#include "learn_plain.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_anchors.h"
#include "learn_archive.h"
#include "learn_formula.h"
#include "learn_group.h"
#include "learn_journal.h"
#include "learn_repeat.h"
#include "learn_scratch.h"
#include "learn_tally.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define VALUES_AN_ITEM 4u /* at most: where items tell more, rules are of use */
#define MOST_DOUBLED 3u   /* how often the room is filled before rules are looked for, as a power of two */
#define ANCHOR_BITS 4u    /* leading zeros of a hash of the latest values that is looked up */

static struct refrain_formula *formula_of(const struct refrain_learner *learner) {
    return refrain_at_reference(learner->body);
}

bool refrain_plain_begin(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_formula *formula = formula_of(learner);
    if (formula->patience < REFRAIN_MOST_PATIENCE || refrain_learner_counts(learner) ||
        !refrain_archive_takes_groups(formula))
        return false;
    int64_t *values = (int64_t *)context->scratch->entries;
    unsigned most = VALUES_AN_ITEM * formula->n_items, moved, alone;
    unsigned n = refrain_group_expand(refrain_formula_items(formula), formula->n_items, most, values, &moved, &alone);
    if (moved < formula->n_items || n >= refrain_formula_most_values(formula))
        return false;
    refrain_journal_begin(context, learner, 0);
    memcpy(refrain_formula_values(formula), values, n * sizeof *values);
    formula->n_items = 0;
    formula->n_values = (uint16_t)n;
    formula->waited = (uint8_t)(1u << (formula->patience - REFRAIN_MOST_PATIENCE));
    if (formula->patience < REFRAIN_MOST_PATIENCE + MOST_DOUBLED)
        formula->patience++;
    formula->loops[0].counter = 0; /* hash of the latest values */
    learner->state = REFRAIN_PLAIN;
    refrain_journal_end(context);
    return true;
}

bool refrain_plain_empty(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_formula *formula = formula_of(learner);
    bool again = --formula->waited == 0;
    refrain_journal_begin(context, learner, 0);
    if (!refrain_archive_values(context, learner)) {
        if (learner->kind == REFRAIN_KIND_PARAMETER || !refrain_tally_terms(context, learner, 0))
            return false;
        again = true;
    }
    if (again) {
        if (formula->repeat)
            refrain_repeat_of(formula)->settled = UINT32_MAX;
        learner->state = REFRAIN_BUILD;
    }
    refrain_journal_end(context); /* from now on new values overwrite these */
    return true;
}

/* Looks for earlier values with this hash, that of the latest ones. When the values come for the second time, their
 * anchor gets a position: all values are archived, and the position is after them. When they come again, the values
 * that followed this position are predicted. */
static void look(struct refrain_context *context, struct refrain_learner *learner, uint64_t hash) {
    struct refrain_formula *formula = formula_of(learner);
    struct refrain_anchor *anchor = refrain_anchors_of_values(formula, hash);
    const struct refrain_archive_position position =
        anchor ? anchor->position : (struct refrain_archive_position){0, 0};
    bool follow = position.chunk && refrain_repeat_follows(formula);
    if (!anchor || (position.chunk && !follow) || !refrain_archive_values(context, learner))
        return;
    anchor->position = refrain_archive_end(formula);
    if (follow)
        refrain_repeat_begin(learner, position);
}

static __attribute__((noinline)) bool look_and_end(struct refrain_context *context, struct refrain_learner *learner,
                                                   uint64_t hash) {
    look(context, learner, hash);
    refrain_journal_end(context);
    return true;
}

bool refrain_plain_takes(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    struct refrain_formula *formula = formula_of(learner);
    unsigned n = formula->n_values;
    if (n == refrain_formula_most_values(formula))
        return false;
    uint64_t before = formula->loops[0].counter, hash = (before << 1) + (uint64_t)value * 0x9e3779b97f4a7c15u;
    refrain_formula_values(formula)[n] = value;
    refrain_commit();
    formula->n_values = (uint16_t)(n + 1);
    formula->loops[0].counter = hash;
    if (__builtin_expect(hash >> (64 - ANCHOR_BITS) > 0, 1) || !formula->repeat ||
        hash == before /* the same value for long */)
        return true;
    return look_and_end(context, learner, hash);
}
