/* learn.c: the transitions of a learner, which learn.h draws: closes and opens loops, and searches for repetition.
 *
 * Repetition is searched at the end of the items only, after Ketterlin and Clauss (CGO 2008). A row is a number of
 * consecutive terms. There are three rules:
 *
 *     three rows of one shape, with constant steps from row to row   become a loop of 3
 *     two equal rows of two or more terms                            become a loop of 2
 *     a row that continues the loop before it                        becomes another iteration of this loop
 *
 * A new loop is open: as long as it predicts the values, only a counter moves. Another value closes it. Only a closed
 * loop can be a term of a row. Rows that are longer than a formula are found by learn_repeat.c.
 */
#define _GNU_SOURCE
#include "learn.h"
#include "arch/arch.h"
#include "context.h"
#include "learn_formula.h"
#include "learn_journal.h"
#include "learn_memory.h"
#include "learn_plain.h"
#include "learn_predict.h"
#include "learn_repeat.h"
#include "learn_scratch.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define LONGEST_ROW (REFRAIN_FORMULA_ITEMS / 2) /* most terms of a row */
#define SHORT_ROW 8u                            /* most terms of a row that is searched at every value ... */
#define SHORTEST_ROW 2u                         /* ... if searches have long found nothing */
#define SOME_PATIENCE 8u
#define LASTING_VALUES 64u /* a loop that predicted so many values shows that the sequence has rules */

/* ---- prediction ---- */

static struct refrain_item *last_term(struct refrain_formula *formula) {
    struct refrain_item *end = refrain_formula_items(formula) + formula->n_items;
    return end - end[-1].back;
}

/* Begins to predict the next iteration of the last term, which is a loop. */
static void predict_begin(struct refrain_learner *learner, struct refrain_formula *formula) {
    struct refrain_item *loop = last_term(formula);
    refrain_predict_from(learner, formula, (unsigned)(loop - refrain_formula_items(formula)), (uint64_t)loop->base,
                         UINT64_MAX);
    refrain_predict_cycle(learner, loop);
    learner->confirmed = learner->until = 0;
    learner->state = REFRAIN_PREDICT;
}

static bool predict_takes(struct refrain_learner *learner, struct refrain_formula *formula, int64_t value) {
    if (refrain_learn_left(learner) == 0 && !refrain_predict_more(learner, formula))
        return false;
    return refrain_learn_expected(learner, value);
}

/* Ends a prediction whose first value did not come. */
static void predict_not(struct refrain_learner *learner) {
    learner->state = REFRAIN_BUILD;
    learner->until = learner->confirmed;
    learner->next_item = 0;
}

/* ---- closing a loop ---- */

/* Copies the term at `source` to out[n], with the values of the counters of the open loops (`open`: bit h for the loop
 * of height h). The copy has the shape that learning value by value gives: a loop without iterations is left out, a
 * loop of one iteration is replaced by its body, and a loop of two iterations over one value by two values. Returns the
 * new number of items. */
static unsigned instantiate(const struct refrain_formula *formula, const struct refrain_item *source, unsigned open,
                            struct refrain_item *out, unsigned n) {
    struct refrain_item head = *source;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        if (open >> h & 1) {
            head.base = (int64_t)((uint64_t)head.base + (uint64_t)head.stride[h] * formula->loops[h].counter);
            head.stride[h] = 0;
        }
    if (head.kind == REFRAIN_ITEM_VALUE) {
        head.back = 1;
        out[n] = head;
        return n + 1;
    }
    if (head.base <= 0)
        return n;
    unsigned first = n;
    out[n++] = head;
    for (unsigned i = 1; i < source->span; i++) {
        struct refrain_item item = source[i];
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (open >> h & 1) {
                item.base = (int64_t)((uint64_t)item.base + (uint64_t)item.stride[h] * formula->loops[h].counter);
                item.stride[h] = 0;
            }
        item.back = 0;
        out[n++] = item;
    }
    out[n - 1].back = head.span;
    if (head.base == 1) { /* Its body replaces it. Loops in the body that have no iteration here are left out. */
        memmove(&out[first], &out[first + 1], (n - first - 1) * sizeof *out);
        n--;
        for (unsigned i = first; i < n;) {
            unsigned span = out[i].span;
            if (out[i].kind == REFRAIN_ITEM_LOOP && out[i].base <= 0) {
                memmove(&out[i], &out[i + span], (n - i - span) * sizeof *out);
                n -= span;
                continue;
            }
            for (unsigned j = 0; j < span; j++)
                out[i + j].stride[head.height] = 0;
            out[i + span - 1].back = (uint16_t)span;
            i += span;
        }
    } else if (head.base == 2 && head.span == 2) {
        out[first] = out[first + 1];
        out[first].back = out[first + 1].back = 1;
        out[first + 1].base = (int64_t)((uint64_t)out[first].base + (uint64_t)out[first].stride[head.height]);
        out[first].stride[head.height] = out[first + 1].stride[head.height] = 0;
    }
    return n;
}

/* Ends the prediction in the last loop. The number of its complete iterations becomes its count. The values of the
 * iteration that is not complete are written to `out` as terms. Returns the number of items in `out`. */
static unsigned close_loop(struct refrain_learner *learner, struct refrain_formula *formula, struct refrain_item *out) {
    struct refrain_item *items = refrain_formula_items(formula);
    refrain_predict_cycle_end(learner, formula, last_term(formula));
    unsigned height = formula->innermost, position = formula->position;
    struct refrain_open_loop *within = &formula->loops[height];
    if (refrain_learn_left(learner) > 0) { /* the expected value has not come, so the position moves back to it */
        position--;
        if (items[within->item].span == 2)
            within->counter = within->limit - refrain_learn_left(learner);
    }
    unsigned path[REFRAIN_LOOP_HEIGHTS], depth = 0;
    for (unsigned h = height; h != REFRAIN_LOOP_HEIGHTS; h = formula->loops[h].outer)
        path[depth++] = h;
    struct refrain_open_loop *top = &formula->loops[path[depth - 1]];
    if (position == within->item + items[within->item].span) { /* at the end of the body: the iteration is complete */
        within->counter++;
        position = within->item + 1;
    }
    unsigned n = 0, open = 0;
    for (unsigned d = depth; d-- > 0;) {
        const struct refrain_open_loop *here = &formula->loops[path[d]];
        if (d + 1 < depth) { /* the complete iterations of this inner loop */
            struct refrain_item saved = items[here->item];
            items[here->item].base = (int64_t)here->counter;
            memset(items[here->item].stride, 0, sizeof saved.stride);
            n = instantiate(formula, &items[here->item], open, out, n);
            items[here->item] = saved;
        }
        open |= 1u << path[d];
        unsigned end = d > 0 ? formula->loops[path[d - 1]].item : position;
        for (unsigned i = here->item + 1; i < end; i += items[i].span)
            n = instantiate(formula, &items[i], open, out, n);
    }
    items[top->item].base = (int64_t)top->counter;
    learner->confirmed = learner->until = 0;
    learner->state = REFRAIN_BUILD;
    return n;
}

/* ---- search for repetition ---- */

static bool same_shape(const struct refrain_item *a, const struct refrain_item *b, unsigned n) {
    for (unsigned i = 0; i < n; i++) {
        if (a[i].kind != b[i].kind || a[i].span != b[i].span || a[i].height != b[i].height ||
            a[i].kind == REFRAIN_ITEM_REPEAT)
            return false;
        if (memcmp(a[i].stride, b[i].stride, sizeof a[i].stride) != 0)
            return false;
    }
    return true;
}

static bool same_bases(const struct refrain_item *a, const struct refrain_item *b, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (a[i].base != b[i].base)
            return false;
    return true;
}

static bool same_steps(const struct refrain_item *a, const struct refrain_item *b, const struct refrain_item *c,
                       unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if ((uint64_t)b[i].base - (uint64_t)a[i].base != (uint64_t)c[i].base - (uint64_t)b[i].base)
            return false;
    return true;
}

/* Sets starts[] up to starts[terms]; the first `*known` are set. False if the formula has fewer terms. */
static inline bool know_starts(const struct refrain_item *items, uint32_t *starts, unsigned *known, unsigned terms) {
    while (*known < terms) {
        if (starts[*known] == 0)
            return false;
        starts[*known + 1] = starts[*known] - items[starts[*known] - 1].back;
        (*known)++;
    }
    return true;
}

/* Hash of a term of `n` items without the bases. 0 for a single value. */
static uint16_t shape_of(const struct refrain_item *term, unsigned n) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < n && n > 1; i++) {
        hash = (hash + term[i].span) * 0x9e3779b97f4a7c15u + (unsigned)(term[i].kind << 4 | term[i].height);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            hash = (hash ^ (uint64_t)term[i].stride[h]) * 0xff51afd7ed558ccdu;
    }
    return (uint16_t)(hash >> 48 | (n > 1));
}

/* Height of a loop with these items as its body. REFRAIN_LOOP_HEIGHTS if that is too high. */
static unsigned height_around(const struct refrain_item *items, unsigned n) {
    unsigned height = 0;
    for (unsigned i = 0; i < n; i++)
        if (items[i].kind == REFRAIN_ITEM_LOOP && items[i].height >= height)
            height = items[i].height + 1u;
    return height;
}

/* True if the `n` items at `row` are the next iteration of `loop`. */
static bool continues(const struct refrain_item *loop, const struct refrain_item *row, unsigned n) {
    if (loop->kind != REFRAIN_ITEM_LOOP || loop->span != n + 1)
        return false;
    const struct refrain_item *body = loop + 1;
    if (n == 1) /* a loop over one value, by far the most frequent case */
        return row->kind == REFRAIN_ITEM_VALUE &&
               (uint64_t)body->base + (uint64_t)body->stride[0] * (uint64_t)loop->base == (uint64_t)row->base;
    for (unsigned i = 0; i < n; i++) {
        if (body[i].kind != row[i].kind || body[i].span != row[i].span || body[i].height != row[i].height ||
            (uint64_t)body[i].base + (uint64_t)body[i].stride[loop->height] * (uint64_t)loop->base !=
                (uint64_t)row[i].base)
            return false;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            if (row[i].stride[h] != (h == loop->height ? 0 : body[i].stride[h]))
                return false;
    }
    return true;
}

/* Replaces the items from `first` on, which are rows of `n` items each, by a loop of `count` iterations over the first
 * row. The difference between the first two rows becomes the stride of each item. */
static void make_loop(struct refrain_formula *formula, unsigned first, unsigned n, int64_t count, unsigned height) {
    struct refrain_item *items = refrain_formula_items(formula);
    for (unsigned i = 0; i < n; i++) {
        items[first + i].stride[height] =
            (int64_t)((uint64_t)items[first + n + i].base - (uint64_t)items[first + i].base);
        items[first + i].back = 0;
    }
    memmove(&items[first + 1], &items[first], n * sizeof *items);
    items[first] = (struct refrain_item){
        .kind = REFRAIN_ITEM_LOOP, .height = (uint8_t)height, .span = (uint16_t)(n + 1), .base = count};
    items[first + n].back = (uint16_t)(n + 1);
    items[first + n].shape = shape_of(&items[first], n + 1);
    formula->n_items = (uint16_t)(first + n + 1);
}

/* One reduction at the end of the items by rows of at most `longest` terms: how many there are in the row, 0 where
 * there is none. Nearly all rows are told apart by their last items. */
static unsigned reduce_rows(struct refrain_context *context, struct refrain_learner *learner,
                            struct refrain_formula *formula, unsigned longest) {
    struct refrain_item *items = refrain_formula_items(formula);
    uint32_t *starts = context->scratch->starts; /* starts[t]: index of the first item of the last t terms */
    unsigned n = formula->n_items, known = 0;
    const struct refrain_item *last = &items[n - 1];
    starts[0] = n;
    for (unsigned k = 1; k <= longest; k++) {
        if (!know_starts(items, starts, &known, k + 1))
            return 0;
        unsigned row = starts[k], length = n - row;
        if (continues(&items[starts[k + 1]], &items[row], length)) {
            refrain_journal_begin(context, learner, starts[k + 1]);
            items[starts[k + 1]].base++;
            formula->n_items = (uint16_t)row;
            return k;
        }
        const struct refrain_item *last_before = &items[row - 1];
        if (last_before->shape != last->shape || last_before->back != last->back ||
            !know_starts(items, starts, &known, 2 * k))
            continue;
        unsigned before = starts[2 * k];
        if (row - before != length)
            continue;
        if (k > 1 && last_before->base == last->base && same_shape(&items[before], &items[row], length) &&
            same_bases(&items[before], &items[row], length)) {
            unsigned height = height_around(&items[row], length);
            if (height == REFRAIN_LOOP_HEIGHTS)
                continue;
            refrain_journal_begin(context, learner, before);
            make_loop(formula, before, length, 2, height);
            return k;
        }
        if (before == 0 || (uint64_t)items[before - 1].base + (uint64_t)last->base != 2 * (uint64_t)last_before->base ||
            items[before - 1].shape != last->shape || !know_starts(items, starts, &known, 3 * k))
            continue;
        unsigned earliest = starts[3 * k];
        if (before - earliest == length && same_shape(&items[before], &items[row], length) &&
            same_shape(&items[earliest], &items[before], length) &&
            same_steps(&items[earliest], &items[before], &items[row], length)) {
            unsigned height = height_around(&items[row], length);
            if (height == REFRAIN_LOOP_HEIGHTS)
                continue;
            refrain_journal_begin(context, learner, earliest);
            make_loop(formula, earliest, length, 3, height);
            return k;
        }
    }
    return 0;
}

/* A search for rows of all lengths has found one of `terms` terms, or none (0). The patience is the number of values
 * between two such searches. It grows as long as they find nothing, since a sequence without repetition must not cost a
 * full search for each value. A short row may be chance, and changes nothing. */
static void judge_search(struct refrain_formula *formula, unsigned terms) {
    if (terms > SHORT_ROW)
        formula->patience /= 2;
    else if (terms == 0 && formula->patience < REFRAIN_MOST_PATIENCE && formula->n_items > 2 * SHORT_ROW)
        formula->patience++;
}

/* Applies one rule, if any applies. */
static bool reduce(struct refrain_context *context, struct refrain_learner *learner, struct refrain_formula *formula) {
    if (formula->patience >= REFRAIN_MOST_PATIENCE || formula->waited++ < formula->patience)
        return reduce_rows(context, learner, formula, formula->patience < SOME_PATIENCE ? SHORT_ROW : SHORTEST_ROW) > 0;
    formula->waited = 0;
    unsigned terms = reduce_rows(context, learner, formula, LONGEST_ROW);
    judge_search(formula, terms);
    return terms > 0;
}

/* ---- transitions ---- */

/* Appends a term to the items. False without memory. */
static bool add_term(struct refrain_context *context, struct refrain_learner *learner,
                     const struct refrain_item *term) {
    unsigned span = term->span;
    struct refrain_formula *formula = refrain_formula_room(context, learner, span);
    if (!formula)
        return false;
    struct refrain_item *end = refrain_formula_items(formula) + formula->n_items;
    memcpy(end, term, span * sizeof *term);
    end[span - 1].back = (uint16_t)span;
    end[span - 1].shape = shape_of(term, span);
    refrain_commit();
    formula->n_items = (uint16_t)(formula->n_items + span);
    return true;
}

static struct refrain_formula *formula_of(const struct refrain_learner *learner) {
    return refrain_at_reference(learner->body);
}

static bool add_value(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    /* The oldest terms are about to leave the formula: the last chance to find the longest repetition. */
    while (formula_of(learner)->n_items >= context->formula_length) {
        unsigned terms = reduce_rows(context, learner, formula_of(learner), LONGEST_ROW);
        judge_search(formula_of(learner), terms);
        if (terms == 0)
            break;
        predict_begin(learner, formula_of(learner));
        if (predict_takes(learner, formula_of(learner), value))
            return true;
        predict_not(learner);
    }
    if (formula_of(learner)->n_items >= context->formula_length && refrain_plain_begin(context, learner))
        return refrain_plain_takes(context, learner, value);
    struct refrain_formula *formula = refrain_formula_room(context, learner, 1);
    if (!formula)
        return false;
    refrain_formula_items(formula)[formula->n_items] =
        (struct refrain_item){.kind = REFRAIN_ITEM_VALUE, .span = 1, .back = 1, .base = value};
    refrain_commit();
    formula->n_items++;
    if (reduce(context, learner, formula_of(learner))) {
        predict_begin(learner, formula_of(learner));
        return true;
    }
    if (formula_of(learner)->repeat && !refrain_learner_counts(learner))
        refrain_repeat_look(context, learner);
    return true;
}

/* IDENTITY, another value came: the value so far, n times, becomes items. */
static bool leave_identity(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    int64_t first = learner->expect;
    uint64_t n = learner->confirmed;
    refrain_journal_begin(context, learner, 0);
    if (!refrain_formula_create(context, learner))
        return false;
    struct refrain_formula *formula = formula_of(learner);
    struct refrain_item *items = refrain_formula_items(formula);
    struct refrain_item item = {.kind = REFRAIN_ITEM_VALUE, .span = 1, .back = 1, .base = first};
    if (n <= 2) {
        for (unsigned i = 0; i < n; i++)
            items[i] = item;
        formula->n_items = (uint16_t)n;
    } else {
        items[0] = (struct refrain_item){.kind = REFRAIN_ITEM_LOOP, .span = 2, .base = (int64_t)n};
        item.back = 2;
        items[1] = item;
        items[1].shape = shape_of(items, 2);
        formula->n_items = 2;
    }
    learner->confirmed = learner->until = 0;
    learner->state = REFRAIN_BUILD;
    return add_value(context, learner, value);
}

/* PREDICT, another value came. */
static bool leave_prediction(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    struct refrain_item *partial = context->scratch->items;
    refrain_journal_begin(context, learner,
                          (unsigned)(last_term(formula_of(learner)) - refrain_formula_items(formula_of(learner))));
    if (learner->confirmed >= LASTING_VALUES && last_term(formula_of(learner))->span > 2)
        formula_of(learner)->patience /= 2;
    unsigned n = close_loop(learner, formula_of(learner), partial);
    if (n == 0 && reduce(context, learner, formula_of(learner))) {
        do {
            predict_begin(learner, formula_of(learner));
            if (predict_takes(learner, formula_of(learner), value))
                return true;
            predict_not(learner);
        } while (reduce(context, learner, formula_of(learner)));
    }
    for (unsigned i = 0; i < n; i += partial[i].span) {
        if (!add_term(context, learner, &partial[i]))
            return false;
        while (reduce(context, learner, formula_of(learner)))
            ;
    }
    if (n > 0 && last_term(formula_of(learner))->kind == REFRAIN_ITEM_LOOP) {
        predict_begin(learner, formula_of(learner));
        if (predict_takes(learner, formula_of(learner), value))
            return true;
        predict_not(learner);
    }
    return add_value(context, learner, value);
}

/* Takes a plain value, or the next value of a prediction that has to be advanced. False if the value changes the state.
 * These cases are frequent, so they come first, and mostly without the journal. */
static inline bool takes(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    if (learner->state == REFRAIN_PLAIN)
        return refrain_plain_takes(context, learner, value);
    if (refrain_learn_left(learner) > 0)
        return false;
    return learner->state == REFRAIN_REPEAT    ? refrain_repeat_takes(learner, value)
           : learner->state == REFRAIN_PREDICT ? predict_takes(learner, formula_of(learner), value)
                                               : false;
}

/* Takes a value that takes() has not taken: changes the state as learn.h says. */
static __attribute__((noinline)) void leave(struct refrain_context *context, struct refrain_learner *learner,
                                            int64_t value, enum refrain_learner_kind kind) {
    bool kept = true;
    switch (learner->state) {
    case REFRAIN_EMPTY:
        learner->expect = value;
        learner->stride = 0;
        refrain_learn_promise(learner, UINT64_MAX - 1);
        learner->confirmed = 1;
        learner->kind = (uint8_t)kind;
        refrain_commit();
        learner->state = REFRAIN_IDENTITY;
        return;
    case REFRAIN_IDENTITY:
        kept = leave_identity(context, learner, value);
        break;
    case REFRAIN_PREDICT:
        kept = leave_prediction(context, learner, value);
        break;
    case REFRAIN_REPEAT:
        refrain_repeat_leave(context, learner);
        kept = add_value(context, learner, value);
        break;
    case REFRAIN_BUILD:
        kept = add_value(context, learner, value);
        break;
    case REFRAIN_PLAIN:
        kept = refrain_plain_empty(context, learner);
        if (!kept || takes(context, learner, value))
            break;
        kept = add_value(context, learner, value);
        break;
    default:
        refrain_summary_add(context, learner, value);
        return;
    }
    if (kept) {
        refrain_journal_end(context);
        return;
    }
    refrain_journal_undo(context, learner);
    refrain_summary_begin(context, learner, value);
}

void refrain_learn_other(struct refrain_context *context, struct refrain_learner *learner, int64_t value,
                         enum refrain_learner_kind kind) {
    if (!takes(context, learner, value))
        leave(context, learner, value, kind);
}
