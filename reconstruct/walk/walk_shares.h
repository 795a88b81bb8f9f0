/* walk_shares.h: what a timeline's entries of several blocks have for each place (places of a walk -> a walk after it).
 *
 *     stretch of a place's history: its total - what blocks took that are entries by themselves = what the others share
 *
 * The blocks that are entries by themselves are mostly the long ones: without this all other blocks would be expected
 * to be as long. */
#ifndef REFRAIN_WALK_SHARES_H
#define REFRAIN_WALK_SHARES_H

#include "times/walk_contexts.h"
#include "walk/walk_learners.h"

struct refrain_walk_share {
    uint64_t offset;  /* of the place */
    uint64_t stretch; /* its number */
    int64_t ticks;
    uint64_t visits; /* so many blocks have these */
};

/* Zero: nothing is known. */
struct refrain_walk_shares {
    struct refrain_walk_share *shares; /* by offset and stretch once they are finished */
    size_t n, capacity;
    bool incomplete; /* there was no memory */
    struct refrain_walk_contexts contexts;
};

/* A stretch ends in a walk that counts: what is left of the place's account, which is empty then. */
void refrain_walk_shares_add(struct refrain_walk_shares *shares, struct refrain_walk_learner *place);

/* That walk ends, with activations of this context and those around it open: adds the last stretches. */
void refrain_walk_shares_finish(struct refrain_walk_shares *shares, const struct refrain_walk_learners *learners,
                                uint32_t context);

/* An own copy; nothing is known in it where there was no memory. */
void refrain_walk_shares_copy(struct refrain_walk_shares *copy, const struct refrain_walk_shares *shares);

/* Adds what a stretch has to the place's account. */
void refrain_walk_shares_get(const struct refrain_walk_shares *shares, uint64_t offset, uint64_t stretch,
                             struct refrain_block_account *account);

void refrain_walk_shares_close(struct refrain_walk_shares *shares);

#endif
