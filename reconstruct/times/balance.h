/* balance.h: time moved between the blocks of an entry so that totals hold (a walk on trial -> the walk after it).
 *
 *     entry   | f  g  f  g | begins and ends when the timeline says
 *     moved  |  f  g f  g |   f and g have what all their activations took, as the run measured it
 *
 * The timeline says how long an entry of several blocks took, but how it is shared out is estimated. So the totals of
 * functions, user regions and MPI calls would be off by what the estimates were. A walk on trial finds by how much, and
 * how much time lay in the same entry for each pair of contexts (walk_contexts.h). Each context then gets a shift x: a
 * block in it takes 1 + x - (mean of x in the entry, by time) times as long. What a context gains by this is, added up
 * over all entries, the sum over the others of (time that a pair shares) * (difference of their shifts): a linear
 * equation for the shift of each kind of activation, that of a context being the sum of those open in it. Of all ways
 * to come to the totals this changes the blocks least, relative to their lengths. */
#ifndef REFRAIN_BALANCE_H
#define REFRAIN_BALANCE_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_kept_block;
struct refrain_walk_contexts;

#define REFRAIN_BALANCE_TRIALS                                                                                         \
    5u /* a shift that would take a block below nothing is cut, and made up for in another                             \
        */
#define REFRAIN_BALANCE_MEMBERS 32u /* contexts of one entry between which time is moved */

/* Two contexts that have blocks in the same entries. */
struct refrain_balance_pair {
    uint32_t one, other; /* one < other */
    double ticks;        /* of both in an entry, multiplied, by the entry's; added up */
};

/* Zero: nothing is moved. */
struct refrain_balance {
    uint32_t n_contexts;
    unsigned n_shifts;
    double *shifts;  /* of each context, once for each trial that is over */
    uint32_t *local; /* of each context: its number in the entry + 1, 0 none */
    /* On trial only. */
    int64_t *ticks; /* what the blocks of each context were given */
    struct refrain_balance_pair *pairs;
    size_t n_pairs, capacity_pairs;
    struct refrain_table table; /* by `one` and `other`: number of the pair + 1 */
};

/* For so many contexts. False without memory. */
bool refrain_balance_open(struct refrain_balance *balance, uint32_t n_contexts);

/* A trial begins, with the shifts of those before it. False without memory. */
bool refrain_balance_try(struct refrain_balance *balance);

/* An entry's blocks, of which the first begins at `begin_ticks`, have their times. */
void refrain_balance_entry(struct refrain_balance *balance, struct refrain_kept_block *blocks, uint32_t n,
                           uint64_t begin_ticks);

/* The trial is over: finds further shifts. True: all totals will hold, so that no other trial is needed. */
bool refrain_balance_solve(struct refrain_balance *balance, const struct refrain_walk_contexts *contexts);

/* An own copy that is not on trial; zero without memory. */
void refrain_balance_copy(struct refrain_balance *copy, const struct refrain_balance *balance);

void refrain_balance_close(struct refrain_balance *balance);

#endif
