/* learn_repeat.c: predicts values by repeating a part of the archive (learn_repeat.h). */
#define _GNU_SOURCE
#include "learn_repeat.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_anchors.h"
#include "learn_archive.h"
#include "learn_expect.h"
#include "learn_formula.h"
#include "learn_journal.h"
#include "learn_predict.h"
#include "learn_scratch.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define UNSETTLED_TERMS 2u /* the latest terms, which further values may still change */
#define MOST_VALUES 64u    /* most values of these terms, which are compared one by one */
#define SHORT_REPEAT 128u  /* a repetition of at most so many values may be chance */
#define SHORT_REPEATS 4u   /* after so many of these in a row, not every position is tried any more ... */
#define MOST_SHORT 8u      /* ... and with further ones, up to this number, fewer and fewer positions */

/* Values of repeat->in_term: where the prediction is. */
enum { BETWEEN_TERMS, IN_TERM, IN_GROUP };

static bool same_position(struct refrain_archive_position a, struct refrain_archive_position b) {
    return a.chunk == b.chunk && a.at == b.at;
}

/* Predicts the next run of equal values of a group, whose values lie where items would be. False at its end. */
static bool next_of_group(struct refrain_learner *learner, struct refrain_formula *formula) {
    const int64_t *values = refrain_formula_values(formula);
    struct refrain_open_loop *at = &formula->loops[0];
    uint64_t from = at->counter;
    if (from == at->limit)
        return false;
    while (at->counter < at->limit && values[at->counter] == values[from])
        at->counter++;
    learner->expect = values[from];
    learner->stride = 0;
    refrain_learn_promise(learner, at->counter - from);
    return true;
}

/* Predicts the next value or run of values. False if REPEATs are nested too deeply. */
static bool next_value(struct refrain_learner *learner, struct refrain_formula *formula) {
    struct refrain_repeat *repeat = refrain_repeat_of(formula);
    struct refrain_item *term = refrain_formula_items(formula);
    for (;;) {
        struct refrain_repeat_frame *frame = &repeat->frame[repeat->depth - 1];
        if (frame->left == 0) {
            repeat->depth--;
            repeat->in_term = BETWEEN_TERMS;
            continue;
        }
        if (repeat->in_term != BETWEEN_TERMS) {
            if (repeat->in_term == IN_GROUP ? next_of_group(learner, formula) : refrain_predict_next(learner, formula))
                break;
            repeat->in_term = BETWEEN_TERMS;
            continue;
        }
        if (same_position(frame->at, frame->end))
            frame->at = frame->first;
        unsigned n = refrain_archive_read(&frame->at, term);
        if (n > 0) {
            formula->loops[0].counter = 0;
            formula->loops[0].limit = n;
            repeat->in_term = IN_GROUP;
            continue;
        }
        if (term->kind == REFRAIN_ITEM_VALUE) {
            learner->expect = term->base;
            learner->stride = 0;
            refrain_learn_promise(learner, 1);
            break;
        }
        if (term->kind == REFRAIN_ITEM_LOOP) {
            refrain_predict_from(learner, formula, 0, 0, (uint64_t)term->base);
            repeat->in_term = IN_TERM;
            continue;
        }
        if (repeat->depth == REFRAIN_REPEAT_DEPTH) {
            learner->until = learner->confirmed;
            return false;
        }
        struct refrain_repeat_frame *inner = &repeat->frame[repeat->depth++];
        inner->first = (struct refrain_archive_position){(uint32_t)term->stride[0], (uint32_t)term->stride[1]};
        inner->end = (struct refrain_archive_position){(uint32_t)term->stride[2], (uint32_t)term->stride[3]};
        inner->at = inner->first;
        inner->left = (uint64_t)term->base;
    }
    uint64_t run = refrain_learn_left(learner);
    for (unsigned d = 1; d < repeat->depth; d++)
        if (run > repeat->frame[d].left)
            run = repeat->frame[d].left;
    refrain_learn_promise(learner, run);
    for (unsigned d = 1; d < repeat->depth; d++)
        repeat->frame[d].left -= run;
    for (unsigned d = 1; d < repeat->depth; d++)
        if (repeat->frame[d].left == 0) { /* it ends, and with it the frames inside it */
            repeat->depth = (uint8_t)d;
            repeat->in_term = BETWEEN_TERMS;
        }
    return true;
}

/* ---- transitions ---- */

void refrain_repeat_begin(struct refrain_learner *learner, struct refrain_archive_position first) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_repeat *repeat = refrain_repeat_of(formula);
    repeat->first = first;
    repeat->end = refrain_archive_end(formula);
    repeat->frame[0] = (struct refrain_repeat_frame){first, first, repeat->end, UINT64_MAX};
    repeat->depth = 1;
    repeat->in_term = BETWEEN_TERMS;
    learner->confirmed = learner->until = 0;
    learner->state = REFRAIN_REPEAT;
}

bool refrain_repeat_takes(struct refrain_learner *learner, int64_t value) {
    if (refrain_learn_left(learner) == 0 && !next_value(learner, refrain_at_reference(learner->body)))
        return false;
    return refrain_learn_expected(learner, value);
}

/* Writes the values of items[from] to items[to - 1]. Returns their number. 0 if there are too many, or if a term is
 * neither a value nor a loop over one value. */
static unsigned unsettled_values(const struct refrain_item *items, unsigned from, unsigned to, int64_t *values) {
    unsigned n = 0;
    for (unsigned i = from; i < to; i += items[i].span) {
        uint64_t count = items[i].kind == REFRAIN_ITEM_LOOP ? (uint64_t)items[i].base : 1;
        if (items[i].kind == REFRAIN_ITEM_REPEAT || items[i].span > 2 || n + count > MOST_VALUES)
            return 0;
        const struct refrain_item *value = &items[i + items[i].span - 1u];
        for (uint64_t k = 0; k < count; k++)
            values[n++] = (int64_t)((uint64_t)value->base + (uint64_t)value->stride[0] * k);
    }
    return n;
}

bool refrain_repeat_follows(struct refrain_formula *formula) {
    struct refrain_repeat *repeat = refrain_repeat_of(formula);
    if (repeat->short_ones < SHORT_REPEATS)
        return true;
    repeat->passed++;
    if (repeat->passed < 8u * (repeat->short_ones - SHORT_REPEATS + 1u))
        return false;
    repeat->passed = 0;
    return true;
}

void refrain_repeat_look(struct refrain_context *context, struct refrain_learner *learner) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_item *items = refrain_formula_items(formula);
    unsigned n = formula->n_items, settled = n;
    for (unsigned k = 0; k < UNSETTLED_TERMS; k++) {
        if (settled == 0)
            return;
        settled -= items[settled - 1].back;
    }
    const struct refrain_archive_position *found = refrain_anchors_find(refrain_repeat_of(formula), items, settled);
    int64_t values[MOST_VALUES];
    if (found && !refrain_repeat_follows(formula))
        return;
    unsigned n_values = found ? unsettled_values(items, settled, n, values) : 0;
    if (n_values == 0)
        return;
    struct refrain_archive_position first = *found;
    struct refrain_item unsettled[2 * UNSETTLED_TERMS]; /* a value is one item, a loop over one value two */
    if (!refrain_formula_archive(context, learner, n - settled, n - settled))
        return;
    memcpy(unsettled, items, (n - settled) * sizeof *items);
    formula->n_items = 0;
    refrain_repeat_begin(learner, first);
    for (unsigned i = 0; i < n_values; i++)
        if (!refrain_repeat_takes(learner, values[i])) { /* the values do not fit: restores the items */
            memcpy(items, unsettled, (n - settled) * sizeof *items);
            formula->n_items = (uint16_t)(n - settled);
            learner->confirmed = learner->until = 0;
            learner->state = REFRAIN_BUILD;
            break;
        }
}

void refrain_repeat_leave(struct refrain_context *context, struct refrain_learner *learner) {
    refrain_journal_begin(context, learner, 0);
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_repeat *repeat = refrain_repeat_of(formula);
    struct refrain_item *items = refrain_formula_items(formula);
    items[0] = (struct refrain_item){
        .kind = REFRAIN_ITEM_REPEAT,
        .span = 1,
        .back = 1,
        .base = (int64_t)learner->confirmed,
        .stride = {repeat->first.chunk, repeat->first.at, repeat->end.chunk, repeat->end.at},
    };
    formula->repeats = 1;
    if (learner->confirmed > SHORT_REPEAT)
        repeat->short_ones = 0;
    else if (repeat->short_ones < SHORT_REPEATS + MOST_SHORT)
        repeat->short_ones++;
    refrain_commit();
    formula->n_items = 1;
    repeat->settled = UINT32_MAX;
    learner->confirmed = learner->until = 0;
    learner->state = REFRAIN_BUILD;
}
