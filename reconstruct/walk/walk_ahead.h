/* walk_ahead.h: iterations that have passed and were not given yet (walk_cycle.c -> the reader of the walk).
 *
 *     passed   | 3 of cycle A | 1 of cycle B | 2 of A |
 *     ticks    | .. .. ..     | .....        | .. ..  |    clock reads: times up to `known`, then numbers of blocks
 *
 * They wait for the end of the timeline's entry in which they lie. Part of the walk's state. */
#ifndef REFRAIN_WALK_AHEAD_H
#define REFRAIN_WALK_AHEAD_H

#include "walk/walk_cycle.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Zero at first. */
struct refrain_walk_ahead {
    uint64_t *ticks;
    size_t first; /* of those that were not given yet */
    size_t known; /* those before it are times, those from here on numbers of blocks (block_times.h) */
    size_t n, capacity;
    struct refrain_walk_turn *passed;
    size_t first_passed, n_passed, capacity_passed;
};

/* Room for n further clock reads; null without memory. */
uint64_t *refrain_walk_ahead_room(struct refrain_walk_ahead *ahead, size_t n);

/* So many iterations of a cycle have passed behind the others; false without memory. */
bool refrain_walk_ahead_add(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle *cycle, uint64_t iterations);

/* Gives the first iteration, of *cycle: its clock reads, until there is to be room for others. Null where there is none
 * of which all times are known. */
const uint64_t *refrain_walk_ahead_give(struct refrain_walk_ahead *ahead, struct refrain_walk_cycle **cycle);

/* All of them are given, or are of no matter. */
void refrain_walk_ahead_drop(struct refrain_walk_ahead *ahead);

/* Is one of them of that cycle? */
bool refrain_walk_ahead_has(const struct refrain_walk_ahead *ahead, const struct refrain_walk_cycle *cycle);

/* Sets to 0 what was given and what has not come. */
void refrain_walk_ahead_clear_unused(struct refrain_walk_ahead *ahead);

void refrain_walk_ahead_close(struct refrain_walk_ahead *ahead);

#endif
