/* walk_shares.h: the time that timeline entries of several blocks have for each place (counting walk -> the walk
 * after it).
 *
 *     total of a place - blocks that are entries by themselves = time of its blocks in larger entries
 *
 * Blocks that are entries by themselves are mostly long. Without this subtraction, all other blocks would be
 * expected to be as long. */
#ifndef REFRAIN_WALK_SHARES_H
#define REFRAIN_WALK_SHARES_H

#include "times/walk_contexts.h"
#include "walk/walk_learners.h"

struct refrain_walk_share {
    uint64_t offset; /* of the place */
    int64_t ticks;
    uint64_t visits; /* number of blocks that share these ticks */
};

/* Zero: nothing is known. */
struct refrain_walk_shares {
    struct refrain_walk_share *shares; /* sorted by offset after refrain_walk_shares_finish() */
    size_t n, capacity;
    bool incomplete; /* memory ran out */
    struct refrain_walk_contexts contexts;
};

/* Ends the counting: stores what is left in the accounts of all places. Activations of `context` and of those around it
 * are still open. */
void refrain_walk_shares_finish(struct refrain_walk_shares *shares, const struct refrain_walk_learners *learners,
                                uint32_t context);

/* Makes a copy, empty without memory. */
void refrain_walk_shares_copy(struct refrain_walk_shares *copy, const struct refrain_walk_shares *shares);

/* Adds the time of a place to its account. */
void refrain_walk_shares_get(const struct refrain_walk_shares *shares, uint64_t offset,
                             struct refrain_block_account *account);

void refrain_walk_shares_close(struct refrain_walk_shares *shares);

#endif
