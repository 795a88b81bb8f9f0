/* call_tree.h: the call paths of a trace, all locations' together (events -> definitions of formats that have them).
 *
 *     main -> solve -> MPI_Send      path 0 -> 1 -> 2, in the order of the regions' numbers
 *
 * Memory: with the paths, of which there are as many as the program has, but for recursion; so many at most are kept,
 * and what is called below the last one is counted. */
#ifndef REFRAIN_CALL_TREE_H
#define REFRAIN_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_CALL_TREE_NODES (1u << 16)
#define REFRAIN_CALL_TREE_NONE UINT32_MAX

struct refrain_call_node {
    uint32_t parent; /* REFRAIN_CALL_TREE_NONE: nobody */
    uint32_t region;
    /* private: children as a list, and the one that was entered last */
    uint32_t first, next, recent;
};

/* All zero at first. */
struct refrain_call_tree {
    struct refrain_call_node *nodes;
    size_t capacity;
    uint32_t n, first, recent;
    uint64_t left_out; /* calls of paths that are not kept */
};

/* Where a location is. { REFRAIN_CALL_TREE_NONE, 0 } at first. */
struct refrain_call_position {
    uint32_t node;
    uint32_t beyond; /* calls below it that are not kept */
};

void refrain_call_tree_free(struct refrain_call_tree *tree);

/* Any call; refrain_call_tree_enter() does without it what the same path called last. */
void refrain_call_tree_enter_any(struct refrain_call_tree *tree, struct refrain_call_position *position,
                                 uint32_t region);

/* The location calls a region, and returns from what it called last. */
static inline void refrain_call_tree_enter(struct refrain_call_tree *tree, struct refrain_call_position *position,
                                           uint32_t region) {
    if (position->node != REFRAIN_CALL_TREE_NONE && position->beyond == 0) {
        const uint32_t recent = tree->nodes[position->node].recent;
        if (recent != REFRAIN_CALL_TREE_NONE && tree->nodes[recent].region == region) {
            position->node = recent;
            return;
        }
    }
    refrain_call_tree_enter_any(tree, position, region);
}

static inline void refrain_call_tree_leave(const struct refrain_call_tree *tree,
                                           struct refrain_call_position *position) {
    if (position->beyond > 0)
        position->beyond--;
    else if (position->node != REFRAIN_CALL_TREE_NONE)
        position->node = tree->nodes[position->node].parent;
}

/* Adds the paths of another tree: of each of its nodes in their order (number of who calls + 1, 0 nobody) << 32 |
 * region. False without memory. */
bool refrain_call_tree_add(struct refrain_call_tree *tree, const uint64_t *nodes, uint32_t n);

/* Calls `take` for each path, numbered from 0: behind the one that it is called from, which is `parent`
 * (REFRAIN_CALL_TREE_NONE: none). In which order they were met makes no difference. False without memory. */
bool refrain_call_tree_visit(const struct refrain_call_tree *tree,
                             void (*take)(void *data, uint32_t number, uint32_t parent, uint32_t region), void *data);

#endif
