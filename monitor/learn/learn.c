/* learn.c: transitions of a learner (learn.h draws them): closing and opening loops, looking for repetition.
 *
 * Repetition is looked for at the end of the items only, after Ketterlin and Clauss (CGO 2008): three rows of k terms
 * of one shape whose numbers go up by constant steps become a loop of 3; two equal rows of two or more terms become a
 * loop of 2; a row that continues the loop before it is taken in. A loop that has just been made is open: as long as
 * values come as it predicts, only a counter moves. It takes part in larger repetition once it is closed by another
 * value. Longer rows than a formula holds are found by learn_repeat.c.
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

#define LONGEST_ROW (REFRAIN_FORMULA_ITEMS / 2) /* terms in one repetition */
#define SHORT_ROW 8u                            /* terms in the repetitions that every value is checked for ... */
#define SHORTEST_ROW 2u                         /* ... once these are as good as never found */
#define SOME_PATIENCE 8u
#define LASTING_VALUES 64u /* predicted in a row by more than a run: there is something to find */

/* ---- prediction ---- */

static struct refrain_item *last_term(struct refrain_formula *formula) {
    struct refrain_item *end = refrain_formula_items(formula) + formula->n_items;
    return end - end[-1].back;
}

/* The last term is a loop: predict its next iteration. */
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

/* The loop that was begun does not go on with the value. */
static void predict_not(struct refrain_learner *learner) {
    learner->state = REFRAIN_BUILD;
    learner->until = learner->confirmed;
    learner->next_item = 0;
}

/* ---- closing a loop ---- */

/* Copies the term at `source`, with the counters of the loops named by `open` (bit h: height h) put in, to the end of
 * `out`. A loop of no iterations vanishes, one of 1 is its body, two single values stay two values: the shapes that
 * building value by value gives. Returns the new end. */
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
    if (head.base == 1) { /* its body, as terms of their own; a loop that this iteration has none of vanishes too */
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

/* Ends the continuation of the last loop: its whole iterations become its count, what came of the next one is written
 * to `out` as terms. Returns their number of items. */
static unsigned close_loop(struct refrain_learner *learner, struct refrain_formula *formula, struct refrain_item *out) {
    struct refrain_item *items = refrain_formula_items(formula);
    refrain_predict_cycle_end(learner, formula, last_term(formula));
    unsigned height = formula->innermost, position = formula->position;
    struct refrain_open_loop *within = &formula->loops[height];
    if (refrain_learn_left(learner) > 0) { /* the value expected has not come: step back to it */
        position--;
        if (items[within->item].span == 2)
            within->counter = within->limit - refrain_learn_left(learner);
    }
    unsigned path[REFRAIN_LOOP_HEIGHTS], depth = 0;
    for (unsigned h = height; h != REFRAIN_LOOP_HEIGHTS; h = formula->loops[h].outer)
        path[depth++] = h;
    struct refrain_open_loop *top = &formula->loops[path[depth - 1]];
    if (position == within->item + items[within->item].span) { /* at the end of a body: that iteration is whole */
        within->counter++;
        position = within->item + 1;
    }
    unsigned n = 0, open = 0;
    for (unsigned d = depth; d-- > 0;) {
        const struct refrain_open_loop *here = &formula->loops[path[d]];
        if (d + 1 < depth) { /* the iterations this inner loop has done */
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

/* ---- looking for repetition ---- */

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

/* Fills starts[] up to `terms`; false when there are not so many. */
static inline bool know_starts(const struct refrain_item *items, uint32_t *starts, unsigned *known, unsigned terms) {
    while (*known < terms) {
        if (starts[*known] == 0)
            return false;
        starts[*known + 1] = starts[*known] - items[starts[*known] - 1].back;
        (*known)++;
    }
    return true;
}

/* Of the term that ends with items[n - 1]. */
static uint16_t shape_of(const struct refrain_item *term, unsigned n) {
    uint64_t hash = 0;
    for (unsigned i = 0; i < n && n > 1; i++) {
        hash = (hash + term[i].span) * 0x9e3779b97f4a7c15u + (unsigned)(term[i].kind << 4 | term[i].height);
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            hash = (hash ^ (uint64_t)term[i].stride[h]) * 0xff51afd7ed558ccdu;
    }
    return (uint16_t)(hash >> 48 | (n > 1));
}

/* Height of a loop around these items; REFRAIN_LOOP_HEIGHTS when there is none left. */
static unsigned height_around(const struct refrain_item *items, unsigned n) {
    unsigned height = 0;
    for (unsigned i = 0; i < n; i++)
        if (items[i].kind == REFRAIN_ITEM_LOOP && items[i].height >= height)
            height = items[i].height + 1u;
    return height;
}

/* Do the `n` items at `row` continue `loop`? */
static bool continues(const struct refrain_item *loop, const struct refrain_item *row, unsigned n) {
    if (loop->kind != REFRAIN_ITEM_LOOP || loop->span != n + 1)
        return false;
    const struct refrain_item *body = loop + 1;
    if (n == 1) /* a run, by far the most frequent case */
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

/* Replaces the items from `first` on, rows of `n` items each, by a loop of `count` over the first row. */
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
    uint32_t *starts = context->scratch->starts; /* starts[t]: where the last t terms begin */
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

/* A search for rows of any length has found one of `terms`, or none. Long rows are looked for less and less often while
 * there are none: a sequence without repetition must not cost a full search per value. Short ones are come to by
 * chance, and say nothing. */
static void judge_search(struct refrain_formula *formula, unsigned terms) {
    if (terms > SHORT_ROW)
        formula->patience /= 2;
    else if (terms == 0 && formula->patience < REFRAIN_MOST_PATIENCE && formula->n_items > 2 * SHORT_ROW)
        formula->patience++;
}

/* One reduction, if there is any. */
static bool reduce(struct refrain_context *context, struct refrain_learner *learner, struct refrain_formula *formula) {
    if (formula->patience >= REFRAIN_MOST_PATIENCE || formula->waited++ < formula->patience)
        return reduce_rows(context, learner, formula, formula->patience < SOME_PATIENCE ? SHORT_ROW : SHORTEST_ROW) > 0;
    formula->waited = 0;
    unsigned terms = reduce_rows(context, learner, formula, LONGEST_ROW);
    judge_search(formula, terms);
    return terms > 0;
}

/* ---- transitions ---- */

/* Adds a term and looks for repetition that it completes. False without memory. */
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
    /* Before the oldest terms leave the formula: the last chance to see the longest repetition. */
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

/* IDENTITY, other value: a^n becomes items. */
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

/* PREDICT, other value. */
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

/* Values that are plain, or come as the next part of a prediction says, cost no more than they have to. */
static inline bool takes(struct refrain_context *context, struct refrain_learner *learner, int64_t value) {
    if (learner->state == REFRAIN_PLAIN)
        return refrain_plain_takes(context, learner, value);
    if (refrain_learn_left(learner) > 0)
        return false;
    return learner->state == REFRAIN_REPEAT    ? refrain_repeat_takes(learner, value)
           : learner->state == REFRAIN_PREDICT ? predict_takes(learner, formula_of(learner), value)
                                               : false;
}

/* Handles a value that the state does not go on with. */
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
