/* learn_count.c: the values of terms are counted, and the terms leave the formula (refrain_tally_terms).
 *
 * A term may stand for as many values as a run has events, and all of them are counted inside one probe. So only
 * MOST_STEPS iterations that differ are counted one by one: the first ones and the last. Of those between, each value
 * item is counted once, with the number of its values; that is a sum of polynomials, which few samples give. Values
 * that differ in all of them are counted together, as values for which there is no room are. */
#define _GNU_SOURCE
#include "context.h"
#include "learn_archive.h"
#include "learn_formula.h"
#include "learn_journal.h"
#include "learn_scratch.h"
#include "learn_tally.h"
#include "run/pool.h"
#include <refrain/trace.h>

#include <string.h>

#define MOST_STEPS 8192u     /* more than there are values in the largest tally */
#define FEW_ITERATIONS 16u   /* of a loop are counted one by one in as many steps again */
#define MANY_VALUES 4096u    /* of one item: more are not told apart */
#define MOST_SAMPLES 131072u /* of sums; then they are estimated */
#define HEIGHTS REFRAIN_LOOP_HEIGHTS

/* Who counts, and what is left of the steps. */
struct counting {
    struct refrain_context *context;
    uint32_t *tally;
    unsigned steps, samples; /* so far */
    uint64_t left;           /* values that are still to be counted of a beginning */
    uint64_t counter[HEIGHTS];
};

/* The loops around a value item, outermost first, and the item itself. */
struct chain {
    const struct refrain_item *loop[HEIGHTS];
    const struct refrain_item *item;
    unsigned n;     /* loops */
    unsigned fixed; /* bits: heights of loops of which one iteration is looked at */
};

/* Of the values of an item. Modulo 2^64, like the values. */
struct sum {
    uint64_t n, total;
};

static struct refrain_tally *tally_of(const struct counting *counting) {
    return refrain_at_reference(*counting->tally);
}

static uint64_t value_now(const struct counting *counting, const struct refrain_item *item) {
    uint64_t value = (uint64_t)item->base;
    for (unsigned h = 0; h < HEIGHTS; h++)
        value += (uint64_t)item->stride[h] * counting->counter[h];
    return value;
}

static uint64_t iterations_now(const struct counting *counting, const struct refrain_item *loop) {
    uint64_t value = value_now(counting, loop);
    return (int64_t)value < 0 ? 0 : value;
}

/* Do any of these items change from iteration to iteration of a loop at that height? */
static bool change(const struct refrain_item *items, unsigned n, unsigned height) {
    for (unsigned i = 0; i < n; i++)
        if (items[i].stride[height] != 0)
            return true;
    return false;
}

/* ---- sums ---- */

static struct sum sum_of_iterations(struct counting *counting, const struct chain *chain, unsigned level, uint64_t from,
                                    uint64_t to);

/* Of the loops from `level` on, for the counters of the others. */
static struct sum sum_now(struct counting *counting, const struct chain *chain, unsigned level) {
    if (level == chain->n)
        return (struct sum){1, value_now(counting, chain->item)};
    if (chain->fixed >> chain->loop[level]->height & 1)
        return sum_now(counting, chain, level + 1);
    return sum_of_iterations(counting, chain, level, 0, iterations_now(counting, chain->loop[level]));
}

static struct sum sum_at(struct counting *counting, const struct chain *chain, unsigned level, uint64_t iteration) {
    unsigned height = chain->loop[level]->height;
    counting->samples++;
    counting->counter[height] = iteration;
    struct sum sum = sum_now(counting, chain, level + 1);
    counting->counter[height] = 0;
    return sum;
}

/* Is the sum another one in each iteration of the loop at `level`? */
static bool sum_changes(const struct chain *chain, unsigned level) {
    unsigned height = chain->loop[level]->height;
    for (unsigned i = level + 1; i < chain->n; i++)
        if (chain->loop[i]->stride[height] != 0)
            return true;
    return chain->item->stride[height] != 0;
}

/* n choose k, modulo 2^64. */
static uint64_t choose(uint64_t n, unsigned k) {
    uint64_t factors[HEIGHTS + 4], product = 1;
    for (unsigned i = 0; i < k; i++)
        factors[i] = n - i;
    for (unsigned divisor = 2; divisor <= k; divisor++) {
        uint64_t rest = divisor;
        for (unsigned i = 0; i < k && rest > 1; i++)
            for (uint64_t prime = 2; prime <= rest; prime++)
                while (rest % prime == 0 && factors[i] % prime == 0) {
                    rest /= prime;
                    factors[i] /= prime;
                }
    }
    for (unsigned i = 0; i < k; i++)
        product *= factors[i];
    return n < k ? 0 : product;
}

/* A polynomial of degree n - 1, as the differences of n samples. */
static void take_differences(struct sum *samples, unsigned n) {
    for (unsigned order = 1; order < n; order++)
        for (unsigned i = n; --i >= order;) {
            samples[i].n -= samples[i - 1].n;
            samples[i].total -= samples[i - 1].total;
        }
}

/* What the samples' differences say of place x; with `shift` 1, of the sum of all places before it. */
static struct sum extrapolate(const struct sum *differences, unsigned n, uint64_t x, unsigned shift) {
    struct sum sum = {0, 0};
    for (unsigned i = 0; i < n; i++) {
        uint64_t factor = choose(x, i + shift);
        sum.n += factor * differences[i].n;
        sum.total += factor * differences[i].total;
    }
    return sum;
}

static struct sum plus(struct sum a, struct sum b) {
    return (struct sum){a.n + b.n, a.total + b.total};
}

/* About, where too many samples have been taken: between the first iteration's and the last one's. */
static struct sum estimate(struct counting *counting, const struct chain *chain, unsigned level, uint64_t from,
                           uint64_t to) {
    struct sum first = sum_at(counting, chain, level, from), last = sum_at(counting, chain, level, to - 1);
    uint64_t n = first.n / 2 + last.n / 2, total = (uint64_t)((int64_t)first.total / 2 + (int64_t)last.total / 2);
    refrain_lose(REFRAIN_LOSS_COUNTS, n * (to - from));
    return (struct sum){n * (to - from), total * (to - from)};
}

/* Narrows iterations down to those in which the next loop within has any. */
static void skip_empty(struct counting *counting, const struct chain *chain, unsigned level, uint64_t *from,
                       uint64_t *to) {
    const struct refrain_item *inner = chain->loop[level + 1];
    unsigned height = chain->loop[level]->height;
    if (chain->fixed >> inner->height & 1)
        return;
    counting->counter[height] = *from;
    int64_t at_first = (int64_t)value_now(counting, inner), step = inner->stride[height];
    counting->counter[height] = 0;
    if (at_first <= 0 && step <= 0) {
        *from = *to;
    } else if (at_first <= 0) {
        uint64_t empty = (uint64_t)-at_first / (uint64_t)step + 1;
        *from = empty < *to - *from ? *from + empty : *to;
    } else if (step < 0) {
        uint64_t n = ((uint64_t)at_first - 1) / (uint64_t)-step + 1;
        *to = n < *to - *from ? *from + n : *to;
    }
}

/* Of values alone. */
static struct sum sum_of_values(struct counting *counting, const struct chain *chain, uint64_t from, uint64_t to) {
    unsigned height = chain->loop[chain->n - 1]->height;
    uint64_t n = to - from, pairs = n % 2 ? n * ((n - 1) / 2) : n / 2 * (n - 1);
    counting->counter[height] = from;
    uint64_t first = value_now(counting, chain->item);
    counting->counter[height] = 0;
    return (struct sum){n, n * first + pairs * (uint64_t)chain->item->stride[height]};
}

/* Each inner loop adds one to the degree of a polynomial of the counter, and so does the value. It is one where the
 * samples of its end are as those of its beginning say. It may be none where a loop further within has no iterations
 * at times: then its halves are looked at. */
static struct sum sum_of_iterations(struct counting *counting, const struct chain *chain, unsigned level, uint64_t from,
                                    uint64_t to) {
    struct sum samples[HEIGHTS + 2], sum = {0, 0};
    unsigned n = chain->n - level + 1;
    if (from < to && level + 1 == chain->n)
        return sum_of_values(counting, chain, from, to);
    if (from < to)
        skip_empty(counting, chain, level, &from, &to);
    if (from >= to)
        return sum;
    if (!sum_changes(chain, level)) {
        sum = sum_at(counting, chain, level, from);
        return (struct sum){sum.n * (to - from), sum.total * (to - from)};
    }
    if (to - from <= 2 * n) {
        for (uint64_t i = from; i < to; i++)
            sum = plus(sum, sum_at(counting, chain, level, i));
        return sum;
    }
    if (counting->samples > MOST_SAMPLES)
        return estimate(counting, chain, level, from, to);
    for (unsigned i = 0; i < n; i++)
        samples[i] = sum_at(counting, chain, level, from + i);
    take_differences(samples, n);
    bool fits = true;
    for (uint64_t i = to - n; i < to && fits; i++) {
        struct sum at_end = sum_at(counting, chain, level, i), expected = extrapolate(samples, n, i - from, 0);
        fits = at_end.n == expected.n && at_end.total == expected.total;
    }
    if (fits)
        return extrapolate(samples, n, to - from, 1);
    uint64_t middle = from + (to - from) / 2;
    return plus(sum_of_iterations(counting, chain, level, from, middle),
                sum_of_iterations(counting, chain, level, middle, to));
}

/* ---- value items ---- */

typedef void use_chain(struct counting *counting, struct chain *chain, void *data);

/* Calls `use` for each value item of the term, with the loops around it behind those that the chain has already. */
static void for_each_value(struct counting *counting, const struct refrain_item *item, struct chain *chain,
                           use_chain *use, void *data) {
    if (item->kind == REFRAIN_ITEM_VALUE) {
        chain->item = item;
        use(counting, chain, data);
        return;
    }
    chain->loop[chain->n++] = item;
    for (unsigned i = 1; i < item->span; i += item[i].span)
        for_each_value(counting, &item[i], chain, use, data);
    chain->n--;
}

/* The iterations of the outermost loop that are looked at, and how often they come. */
struct part {
    uint64_t from, to, times;
    uint64_t n; /* values: what comes of it */
};

static void add_number(struct counting *counting, struct chain *chain, void *data) {
    struct part *part = data;
    part->n += sum_of_iterations(counting, chain, 0, part->from, part->to).n;
}

/* Values of the first iterations of a loop. */
static uint64_t values_of_iterations(struct counting *counting, const struct refrain_item *loop, uint64_t iterations) {
    struct part part = {.to = iterations};
    struct chain chain = {.n = 0};
    for_each_value(counting, loop, &chain, add_number, &part);
    return part.n;
}

static uint64_t values_of(struct counting *counting, const struct refrain_item *item) {
    return item->kind == REFRAIN_ITEM_VALUE    ? 1
           : item->kind == REFRAIN_ITEM_REPEAT ? (uint64_t)item->base
                                               : values_of_iterations(counting, item, iterations_now(counting, item));
}

/* A loop in the outermost one whose counter changes the value, where it has few iterations, the same number in each of
 * the others'. 0: there is none. */
static unsigned loop_of_few(const struct counting *counting, const struct chain *chain) {
    for (unsigned level = 1; level < chain->n; level++) {
        const struct refrain_item *loop = chain->loop[level];
        bool same = true;
        for (unsigned around = 0; around < level; around++)
            same &= loop->stride[chain->loop[around]->height] == 0 || chain->fixed >> chain->loop[around]->height & 1;
        if (chain->item->stride[loop->height] != 0 && !(chain->fixed >> loop->height & 1) && same &&
            iterations_now(counting, loop) <= MANY_VALUES &&
            counting->samples + iterations_now(counting, loop) <= MOST_SAMPLES)
            return level;
    }
    return 0;
}

/* Is the value another one in some iterations of its loops? */
static bool value_changes(const struct chain *chain) {
    for (unsigned level = 0; level < chain->n; level++)
        if (chain->item->stride[chain->loop[level]->height] != 0 && !(chain->fixed >> chain->loop[level]->height & 1))
            return true;
    return false;
}

static void count_value_item(struct counting *counting, struct chain *chain, void *data) {
    const struct part *part = data;
    unsigned level = loop_of_few(counting, chain);
    if (level > 0) {
        unsigned height = chain->loop[level]->height;
        uint64_t iterations = iterations_now(counting, chain->loop[level]);
        chain->fixed |= 1u << height;
        for (uint64_t k = 0; k < iterations; k++) {
            counting->counter[height] = k;
            count_value_item(counting, chain, data);
        }
        counting->counter[height] = 0;
        chain->fixed &= ~(1u << height);
        return;
    }
    struct sum sum = sum_of_iterations(counting, chain, 0, part->from, part->to);
    uint64_t value = value_now(counting, chain->item);
    if (sum.n == 0)
        return;
    if (value_changes(chain))
        refrain_tally_add_rest(counting->tally, (int64_t)value, sum.n * part->times, sum.total * part->times);
    else
        refrain_tally_add(counting->context, counting->tally, (const int64_t *)&value, sum.n * part->times);
}

/* ---- terms ---- */

static void count_item(struct counting *counting, const struct refrain_item *item, uint64_t times);

/* The first value of an item, about: a loop may have none. */
static int64_t first_value(const struct counting *counting, const struct refrain_item *item) {
    while (item->kind == REFRAIN_ITEM_LOOP)
        item++;
    return (int64_t)value_now(counting, item);
}

/* How many runs of equal values there will be before those that begin with `first`. */
static uint64_t runs_before(const struct counting *counting, int64_t first) {
    const struct refrain_tally *tally = tally_of(counting);
    return tally->runs + (tally->count == 0 || first != tally->last);
}

/* Runs are counted about where their values are not counted one by one. */
static void keep_runs_within_count(struct refrain_tally *tally) {
    if (tally->runs > tally->count)
        tally->runs = tally->count;
}

/* What was counted since there were `before` runs comes `more` times more: so do its runs. */
static void repeat_runs(struct counting *counting, uint64_t before, int64_t first, uint64_t more) {
    struct refrain_tally *tally = tally_of(counting);
    uint64_t inside = tally->runs > before ? tally->runs - before : 0;
    tally->runs += more * (inside + (first != tally->last));
    keep_runs_within_count(tally);
}

static void count_iteration(struct counting *counting, const struct refrain_item *loop, uint64_t k, uint64_t times) {
    counting->steps++;
    counting->counter[loop->height] = k;
    for (unsigned i = 1; i < loop->span; i += loop[i].span)
        count_item(counting, &loop[i], times);
    counting->counter[loop->height] = 0;
}

/* Counts iterations that differ together. As many runs are in them as in those before, `runs` in `from` iterations. */
static void count_together(struct counting *counting, const struct refrain_item *loop, uint64_t from, uint64_t to,
                           uint64_t times, uint64_t runs) {
    struct part part = {.from = from, .to = to, .times = times};
    struct chain chain = {.n = 0};
    uint64_t count = tally_of(counting)->count, now = tally_of(counting)->runs;
    for_each_value(counting, loop, &chain, count_value_item, &part);
    struct refrain_tally *tally = tally_of(counting);
    uint64_t counted = tally->count - count, more = (to - from) / from * runs + (to - from) % from * runs / from;
    tally->runs = now + (more < counted ? more : counted);
    keep_runs_within_count(tally);
}

/* Counts the first iterations of a loop, `times` times; their runs once. */
static void count_iterations(struct counting *counting, const struct refrain_item *loop, uint64_t iterations,
                             uint64_t times) {
    if (iterations == 0)
        return;
    int64_t first = first_value(counting, loop + 1);
    uint64_t before = runs_before(counting, first);
    if (!change(loop + 1, loop->span - 1u, loop->height)) {
        count_iteration(counting, loop, 0, times * iterations);
        repeat_runs(counting, before, first, iterations - 1);
        return;
    }
    for (uint64_t k = 0; k < iterations; k++) {
        unsigned few = counting->steps < 2 * MOST_STEPS ? FEW_ITERATIONS : 1;
        if (counting->steps >= MOST_STEPS && k >= few && iterations - k > few) {
            count_together(counting, loop, k, iterations - 1, times, tally_of(counting)->runs - before);
            k = iterations - 1;
        }
        count_iteration(counting, loop, k, times);
    }
}

/* Counts the values of an item, `times` times; their runs once. */
static void count_item(struct counting *counting, const struct refrain_item *item, uint64_t times) {
    if (item->kind == REFRAIN_ITEM_LOOP) {
        count_iterations(counting, item, iterations_now(counting, item), times);
        return;
    }
    uint64_t value = value_now(counting, item);
    refrain_tally_add(counting->context, counting->tally, (const int64_t *)&value, times);
}

/* The most whole iterations that have at most `values` values. */
static uint64_t iterations_within(struct counting *counting, const struct refrain_item *loop, uint64_t values) {
    uint64_t least = 0, most = iterations_now(counting, loop);
    while (least < most) {
        uint64_t middle = least + (most - least + 1) / 2;
        if (values_of_iterations(counting, loop, middle) <= values)
            least = middle;
        else
            most = middle - 1;
    }
    return least;
}

/* Counts the first `left` values of an item that has more. */
static void count_beginning(struct counting *counting, const struct refrain_item *loop, uint64_t times) {
    uint64_t whole = iterations_within(counting, loop, counting->left);
    uint64_t values = values_of_iterations(counting, loop, whole);
    counting->left -= values < counting->left ? values : counting->left; /* it may be an estimate */
    count_iterations(counting, loop, whole, times);
    counting->counter[loop->height] = whole;
    for (unsigned i = 1; i < loop->span && counting->left > 0; i += loop[i].span) {
        values = values_of(counting, &loop[i]);
        if (values > counting->left) {
            count_beginning(counting, &loop[i], times);
            break;
        }
        count_item(counting, &loop[i], times);
        counting->left -= values;
    }
    counting->counter[loop->height] = 0;
}

/* ---- repetitions of archived terms ---- */

struct range {
    struct refrain_archive_position first, end;
};

static struct range range_of(const struct refrain_item *repeat) {
    return (struct range){{(uint32_t)repeat->stride[0], (uint32_t)repeat->stride[1]},
                          {(uint32_t)repeat->stride[2], (uint32_t)repeat->stride[3]}};
}

static bool same_position(struct refrain_archive_position a, struct refrain_archive_position b) {
    return a.chunk == b.chunk && a.at == b.at;
}

/* Values between the two positions; where there are more than `most`, any such number. */
static uint64_t values_between(struct counting *counting, struct range range, uint64_t most) {
    struct refrain_item *term = counting->context->scratch->term;
    uint64_t n = 0;
    while (n <= most && !same_position(range.first, range.end)) {
        unsigned n_values = refrain_archive_read(&range.first, term);
        n += n_values > 0 ? n_values : values_of(counting, term);
    }
    return n;
}

static void count_repetition(struct counting *counting, struct range range, uint64_t values, uint64_t times);

/* Counts the first values of what lies between two positions, `times` times. */
static void count_range(struct counting *counting, struct range range, uint64_t values, uint64_t times) {
    struct refrain_item *term = counting->context->scratch->term;
    while (values > 0 && !same_position(range.first, range.end)) {
        unsigned n_values = refrain_archive_read(&range.first, term);
        for (unsigned i = 0; i < n_values && values > 0; i++, values--)
            refrain_tally_add(counting->context, counting->tally, &((const int64_t *)term)[i], times);
        if (n_values > 0)
            continue;
        uint64_t n = values_of(counting, term), now = n < values ? n : values;
        counting->left = now;
        if (term->kind == REFRAIN_ITEM_REPEAT)
            count_repetition(counting, range_of(term), now, times);
        else if (n > values)
            count_beginning(counting, term, times);
        else
            count_item(counting, term, times);
        values -= now;
    }
}

/* Counts `values` values of what lies between two positions of the archive, over and over. */
static void count_repetition(struct counting *counting, struct range range, uint64_t values, uint64_t times) {
    uint64_t in_range = values_between(counting, range, values);
    if (in_range == 0)
        return;
    if (in_range <= values) {
        uint64_t before = tally_of(counting)->runs;
        count_range(counting, range, in_range, times * (values / in_range));
        tally_of(counting)->runs += (values / in_range - 1) * (tally_of(counting)->runs - before);
        keep_runs_within_count(tally_of(counting));
    }
    count_range(counting, range, values % in_range, times);
}

bool refrain_tally_terms(struct refrain_context *context, struct refrain_learner *learner, unsigned keep) {
    static const struct refrain_row values = {.width = 1}, counts = {.width = 1, .amounts = 1};
    struct refrain_formula *formula = refrain_at_reference(learner->body);
    struct refrain_item *items = refrain_formula_items(formula);
    if (!learner->tally) {
        learner->tally = refrain_tally_make(learner->kind == REFRAIN_KIND_LOOP ? &counts : &values, false);
        if (!learner->tally)
            return false;
        refrain_lose(REFRAIN_LOSS_LEARNERS, 1);
    }
    refrain_journal_tally(context, learner);
    struct counting counting = {.context = context, .tally = &learner->tally};
    uint64_t before = tally_of(&counting)->count;
    unsigned moved = 0;
    for (; formula->n_items - moved > keep; moved += items[moved].span)
        if (items[moved].kind == REFRAIN_ITEM_REPEAT)
            count_repetition(&counting, range_of(&items[moved]), (uint64_t)items[moved].base, 1);
        else
            count_item(&counting, &items[moved], 1);
    for (unsigned i = 0; i < formula->n_values; i++)
        refrain_tally_add(context, &learner->tally, &refrain_formula_values(formula)[i], 1);
    formula->n_values = 0;
    memmove(items, items + moved, (formula->n_items - moved) * sizeof *items);
    formula->n_items = (uint16_t)(formula->n_items - moved);
    refrain_lose(REFRAIN_LOSS_SUMMARY_VALUES, tally_of(&counting)->count - before);
    return true;
}
