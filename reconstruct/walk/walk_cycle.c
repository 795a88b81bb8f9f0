/* walk_cycle.c: finds recorded iterations that repeat, and delivers them without walking (walk_cycle.h). */
#include "common/arena.h"
#include "walk/walk_parts.h"
#include "walk/walk_time.h"
#include <refrain/amounts.h>

#include <string.h>

#define MOST_ITERATIONS ((uint64_t)1 << 32) /* found in one search */
#define MOST_CYCLES 4u                      /* of one loop */
#define MOST_MISSES 64u                     /* searches without success before a cycle is freed */
#define BLOCKS_AT_ONCE 256u                 /* that pass before iterations are delivered */

void refrain_walk_find_cycles(struct refrain_walk *walk) {
    walk->finds_cycles = true;
}

void refrain_walk_record_steps(struct refrain_walk *walk) {
    walk->records_steps = true;
}

bool refrain_walk_gives_cycle(const struct refrain_walk *walk) {
    return walk->n_waiting == 0 && walk->cycle;
}

/* ---- iterations that repeat ---- */

/* True if iterations can be delivered or recorded here: the order is exact, no request is pending, and the timeline has
 * not ended. */
static bool is_plain(const struct refrain_walk *walk) {
    return !walk->approximate && !walk->requests.guessed && walk->requests.active == 0 && walk->run_left <= 0 &&
           walk->owed == 0 && !walk->times.ended && !walk->times.tail;
}

/* Fast path of iterations_of(): true if the sequence is in a run of this value. */
static inline bool is_run(const struct refrain_sequence *sequence, int64_t value) {
    return sequence->run > 0 && sequence->value == value && sequence->stride == 0 && !sequence->approximate;
}

/* A lower bound of how many of the next iterations are equal to the cycle. */
static uint64_t iterations_of(struct refrain_walk *walk, struct refrain_walk_cycle *cycle) {
    uint64_t n = refrain_least(cycle->loop->remaining / cycle->iterations, MOST_ITERATIONS);
    if (cycle->depth != walk->depth || cycle->context != walk->stack[walk->depth - 1].context ||
        cycle->changes != walk->requests.changes || refrain_walk_cycle_is_counting(cycle))
        return 0;
    if (walk->steps_left < cycle->steps && !refrain_walk_allow_steps(walk))
        return 0;
    n = refrain_least(n, walk->steps_left / cycle->steps);
    for (uint32_t i = 0; i < cycle->n_uses; i++) {
        struct refrain_walk_cycle_use *use = &cycle->uses[i];
        struct refrain_sequence *sequence = &use->learner->sequence;
        if (use->values == 1 && is_run(sequence, cycle->values[use->first_value]))
            n = refrain_least(n, sequence->run);
        else if (use->values > 0)
            n = refrain_least(n, refrain_sequence_repeats(sequence, &cycle->values[use->first_value], use->values));
        if (n == 0) { /* check this learner first next time */
            struct refrain_walk_cycle_use differs = *use;
            *use = cycle->uses[0];
            cycle->uses[0] = differs;
            return 0;
        }
    }
    return n;
}

/* Frees a cycle that has not repeated for long. */
static void forget(struct refrain_walk *walk, struct refrain_walk_learner *loop, struct refrain_walk_cycle **link) {
    struct refrain_walk_cycle *cycle = *link;
    *link = cycle->next;
    loop->n_cycles -= cycle->n_parts == 0;
    refrain_walk_postpone_recording(loop);
    refrain_walk_pattern_forget(&walk->pattern);
    refrain_free(cycle->events);
    refrain_free(cycle);
}

void refrain_walk_begin_iteration(struct refrain_walk *walk, struct refrain_walk_learner *loop) {
    if (walk->recorder && !refrain_walk_end_recording(walk, loop))
        return;
    if (!loop->cycles && loop->cycle_wait > 0) {
        loop->cycle_wait--;
        return;
    }
    if (!is_plain(walk))
        return;
    for (struct refrain_walk_cycle **link = &loop->cycles; *link;) {
        struct refrain_walk_cycle *cycle = *link;
        uint64_t n = iterations_of(walk, cycle);
        if (n > 0) {
            cycle->left = n;
            cycle->passed = 0;
            cycle->misses = 0;
            walk->cycle = cycle;
            refrain_walk_pattern_note(&walk->pattern, cycle);
            return;
        }
        if (cycle->misses++ < MOST_MISSES || refrain_walk_ahead_has(&walk->ahead, cycle) ||
            refrain_walk_cycle_is_part(loop, cycle))
            link = &cycle->next;
        else
            forget(walk, loop, link);
    }
    refrain_walk_pattern_forget(&walk->pattern);
    if (loop->cycle_wait > 0)
        loop->cycle_wait--;
    else if (loop->n_cycles < MOST_CYCLES)
        refrain_walk_begin_recording(walk, loop);
}

/* ---- passing ---- */

/* True if no further iteration can pass, although some are left: the walk or its timeline has ended. */
static bool is_stopped(const struct refrain_walk *walk) {
    return walk->ended || walk->times.ended || walk->times.tail;
}

/* Lets further iterations pass and appends their clock reads to the queue. False if none are left. */
static bool pass_iterations(struct refrain_walk *walk, struct refrain_walk_cycle *cycle) {
    struct refrain_walk_ahead *ahead = &walk->ahead;
    const uint32_t n = cycle->n_blocks;
    uint64_t most = refrain_least(cycle->left, 1 + BLOCKS_AT_ONCE / n), passed = 0;
    if (most == 0 || is_stopped(walk))
        return false;
    uint64_t *ticks = refrain_walk_ahead_room(ahead, most * n);
    if (!ticks)
        return refrain_walk_fail(walk, NULL, "no memory");
    uint64_t at = 0, until = most * n;
    for (uint32_t first = 0; at < until;) { /* `first`: next block of the iteration */
        uint64_t k = refrain_walk_pass_blocks(walk, cycle, first, (uint32_t)(until - at), ticks + at);
        if (k == 0) {
            refrain_walk_pass_block_of(walk, cycle->blocks[first].place, cycle->blocks[first].context);
            ticks[at] = walk->ticks;
            k = 1;
        }
        at += k;
        ahead->n += k;
        if (!refrain_walk_is_time_pending(walk))
            ahead->known = ahead->n;
        for (first += (uint32_t)k; first >= n; first -= n)
            passed++;
        if (first == 0 && is_stopped(walk))
            until = at;
    }
    cycle->left -= passed;
    cycle->passed += passed;
    return refrain_walk_ahead_add(ahead, cycle, passed) || refrain_walk_fail(walk, NULL, "no memory");
}

/* ---- delivering ---- */

/* Turns iterations whose times are not known yet into records that wait for their times. */
static void make_waiting_records(struct refrain_walk *walk) {
    struct refrain_walk_ahead *ahead = &walk->ahead;
    const uint64_t *ticks = ahead->ticks + ahead->first;
    for (size_t i = ahead->first_passed; i < ahead->n_passed; i++) {
        const struct refrain_walk_cycle *cycle = ahead->passed[i].cycle;
        for (uint64_t j = 0; j < ahead->passed[i].iterations; j++, ticks += cycle->n_blocks)
            for (uint32_t k = 0; k < cycle->n_records; k++) {
                struct refrain_record *record = refrain_walk_next_waiting(walk);
                if (!record)
                    return;
                *record = cycle->records[k];
                record->ticks = ticks[record->read];
                walk->n_waiting++;
            }
    }
    refrain_walk_ahead_drop(ahead);
}

/* Moves the walk behind the iterations that have passed. If all of the known ones passed, looks for more. */
static void end_cycle(struct refrain_walk *walk) {
    struct refrain_walk_cycle *cycle = walk->cycle;
    uint64_t n = cycle->passed;
    bool may_continue = cycle->left == 0;
    walk->cycle = NULL;
    for (uint32_t i = 0; i < cycle->n_uses && n > 0; i++) {
        const struct refrain_walk_cycle_use *use = &cycle->uses[i];
        struct refrain_walk_learner *learner = use->learner;
        if (use->values == 1 && learner->sequence.run >= n && learner->sequence.stride == 0)
            learner->sequence.run -= n;
        else if (use->values > 0)
            refrain_sequence_skip(&learner->sequence, &cycle->values[use->first_value], use->values, n);
        learner->taken += n * use->values;
        learner->rows_taken += n * use->rows;
    }
    if (n > 0) {
        refrain_walk_count_iterations(cycle->loop, n * cycle->iterations);
        walk->steps_left -= n * cycle->steps;
        walk->cost += n * cycle->cost;
        walk->completing_site = cycle->completing_site;
    }
    if (may_continue)
        refrain_walk_begin_iteration(walk, cycle->loop);
    if (!walk->cycle)
        make_waiting_records(walk);
}

void refrain_walk_cycle_settle(struct refrain_walk *walk) {
    while (walk->cycle && walk->n_known == 0)
        if (!pass_iterations(walk, walk->cycle))
            end_cycle(walk);
}

void refrain_walk_cycle_skip(struct refrain_walk *walk) {
    while (pass_iterations(walk, walk->cycle))
        refrain_walk_ahead_drop(&walk->ahead);
    end_cycle(walk);
}

const uint64_t *refrain_walk_cycle_next(struct refrain_walk *walk, struct refrain_walk_cycle **cycle) {
    while (walk->cycle) {
        const uint64_t *ticks = refrain_walk_ahead_give(&walk->ahead, cycle);
        if (ticks)
            return ticks;
        if (!pass_iterations(walk, walk->cycle))
            end_cycle(walk);
    }
    return NULL;
}

void refrain_walk_cycles_free_events(struct refrain_walk *walk, bool (*frees)(const void *events, const void *of),
                                     const void *of) {
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&walk->learners.table, slot));)
        for (struct refrain_walk_cycle *cycle = ((struct refrain_walk_learner *)slot->object)->cycles; cycle;
             cycle = cycle->next)
            if (cycle->events && frees(cycle->events, of)) {
                refrain_free(cycle->events);
                cycle->events = NULL;
            }
}

void refrain_walk_cycles_close(struct refrain_walk_cycle *first) {
    for (struct refrain_walk_cycle *cycle = first, *next; cycle; cycle = next) {
        next = cycle->next;
        refrain_free(cycle->events);
        refrain_free(cycle);
    }
}
