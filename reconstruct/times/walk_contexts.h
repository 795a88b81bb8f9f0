/* walk_contexts.h: activations by what is open around them (a walk that counts -> balance.h).
 *
 *     main > step > exchange      a context; step and exchange are kinds of activation
 *     main > norm > exchange      another one, of the same kind
 *
 * The trace has what all activations of a kind took, with what they call. Blocks are told apart by the context that
 * they are in, so that a walk can find by how much each total is off. */
#ifndef REFRAIN_WALK_CONTEXTS_H
#define REFRAIN_WALK_CONTEXTS_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What activations are of: a function, a user region, or a call site. */
struct refrain_walk_kind {
    uint64_t offset;      /* of its first place */
    uint64_t total_ticks; /* of its activations; of those within another one of it, too */
    bool loose;           /* the total is not of all that is walked: nothing follows from it */
};

/* Activations with the same ones around them. The first one is the thread itself. */
struct refrain_walk_context {
    uint32_t parent, kind; /* a context's number is higher than that of its parent */
    int64_t told_ticks;    /* of blocks that are entries by themselves */
};

/* Zero: none are told apart. */
struct refrain_walk_contexts {
    struct refrain_walk_kind *kinds;
    struct refrain_walk_context *contexts;
    struct refrain_table inner; /* by context and offset of a place: the context that begins there */
    size_t n_kinds, n_contexts;
    size_t capacity_kinds, capacity_contexts;
    bool incomplete; /* there was no memory */
    bool counted;    /* none are made any more */
};

/* Begins to count. */
void refrain_walk_contexts_open(struct refrain_walk_contexts *all);

/* The context of an activation that begins in another one at the place with this offset, 0: there is none. */
static inline uint32_t refrain_walk_contexts_inner(const struct refrain_walk_contexts *all, uint32_t context,
                                                   uint64_t offset) {
    return (uint32_t)refrain_table_number(&all->inner, context, offset);
}

/* The same, made where there is none; `context` where there are too many. `total_ticks` is what all activations from
 * this place took. */
uint32_t refrain_walk_contexts_enter(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset,
                                     uint64_t total_ticks);

/* All is counted that there is; activations of these contexts, from `context` outwards, have not ended: what
 * theirs took is not known. */
void refrain_walk_contexts_end(struct refrain_walk_contexts *all, uint32_t context);

/* An own copy, in which none are made any more; without memory, and of an incomplete one, zero. */
void refrain_walk_contexts_copy(struct refrain_walk_contexts *copy, const struct refrain_walk_contexts *all);

void refrain_walk_contexts_close(struct refrain_walk_contexts *all);

#endif
