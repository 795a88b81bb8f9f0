/* walk_ahead.h: a queue of iterations that the walk has passed and not delivered to its reader (walk_cycle.c -> the
 * reader of the walk).
 *
 *     passed   | 3 of cycle A | 1 of cycle B | 2 of A |
 *     ticks    | .. .. ..     | .....        | .. ..  |    clock reads: times up to `known`, then numbers of blocks
 *
 * An iteration waits here until the walk has passed the end of its timeline entry: only then are its times known.
 * The queue is part of the state of the walk. */
#ifndef REFRAIN_WALK_AHEAD_H
#define REFRAIN_WALK_AHEAD_H

#include "walk/walk_cycle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first. */
struct refrain_walk_ahead {
    uint64_t *ticks;
    size_t first; /* first clock read that is not delivered */
    size_t known; /* ticks[first .. known) are times, ticks[known .. n) are numbers of blocks (block_times.h) */
    size_t n, capacity;
    struct refrain_walk_cycle_run *passed;
    size_t first_passed, n_passed, capacity_passed;
};

/* Returns room for n further clock reads; null without memory. */
uint64_t *refrain_walk_ahead_room(struct refrain_walk_ahead *ahead, size_t n);

/* Appends this number of iterations of a cycle. False without memory. */
bool refrain_walk_ahead_add(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle *cycle, uint64_t iterations);

/* Removes the first iteration. Returns its clock reads, valid until the next refrain_walk_ahead_room(), and sets
 * *cycle. Null if the queue is empty, or if a time of the first iteration is not known yet. */
const uint64_t *refrain_walk_ahead_give(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle **cycle);

/* Empties the queue. */
void refrain_walk_ahead_drop(struct refrain_walk_ahead *ahead);

/* True if the queue has an iteration of this cycle. */
bool refrain_walk_ahead_has(const struct refrain_walk_ahead *ahead, const struct refrain_walk_cycle *cycle);

/* Sets unused memory of the queue to 0, so that equal states have equal bytes. */
void refrain_walk_ahead_clear_unused(struct refrain_walk_ahead *ahead);

void refrain_walk_ahead_close(struct refrain_walk_ahead *ahead);

#endif
