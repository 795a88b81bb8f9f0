/* walk_contexts.h: contexts of activations, i.e. the kinds of activations open around a block (counting walk ->
 * adjust.h).
 *
 *     main > step > exchange      a context; step and exchange are kinds of activation
 *     main > norm > exchange      another context, for the same kind
 *
 * The trace has the total time of all activations of a kind, with all that they call. A walk adds up the time of
 * blocks by context, to find by how much each total is off. */
#ifndef REFRAIN_WALK_CONTEXTS_H
#define REFRAIN_WALK_CONTEXTS_H

#include "common/table.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All activations of one function, one user region or one call site. */
struct refrain_walk_kind {
    uint64_t offset;      /* of its first place */
    uint64_t total_ticks; /* of its activations; nested activations of the same kind count twice */
    bool loose;           /* the walk does not see all activations of the total: no equation follows from it */
};

/* Activations of one kind inside the same open activations. The first context is the thread itself. */
struct refrain_walk_context {
    uint32_t parent, kind; /* the number of a context is above that of its parent */
    int64_t single_ticks;  /* of blocks that are entries by themselves */
};

/* Zero: contexts are not in use. */
struct refrain_walk_contexts {
    struct refrain_walk_kind *kinds;
    struct refrain_walk_context *contexts;
    struct refrain_table inner; /* (context, offset of a place) -> the context that begins there */
    size_t n_kinds, n_contexts;
    size_t capacity_kinds, capacity_contexts;
    bool incomplete; /* memory ran out */
    bool counted;    /* no new contexts are made */
};

/* Starts to make contexts. */
void refrain_walk_contexts_open(struct refrain_walk_contexts *all);

/* The context of an activation that begins inside `context` at the place with this offset; 0 if there is none. */
static inline uint32_t refrain_walk_contexts_inner(const struct refrain_walk_contexts *all, uint32_t context,
                                                   uint64_t offset) {
    return (uint32_t)refrain_table_number(&all->inner, context, offset);
}

/* As refrain_walk_contexts_inner(), and makes it if there is none. Returns `context` if there are too many.
 * `total_ticks`: time of all activations from this place. */
uint32_t refrain_walk_contexts_enter(struct refrain_walk_contexts *all, uint32_t context, uint64_t offset,
                                     uint64_t total_ticks);

/* Ends the counting. Activations of `context` and of those around it have not ended, so their totals are not known. */
void refrain_walk_contexts_end(struct refrain_walk_contexts *all, uint32_t context);

/* Makes a copy to which no contexts are added; zero without memory, and if `all` is incomplete. */
void refrain_walk_contexts_copy(struct refrain_walk_contexts *copy, const struct refrain_walk_contexts *all);

void refrain_walk_contexts_close(struct refrain_walk_contexts *all);

#endif
