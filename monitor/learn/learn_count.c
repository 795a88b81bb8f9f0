/* learn_count.c: counts the values of terms, which then leave the formula (refrain_tally_terms).
 *
 * This happens inside one probe, and a term may stand for as many values as a run has events. So a part that is the
 * same in all iterations of a loop is counted once, with a factor. A term that needs more than MOST_STEPS steps even so
 * stays in the formula, as a rule for many values. */
#define _GNU_SOURCE
#include "context.h"
#include "learn_archive.h"
#include "learn_formula.h"
#include "learn_journal.h"
#include "learn_scratch.h"
#include "learn_tally.h"
#include "run/pool.h"
#include <refrain/amounts.h>
#include <refrain/trace.h>

#include <string.h>

#define MOST_STEPS 8192u

/* The tally, and the counters of the loops around the item that is counted. */
struct counting {
    struct refrain_context *context;
    uint32_t *tally;
    uint64_t most_steps; /* limit for one term */
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
};

static struct refrain_tally *tally_of(const struct counting *counting) {
    return refrain_at_reference(*counting->tally);
}

static uint64_t value_now(const struct counting *counting, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * counting->counter[h];
    return value;
}

static uint64_t iterations_now(const struct counting *counting, const struct refrain_item *loop) {
    uint64_t value = value_now(counting, loop);
    return (int64_t)value < 0 ? 0 : value;
}

/* True if all iterations of the loop have the same values. */
static bool is_alike(const struct refrain_item *loop) {
    for (unsigned i = 1; i < loop->span; i++)
        if (loop[i].stride[loop->height] != 0)
            return false;
    return true;
}

/* Number of iterations that are counted one by one. If all are alike, only the first is, with a factor. */
static uint64_t iterations_counted(const struct refrain_item *loop, uint64_t iterations) {
    return iterations > 1 && is_alike(loop) ? 1 : iterations;
}

/* ---- items ---- */

/* The number of values of an item (UINT64_MAX: too many), and of the steps to count them. */
struct extent {
    uint64_t values, steps;
};

static struct extent extent_of(struct counting *counting, const struct refrain_item *item) {
    struct extent extent = {0, 1};
    if (item->kind == REFRAIN_ITEM_VALUE)
        return (struct extent){1, 1};
    uint64_t iterations = iterations_now(counting, item), counted = iterations_counted(item, iterations);
    for (uint64_t k = 0; k < counted && extent.steps <= counting->most_steps; k++) {
        counting->counter[item->height] = k;
        for (unsigned i = 1; i < item->span; i += item[i].span) {
            struct extent part = extent_of(counting, &item[i]);
            extent.values = refrain_sum(extent.values, part.values);
            extent.steps += part.steps;
        }
    }
    counting->counter[item->height] = 0;
    if (extent.steps > counting->most_steps ||
        (counted < iterations && __builtin_mul_overflow(extent.values, iterations, &extent.values)))
        extent.values = UINT64_MAX;
    return extent;
}

/* The first value of an item. If an inner loop has no iterations, it may be another value. */
static int64_t first_value(const struct counting *counting, const struct refrain_item *item) {
    while (item->kind == REFRAIN_ITEM_LOOP)
        item++;
    return (int64_t)value_now(counting, item);
}

/* Values have been counted since the tally had `before` runs, beginning with `first`. They come `more` times again, so
 * their runs do, too. */
static void repeat_runs(struct counting *counting, uint64_t before, int64_t first, uint64_t more) {
    struct refrain_tally *tally = tally_of(counting);
    uint64_t inside = tally->runs > before ? tally->runs - before : 0;
    tally->runs = refrain_least(tally->runs + more * (inside + (first != tally->last)), tally->count);
}

/* Counts each value of an item `times` times. Their runs are counted once. */
static void count_item(struct counting *counting, const struct refrain_item *item, uint64_t times) {
    if (item->kind == REFRAIN_ITEM_VALUE) {
        uint64_t value = value_now(counting, item);
        refrain_tally_add(counting->context, counting->tally, (const int64_t *)&value, times);
        return;
    }
    const struct refrain_tally *tally = tally_of(counting);
    int64_t first = first_value(counting, item + 1);
    uint64_t iterations = iterations_now(counting, item), counted = iterations_counted(item, iterations);
    uint64_t before = tally->runs + (tally->count == 0 || first != tally->last);
    for (uint64_t k = 0; k < counted; k++) {
        counting->counter[item->height] = k;
        for (unsigned i = 1; i < item->span; i += item[i].span)
            count_item(counting, &item[i], counted < iterations ? times * iterations : times);
    }
    counting->counter[item->height] = 0;
    if (counted < iterations)
        repeat_runs(counting, before, first, iterations - 1);
}

/* Counts each of the first `values` values of an item `times` times. Returns how many of them the item did not have. */
static uint64_t count_beginning(struct counting *counting, const struct refrain_item *item, uint64_t values,
                                uint64_t times) {
    if (item->kind == REFRAIN_ITEM_VALUE) {
        count_item(counting, item, times);
        return values - 1;
    }
    uint64_t iterations = iterations_now(counting, item);
    for (uint64_t k = 0; k < iterations && values > 0; k++) {
        counting->counter[item->height] = k;
        for (unsigned i = 1; i < item->span && values > 0; i += item[i].span)
            values = count_beginning(counting, &item[i], values, times);
    }
    counting->counter[item->height] = 0;
    return values;
}

/* ---- repetitions of archived terms ---- */

struct range {
    struct refrain_archive_position first, end;
};

static struct range range_of(const struct refrain_item *repeat) {
    return (struct range){{(uint32_t)repeat->stride[0], (uint32_t)repeat->stride[1]},
                          {(uint32_t)repeat->stride[2], (uint32_t)repeat->stride[3]}};
}

static bool is_empty(const struct range *range) {
    return range->first.chunk == range->end.chunk && range->first.at == range->end.at;
}

/* Number of values of an item or a REPEAT. */
static uint64_t values_of(struct counting *counting, const struct refrain_item *term) {
    return term->kind == REFRAIN_ITEM_REPEAT ? (uint64_t)term->base : extent_of(counting, term).values;
}

/* Number of values between two positions of the archive. If there are more than `most`, any number above `most`. */
static uint64_t values_between(struct counting *counting, struct range range, uint64_t most) {
    struct refrain_item *term = counting->context->scratch->term;
    uint64_t n = 0;
    while (n <= most && !is_empty(&range)) {
        unsigned in_group = refrain_archive_read(&range.first, term);
        n = refrain_sum(n, in_group > 0 ? in_group : values_of(counting, term));
    }
    return n;
}

static void count_repetition(struct counting *counting, struct range range, uint64_t values, uint64_t times);

/* Counts each of the first `values` values between two positions `times` times. */
static void count_range(struct counting *counting, struct range range, uint64_t values, uint64_t times) {
    struct refrain_item *term = counting->context->scratch->term;
    while (values > 0 && !is_empty(&range)) {
        unsigned in_group = refrain_archive_read(&range.first, term);
        for (unsigned i = 0; i < in_group && values > 0; i++, values--)
            refrain_tally_add(counting->context, counting->tally, &((const int64_t *)term)[i], times);
        if (in_group > 0)
            continue;
        uint64_t all = values_of(counting, term), n = refrain_least(all, values);
        if (term->kind == REFRAIN_ITEM_REPEAT)
            count_repetition(counting, range_of(term), n, times);
        else if (n < all)
            count_beginning(counting, term, n, times);
        else
            count_item(counting, term, times);
        values -= n;
    }
}

/* Counts `values` values of the part between two positions, which is repeated, each `times` times. */
static void count_repetition(struct counting *counting, struct range range, uint64_t values, uint64_t times) {
    uint64_t in_range = values_between(counting, range, values), whole = in_range ? values / in_range : 0;
    if (whole > 0) {
        uint64_t before = tally_of(counting)->runs;
        count_range(counting, range, in_range, times * whole);
        struct refrain_tally *tally = tally_of(counting);
        tally->runs = refrain_least(tally->runs + (whole - 1) * (tally->runs - before), tally->count);
    }
    count_range(counting, range, values - whole * in_range, times);
}

/* ---- terms ---- */

/* True if all values of the term can be counted in a few steps. */
static bool is_countable(struct counting *counting, const struct refrain_item *term) {
    if (term->kind != REFRAIN_ITEM_REPEAT)
        return extent_of(counting, term).steps <= counting->most_steps;
    uint64_t values = (uint64_t)term->base, in_range = values_between(counting, range_of(term), counting->most_steps);
    return refrain_least(values, in_range) <= counting->most_steps;
}

/* Returns how many items are left if the terms that can be counted are counted, the oldest first, until at most `keep`
 * items are left. */
static unsigned left_of(struct counting *counting, const struct refrain_item *items, unsigned n, unsigned keep) {
    unsigned left = n;
    for (unsigned i = 0; i < n && left > keep; i += items[i].span)
        left -= is_countable(counting, &items[i]) ? items[i].span : 0;
    return left;
}

bool refrain_tally_terms(struct refrain_context *context, struct refrain_learner *learner, unsigned keep) {
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_item *items = refrain_formula_items(formula);
    /* If the tally is too large for the journal, a failure could not be undone. So there must be none: the steps have
     * no limit. */
    bool may_fail = refrain_journal_tally(context, learner);
    struct counting counting = {context, &learner->tally, may_fail ? MOST_STEPS : UINT64_MAX, {0}};
    unsigned n = formula->n_items, left = left_of(&counting, items, n, keep), to = 0;
    if (left > keep || !refrain_tally_of_values(learner))
        return false;
    uint64_t before = tally_of(&counting)->count;
    left = n;
    for (unsigned from = 0, span; from < n; from += span) {
        span = items[from].span;
        if (left > keep && is_countable(&counting, &items[from])) {
            left -= span;
            if (items[from].kind == REFRAIN_ITEM_REPEAT)
                count_repetition(&counting, range_of(&items[from]), (uint64_t)items[from].base, 1);
            else
                count_item(&counting, &items[from], 1);
        } else {
            memmove(&items[to], &items[from], span * sizeof *items);
            to += span;
        }
    }
    for (unsigned i = 0; i < formula->n_values; i++)
        refrain_tally_add(context, &learner->tally, &refrain_formula_values(formula)[i], 1);
    formula->n_values = 0;
    formula->n_items = (uint16_t)left;
    refrain_lose(REFRAIN_LOSS_SUMMARY_VALUES, tally_of(&counting)->count - before);
    return true;
}
