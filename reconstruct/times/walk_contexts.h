/* walk_contexts.h: what is expected of a block by what is open around it (walk -> fit -> a walk after it).
 *
 *     main > step > exchange: a place      a spot: so many blocks in entries of several, what these were given
 *     main > norm > exchange: the place    another one; where step takes longer than norm, its blocks get more
 *
 * A place has one history, whoever called the function it is in. But the trace also has what all activations of each
 * function took. So each spot has a factor on what its place expects: such that the spots of a place come to what the
 * place has, and all spots within a function to what the function has. Factors are fitted before the walk, and again
 * and again on its way to what is left by then, so that what entries gave otherwise is made up for. */
#ifndef REFRAIN_WALK_CONTEXTS_H
#define REFRAIN_WALK_CONTEXTS_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What activations are of: a function, or a user region. */
struct refrain_walk_kind {
    uint64_t offset;      /* of its first place */
    uint64_t total_ticks; /* of its activations; of those within another one of it, too */
    bool loose;           /* the total is not of all that is walked: nothing follows from it */
    double left_ticks;    /* for the fit: what its spots have to share, ... */
    double expected;      /* ... and what is expected of them */
};

/* Activations with the same ones around them. The first one is the thread itself. */
struct refrain_walk_context {
    uint32_t parent, kind;
    int64_t told_ticks;  /* of blocks that are entries by themselves */
    double sum, changes; /* for the fit */
    unsigned n_changes;
};

/* A place in a context. */
struct refrain_walk_spot {
    uint64_t offset; /* of the place */
    uint32_t context;
    uint32_t inner;  /* context of the activations that begin at the place, 0: there were none */
    uint32_t place;  /* its number in `places` */
    uint64_t visits; /* blocks in entries of several that have not come yet */
    int64_t ticks;   /* what those that have come were given */
    double factor;
};

/* What the spots of a place have to share. */
struct refrain_walk_spots_place {
    uint64_t offset;
    int64_t ticks;
    double mean_left, visits, weight; /* for the fit */
};

/* Zero: none are told apart. */
struct refrain_walk_contexts {
    struct refrain_walk_kind *kinds;
    struct refrain_walk_context *contexts;
    struct refrain_walk_spot *spots; /* the first one is none */
    struct refrain_walk_spots_place *places;
    struct refrain_table table; /* of spots, by context and offset */
    size_t n_kinds, n_contexts, n_spots, n_places;
    size_t capacity_kinds, capacity_contexts, capacity_spots, capacity_places;
    uint64_t visits_left, fit_at; /* of all spots; they are fitted again when no more than that are left */
    bool incomplete;              /* there was no memory, or too many */
    bool counted;                 /* none are made any more */
};

/* Begins to count. */
void refrain_walk_contexts_open(struct refrain_walk_contexts *all);

/* The context of an activation that begins in another one at the place with this offset, 0: there is none. */
uint32_t refrain_walk_contexts_inner(const struct refrain_walk_contexts *all, uint32_t context, uint64_t offset);

/* The same, made where there is none. `total_ticks` is what all activations from this place took. */
uint32_t refrain_walk_contexts_enter(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset,
                                     uint64_t total_ticks);

/* The number of a place's spot in a context, which is made while they are counted; 0: there is none. */
uint32_t refrain_walk_contexts_spot(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset);

/* All is counted that there is; activations of these contexts, from `context` outwards, have not ended: what
 * theirs took is not known. */
void refrain_walk_contexts_end(struct refrain_walk_contexts *all, uint32_t context);

/* A place's spots have so much to share, in all their stretches together. Offsets rise. */
void refrain_walk_contexts_place(struct refrain_walk_contexts *all, uint64_t offset, int64_t ticks);

/* An own copy that is fitted; without memory, and of an incomplete one, zero. */
void refrain_walk_contexts_copy(struct refrain_walk_contexts *copy, const struct refrain_walk_contexts *all);

/* Fits the factors to what is left. */
void refrain_walk_contexts_fit(struct refrain_walk_contexts *all);

void refrain_walk_contexts_close(struct refrain_walk_contexts *all);

#endif
