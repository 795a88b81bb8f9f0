/* recursion_graph.h: the graph of what is left to be walked (recursion.h).
 *
 *     recursion_graph.c      image, walk -> places and steps
 *     unknown_steps.c        steps of which only the number is known get values
 *     recursion_components.c which places are recursive
 *     recursion.c            which of the steps that are left may be taken */
#ifndef REFRAIN_RECURSION_GRAPH_H
#define REFRAIN_RECURSION_GRAPH_H

#include "common/table.h"
#include "walk/recursion.h"

#define REFRAIN_NOWHERE (-1)

/* A step from a place: where the activation is then, and the place that one called by it begins at. */
struct refrain_arc {
    int64_t value;
    int next, called; /* nodes, or NOWHERE */
    uint64_t all, left;
    uint64_t shared_out; /* of these, steps that were unknown */
    uint64_t safe_until; /* so many arcs had gone when it was last seen that this one leads back to its place */
};

/* A place, a decision or a loop. */
struct refrain_place_node {
    uint64_t learner;   /* offset */
    uint64_t call_site; /* of a place in an MPI call: offset of its call site, else 0 */
    uint32_t kind;      /* of a decision or loop: enum refrain_node_kind, else 0 */
    uint32_t first_arc, n_arcs;
    int component;
    bool recursive;              /* in a recursion, or an activation comes from here into one by itself */
    uint64_t taken, calls_taken; /* steps that the walk has taken before, and those of them that are calls */
    uint64_t unknown; /* steps of which only the number is known: they are shared out among the arcs when it opens */
    uint64_t left;    /* of all its arcs */
    uint64_t outside; /* activations that will begin here, called from no recursion */
    uint64_t reached; /* search that reached it last */
};

struct refrain_recursion {
    struct refrain_recursion_walk walk;
    struct refrain_place_node *nodes;
    size_t n_nodes, capacity_nodes;
    struct refrain_arc *arcs;
    size_t n_arcs, capacity_arcs;
    struct refrain_table by_offset; /* node + 1 */
    int *queue;
    uint64_t searches, gone; /* arcs of which none is left */
    bool no_memory;
};

/* Learns the places and their steps from recursion->walk. False without memory, and where there are more steps than the
 * walk allows. */
bool refrain_recursion_build(struct refrain_recursion *recursion);

/* Where something of the image lies in it. */
static inline uint64_t refrain_recursion_offset(const struct refrain_recursion *recursion, const void *at) {
    return (uint64_t)((const unsigned char *)at - (const unsigned char *)recursion->walk.image);
}

/* The node of the learner at an offset of the image; REFRAIN_NOWHERE. */
int refrain_recursion_find(const struct refrain_recursion *recursion, uint64_t offset);

/* Where an activation goes on when what it called from this place has returned. */
int refrain_recursion_after_call(const struct refrain_recursion *recursion, const struct refrain_place_node *node);

/* Sets where the arc of a value leads: the walker's step. */
void refrain_recursion_resolve(const struct refrain_recursion *recursion, const struct refrain_place_node *node,
                               struct refrain_arc *arc);

/* Gives every unknown step a value, and with it the node an arc. False without memory. */
bool refrain_recursion_share_out(struct refrain_recursion *recursion);

/* Sets each node's component, and whether it is recursive. False without memory. */
bool refrain_recursion_find_components(struct refrain_recursion *recursion);

#endif
