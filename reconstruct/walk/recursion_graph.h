/* recursion_graph.h: the graph of the steps that remain to be taken (recursion.h).
 *
 *     recursion_graph.c      builds the graph from the image and the state of the walk
 *     unknown_steps.c        assigns values to steps that are only counted
 *     recursion_components.c finds the recursive places
 *     recursion.c            decides which remaining steps may be taken */
#ifndef REFRAIN_RECURSION_GRAPH_H
#define REFRAIN_RECURSION_GRAPH_H

#include "common/table.h"
#include "walk/recursion.h"

#define REFRAIN_NOWHERE (-1)

/* The steps from a place that have one value. */
struct refrain_arc {
    int64_t value;
    int next, called; /* node where the activation continues; node where a called activation begins; or NOWHERE */
    uint64_t all, left;
    uint64_t assigned;   /* of `left`: steps that were only counted and got this value */
    uint64_t safe_until; /* value of `used_up` at the last search in which this arc led back to its place; while
                            `used_up` is the same, a step is safe */
};

/* A place, a decision or a loop. */
struct refrain_place_node {
    uint64_t learner;   /* offset of its learner in the image */
    uint64_t call_site; /* if the place is inside an MPI call: offset of the call site; else 0 */
    uint32_t kind;      /* enum refrain_node_kind of a decision or loop, else 0 */
    uint32_t first_arc, n_arcs;
    int component;
    bool recursive;              /* it is in a recursion, or an activation moves from here into one */
    uint64_t taken, calls_taken; /* steps taken before the graph was built; calls among them */
    uint64_t unknown;            /* steps that are only counted; refrain_recursion_assign_unknown() gives them values */
    uint64_t left;               /* remaining steps of all its arcs */
    uint64_t outside;            /* activations that will begin here, called from outside the recursions */
    uint64_t reached;            /* number of the latest search that reached it */
};

struct refrain_recursion {
    struct refrain_recursion_walk walk;
    struct refrain_place_node *nodes;
    size_t n_nodes, capacity_nodes;
    struct refrain_arc *arcs;
    size_t n_arcs, capacity_arcs;
    struct refrain_table by_offset; /* offset -> node + 1 */
    int *queue;
    uint64_t searches, used_up; /* number of searches; number of arcs without remaining steps */
    bool no_memory;
};

/* Builds the graph from recursion->walk. False without memory, and if there are more steps than most_steps. */
bool refrain_recursion_build(struct refrain_recursion *recursion);

/* Offset of an object in the image. */
static inline uint64_t refrain_recursion_offset(const struct refrain_recursion *recursion, const void *at) {
    return (uint64_t)((const unsigned char *)at - (const unsigned char *)recursion->walk.image);
}

/* The node of the learner at an offset of the image, or REFRAIN_NOWHERE. */
int refrain_recursion_find(const struct refrain_recursion *recursion, uint64_t offset);

/* The node where an activation continues after a call from this place has returned. */
int refrain_recursion_after_call(const struct refrain_recursion *recursion, const struct refrain_place_node *node);

/* Sets where the value of an arc leads, by the same rule as the walker. */
void refrain_recursion_resolve(const struct refrain_recursion *recursion, const struct refrain_place_node *node,
                               struct refrain_arc *arc);

/* Gives a value to every step that is only counted, and adds it to the arcs of its node. False without memory. */
bool refrain_recursion_assign_unknown(struct refrain_recursion *recursion);

/* Finds the components and sets `recursive` of each node. False without memory. */
bool refrain_recursion_find_components(struct refrain_recursion *recursion);

#endif
