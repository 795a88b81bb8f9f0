/* adjust.h: moves time between the blocks of an entry so that the totals of regions are those of the run (trial
 * walks -> the walk after them).
 *
 *     entry   | f  g  f  g | begins and ends when the timeline says
 *     moved  |  f  g f  g |   all activations of f together, and those of g, now have the time that the run measured
 *
 * The timeline has the time of an entry of several blocks. How it is divided among the blocks is an estimate, so the
 * totals of functions, user regions and MPI calls would be off. A trial walk finds by how much, and how much time
 * each pair of contexts (walk_contexts.h) has in common entries. Each context then gets a shift x: a block in it
 * takes 1 + x - (mean of x in the entry, by time) times as long.
 *
 * Over all entries, a context gains the sum over the other contexts of (time in common entries) * (difference of the
 * shifts). The shift of a context is the sum of the shifts of the kinds of activations open in it. This gives a
 * linear equation for the shift of each kind. Of all solutions, this one changes the blocks least, relative to their
 * lengths. */
#ifndef REFRAIN_ADJUST_H
#define REFRAIN_ADJUST_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_kept_block;
struct refrain_walk_contexts;

/* A shift that would leave a block without time is cut; the next trial makes up for it. */
#define REFRAIN_ADJUST_TRIALS 5u
#define REFRAIN_ADJUST_MEMBERS 32u /* contexts of one entry between which time is moved */

/* Two contexts with blocks in the same entries. */
struct refrain_adjustment_pair {
    uint32_t one, other; /* one < other */
    double ticks;        /* sum over their entries of (ticks of one) * (ticks of the other) / (ticks of the entry) */
};

/* Zero: nothing is moved. */
struct refrain_adjustment {
    uint32_t n_contexts;
    unsigned n_shifts;
    double *shifts;  /* of each context, for each finished trial */
    uint32_t *local; /* of each context: its number in the entry + 1, 0 none */
    /* During a trial only. */
    int64_t *ticks; /* by context: ticks that its blocks got */
    struct refrain_adjustment_pair *pairs;
    size_t n_pairs, capacity_pairs;
    struct refrain_table table; /* (one, other) -> number of the pair + 1 */
};

/* Prepares for this number of contexts. False without memory. */
bool refrain_adjustment_open(struct refrain_adjustment *adjustment, uint32_t n_contexts);

/* Starts a trial with the shifts found so far. False without memory. */
bool refrain_adjustment_try(struct refrain_adjustment *adjustment);

/* Called for each entry when its blocks have their times: moves time between them. The first block begins at
 * `begin_ticks`. */
void refrain_adjustment_entry(struct refrain_adjustment *adjustment, struct refrain_kept_block *blocks, uint32_t n,
                              uint64_t begin_ticks);

/* Ends the trial: computes further shifts. True if no other trial is needed, because all totals will be right. */
bool refrain_adjustment_solve(struct refrain_adjustment *adjustment, const struct refrain_walk_contexts *contexts);

/* Makes a copy for use outside of trials; zero without memory. */
void refrain_adjustment_copy(struct refrain_adjustment *copy, const struct refrain_adjustment *adjustment);

void refrain_adjustment_close(struct refrain_adjustment *adjustment);

#endif
