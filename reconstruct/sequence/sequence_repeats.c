/* sequence_repeats.c: finds how often the same values repeat, without taking them (sequence.h). */
#include "sequence/sequence.h"

/* ---- a run ---- */

static bool is_run_of(const struct refrain_sequence *sequence, const int64_t *values, unsigned m) {
    bool equal = sequence->run >= m && sequence->value == values[0] && (m == 1 || sequence->stride == 0);
    for (unsigned k = 1; equal && k < m; k++)
        equal = values[k] == values[0];
    return equal;
}

/* ---- the middle of a loop ---- */

static bool is_in_terms(const struct refrain_sequence *sequence) {
    return sequence->term && (sequence->stage == REFRAIN_STAGE_TERMS || sequence->stage == REFRAIN_STAGE_CONTINUATION);
}

/* The innermost loop, if its body is single values, equal in each iteration. *first: index of the next value. Else
 * null. */
static struct refrain_open_loop *loop_of_values(struct refrain_sequence *sequence, unsigned *first) {
    if (!is_in_terms(sequence) || !sequence->flat || sequence->run > 1 || sequence->innermost == REFRAIN_LOOP_HEIGHTS)
        return NULL;
    struct refrain_open_loop *loop = &sequence->loops[sequence->innermost];
    const struct refrain_item *items = &sequence->term[loop->item];
    for (unsigned i = 1; i < items->span; i++)
        if (items[i].kind != REFRAIN_ITEM_VALUE)
            return NULL;
    unsigned next = sequence->position - (sequence->run == 1);
    if (next <= loop->item)
        return NULL;
    *first = next - loop->item - 1;
    return loop;
}

/* How often the values repeat, from the middle of such a body on. */
static uint64_t times_of_values(const struct refrain_sequence *sequence, const struct refrain_open_loop *loop,
                                unsigned first, const int64_t *values, unsigned m) {
    const struct refrain_item *items = &sequence->term[loop->item];
    unsigned n = items->span - 1;
    for (unsigned k = 0; k < m; k++)
        if (m % n != 0 || items[1 + (first + k) % n].base != values[k])
            return 0;
    return (loop->limit - loop->counter - 1) / (m / n);
}

/* ---- the start of an iteration ---- */

/* Leaves finished loops. Returns the enclosing loop whose next iteration begins now, or null. */
static struct refrain_open_loop *loop_at_iteration_start(struct refrain_sequence *sequence) {
    if (!is_in_terms(sequence) || sequence->run > 0 || sequence->row > 0)
        return NULL;
    while (sequence->innermost < REFRAIN_LOOP_HEIGHTS) {
        struct refrain_open_loop *within = &sequence->loops[sequence->innermost];
        if (sequence->position != within->item + sequence->term[within->item].span)
            return NULL;
        if (within->counter + 1 < within->limit)
            return within;
        within->counter = 0;
        sequence->innermost = within->outer;
    }
    return NULL;
}

/* True if the next iteration of the loop has the values from `at` on, and moves *at behind them. If `values` is
 * null, only counts. */
static bool iteration_equals(const struct refrain_item *term, unsigned loop, uint64_t *counter, const int64_t *values,
                             unsigned m, unsigned *at) {
    for (unsigned i = loop + 1; i < loop + term[loop].span; i += term[i].span) {
        const struct refrain_item *item = &term[i];
        uint64_t value = (uint64_t)item->base;
        for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
            value += (uint64_t)item->stride[h] * counter[h];
        if (item->kind == REFRAIN_ITEM_VALUE) {
            if (*at == m || (values && values[*at] != (int64_t)value))
                return false;
            ++*at;
            continue;
        }
        for (uint64_t k = 0; (int64_t)value > 0 && k < value; k++) {
            unsigned before = *at;
            counter[item->height] = k;
            if (!iteration_equals(term, i, counter, values, m, at))
                return false;
            if (*at == before)
                break; /* a body without values */
        }
        counter[item->height] = 0;
    }
    return true;
}

static void counters_of(const struct refrain_sequence *sequence, uint64_t *counter) {
    for (unsigned h = 0; h < REFRAIN_LOOP_HEIGHTS; h++)
        counter[h] = 0;
    for (unsigned h = sequence->innermost; h < REFRAIN_LOOP_HEIGHTS; h = sequence->loops[h].outer)
        counter[h] = sequence->loops[h].counter;
}

/* How often the loop repeats these values, if each iteration has all of them or a part. */
static uint64_t times_of(const struct refrain_sequence *sequence, const struct refrain_open_loop *loop,
                         const int64_t *values, unsigned m) {
    const struct refrain_item *items = &sequence->term[loop->item];
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
    for (unsigned i = 1; i < items->span; i++)
        if (items[i].stride[items->height] != 0)
            return 0;
    counters_of(sequence, counter);
    unsigned parts = 0;
    for (unsigned at = 0; at < m; parts++) {
        unsigned before = at;
        if (!iteration_equals(sequence->term, loop->item, counter, values, m, &at) || at == before)
            return 0;
    }
    return (loop->limit - loop->counter - 1) / parts;
}

/* Values of each iteration, if all iterations are equal. */
static unsigned values_of(const struct refrain_sequence *sequence, const struct refrain_open_loop *loop) {
    uint64_t counter[REFRAIN_LOOP_HEIGHTS];
    unsigned n = 0;
    counters_of(sequence, counter);
    iteration_equals(sequence->term, loop->item, counter, NULL, UINT32_MAX, &n);
    return n;
}

/* Values that can be taken before the continuation or a repetition ends. */
static uint64_t values_left(const struct refrain_sequence *sequence) {
    uint64_t left =
        sequence->depth == 0 && sequence->stage == REFRAIN_STAGE_CONTINUATION ? sequence->continuation : UINT64_MAX;
    for (unsigned d = 0; d < sequence->depth; d++)
        if (sequence->frame[d].left - 1 < left)
            left = sequence->frame[d].left - 1;
    return left;
}

static void take_values_left(struct refrain_sequence *sequence, uint64_t n) {
    if (sequence->depth == 0 && sequence->stage == REFRAIN_STAGE_CONTINUATION)
        sequence->continuation -= n;
    for (unsigned d = 0; d < sequence->depth; d++)
        sequence->frame[d].left -= n;
}

/* ---- one by one ---- */

/* True if a copy of the sequence can take values without sharing memory. */
static bool can_be_copied(const struct refrain_sequence *sequence) {
    const struct refrain_learner *learner = sequence->learner;
    return sequence->depth == 0 && !sequence->terms.archived.chunk && learner->state != REFRAIN_SUMMARY &&
           learner->state != REFRAIN_REPEAT && !learner->tally;
}

/* Takes the next m values. False if they differ from `values`, or are only likely. */
static bool take_equal(struct refrain_sequence *sequence, const int64_t *values, unsigned m) {
    int64_t value;
    for (unsigned k = 0; k < m; k++)
        if (!refrain_sequence_next(sequence, &value) || value != values[k] || sequence->approximate)
            return false;
    return true;
}

/* Finds the loop that has advanced since `before`, if it is the only difference and if its values do not depend on
 * its counter. *iterations: by how many. The values between then repeat while so many iterations are left. Else
 * null. */
static struct refrain_open_loop *advanced_loop(struct refrain_sequence *sequence, const struct refrain_sequence *before,
                                               uint64_t *iterations) {
    loop_at_iteration_start(sequence);
    if (!is_in_terms(sequence) || sequence->term != before->term || sequence->stage != before->stage ||
        sequence->position != before->position || sequence->run != before->run || sequence->row != before->row ||
        sequence->innermost != before->innermost ||
        (sequence->run > 0 && (sequence->value != before->value || sequence->stride != before->stride)))
        return NULL;
    struct refrain_open_loop *found = NULL;
    for (unsigned h = sequence->innermost; h < REFRAIN_LOOP_HEIGHTS; h = sequence->loops[h].outer) {
        struct refrain_open_loop *now = &sequence->loops[h];
        const struct refrain_open_loop *then = &before->loops[h];
        if (now->item != then->item || now->limit != then->limit || now->outer != then->outer ||
            now->counter < then->counter || (found && now->counter != then->counter))
            return NULL;
        if (now->counter == then->counter)
            continue;
        found = now;
        *iterations = now->counter - then->counter;
    }
    const struct refrain_item *items = found ? &sequence->term[found->item] : NULL;
    for (unsigned i = 1; found && i < items->span; i++)
        if (items[i].stride[items->height] != 0)
            return NULL;
    return found;
}

/* How often the values repeat, found by taking them from a copy. */
static uint64_t times_of_copy(const struct refrain_sequence *sequence, const int64_t *values, unsigned m) {
    struct refrain_sequence copy = *sequence;
    uint64_t iterations;
    if (!take_equal(&copy, values, m))
        return 0;
    const struct refrain_open_loop *loop = advanced_loop(&copy, sequence, &iterations);
    return loop ? 1 + (loop->limit - 1 - loop->counter) / iterations : 1;
}

/* ---- all of them ---- */

/* How often the values repeat by the loop whose iteration begins or is under way. Sets *loop, and *of_iteration to
 * the number of values of an iteration (may be null). */
static uint64_t times_of_loop(struct refrain_sequence *sequence, const int64_t *values, unsigned m,
                              struct refrain_open_loop **loop, unsigned *of_iteration) {
    unsigned first;
    if (m > 1 && (*loop = loop_at_iteration_start(sequence))) {
        uint64_t n = times_of(sequence, *loop, values, m);
        if (of_iteration && n > 0)
            *of_iteration = values_of(sequence, *loop);
        return n;
    }
    if (m < 2 || !(*loop = loop_of_values(sequence, &first)))
        return 0;
    if (of_iteration)
        *of_iteration = sequence->term[(*loop)->item].span - 1;
    return times_of_values(sequence, *loop, first, values, m);
}

uint64_t refrain_sequence_repeats(struct refrain_sequence *sequence, const int64_t *values, unsigned m) {
    struct refrain_open_loop *loop;
    if (m == 1 && sequence->run == 0 && !refrain_sequence_advance(sequence))
        return 0;
    if (sequence->approximate)
        return 0;
    if (is_run_of(sequence, values, m))
        return sequence->stride == 0 ? sequence->run / m : 1;
    uint64_t n = times_of_loop(sequence, values, m, &loop, NULL), left = values_left(sequence) / m;
    n = n < left ? n : left;
    if (n > 1 || m < 2 || !can_be_copied(sequence))
        return n > 1 ? n : 0;
    n = times_of_copy(sequence, values, m);
    return n <= 1 || n < left ? n : left > 0 ? left : 1;
}

void refrain_sequence_skip(struct refrain_sequence *sequence, const int64_t *values, unsigned m, uint64_t n) {
    struct refrain_open_loop *loop;
    if (sequence->run >= n * m) {
        sequence->value = (int64_t)((uint64_t)sequence->value + (uint64_t)sequence->stride * (n * m));
        sequence->run -= n * m;
        return;
    }
    unsigned of_iteration;
    if (n > 1 && times_of_loop(sequence, values, m, &loop, &of_iteration) >= n) {
        loop->counter += n * m / of_iteration;
        take_values_left(sequence, n * m);
        return;
    }
    struct refrain_sequence before = *sequence;
    uint64_t iterations;
    take_equal(sequence, values, m);
    if (n == 1)
        return;
    if ((loop = advanced_loop(sequence, &before, &iterations))) {
        loop->counter += (n - 1) * iterations;
        take_values_left(sequence, (n - 1) * m);
        return;
    }
    while (--n > 0)
        take_equal(sequence, values, m);
}
