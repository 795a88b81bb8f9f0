/* call_tree.h: collects the call paths of all locations of a trace, for formats that define call paths before or
 * after the events.
 *
 *     main -> solve -> MPI_Send      path 0 -> 1 -> 2, in the order of the regions' numbers
 *
 * Memory grows with the number of paths, which depends only on the program and the depth of its recursion. At most
 * REFRAIN_CALL_TREE_NODES paths are kept. Calls of further paths are counted in left_out. */
#ifndef REFRAIN_CALL_TREE_H
#define REFRAIN_CALL_TREE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_CALL_TREE_NODES (1u << 16)
#define REFRAIN_CALL_TREE_NONE UINT32_MAX

struct refrain_call_node {
    uint32_t parent; /* REFRAIN_CALL_TREE_NONE: no caller */
    uint32_t region;
    /* private: list of children, and the child entered last */
    uint32_t first, next, recent;
};

/* All zero at first. */
struct refrain_call_tree {
    struct refrain_call_node *nodes;
    size_t capacity;
    uint32_t n, first, recent;
    uint64_t left_out; /* calls of paths beyond the limit */
};

/* The path that a location is in. { REFRAIN_CALL_TREE_NONE, 0 } at first. */
struct refrain_call_position {
    uint32_t node;
    uint32_t beyond; /* number of open calls below `node` whose paths are not kept */
};

void refrain_call_tree_free(struct refrain_call_tree *tree);

/* Slow path of refrain_call_tree_enter(), for any call. */
void refrain_call_tree_enter_slow(struct refrain_call_tree *tree, struct refrain_call_position *position,
                                  uint32_t region);

/* The location calls a region; the location returns from its latest call. */
static inline void refrain_call_tree_enter(struct refrain_call_tree *tree, struct refrain_call_position *position,
                                           uint32_t region) {
    if (position->node != REFRAIN_CALL_TREE_NONE && position->beyond == 0) {
        const uint32_t recent = tree->nodes[position->node].recent;
        if (recent != REFRAIN_CALL_TREE_NONE && tree->nodes[recent].region == region) {
            position->node = recent;
            return;
        }
    }
    refrain_call_tree_enter_slow(tree, position, region);
}

static inline void refrain_call_tree_leave(const struct refrain_call_tree *tree,
                                           struct refrain_call_position *position) {
    if (position->beyond > 0)
        position->beyond--;
    else if (position->node != REFRAIN_CALL_TREE_NONE)
        position->node = tree->nodes[position->node].parent;
}

/* Adds the paths of another tree, given as its nodes in order: (number of the caller + 1, 0 none) << 32 | region.
 * False without memory. */
bool refrain_call_tree_add(struct refrain_call_tree *tree, const uint64_t *nodes, uint32_t n);

/* Calls `visit` for each path, numbered from 0, after its caller `parent` (REFRAIN_CALL_TREE_NONE: none). The result
 * does not depend on the order in which paths were added. False without memory. */
bool refrain_call_tree_visit(const struct refrain_call_tree *tree,
                             void (*visit)(void *data, uint32_t number, uint32_t parent, uint32_t region), void *data);

#endif
