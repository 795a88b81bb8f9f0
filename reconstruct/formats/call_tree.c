/* call_tree.c: collects the call paths of a trace (call_tree.h). */
#include "formats/call_tree.h"
#include "common/array.h"

#include <stdlib.h>

void refrain_call_tree_free(struct refrain_call_tree *tree) {
    free(tree->nodes);
}

static bool has_room(struct refrain_call_tree *tree) {
    return tree->n < REFRAIN_CALL_TREE_NODES && REFRAIN_ARRAY_ROOM(tree->nodes, tree->n, tree->capacity);
}

/* Looks first at the child entered last and at its successor, since programs repeat calls and sequences of calls. */
static uint32_t find(const struct refrain_call_tree *tree, uint32_t first, uint32_t recent, uint32_t region) {
    if (recent != REFRAIN_CALL_TREE_NONE) {
        uint32_t next = tree->nodes[recent].next;
        if (tree->nodes[recent].region == region)
            return recent;
        if (next != REFRAIN_CALL_TREE_NONE && tree->nodes[next].region == region)
            return next;
    }
    while (first != REFRAIN_CALL_TREE_NONE && tree->nodes[first].region != region)
        first = tree->nodes[first].next;
    return first;
}

void refrain_call_tree_enter_slow(struct refrain_call_tree *tree, struct refrain_call_position *position,
                                  uint32_t region) {
    bool outermost = position->node == REFRAIN_CALL_TREE_NONE;
    uint32_t child = REFRAIN_CALL_TREE_NONE;
    if (tree->n == 0) /* it begins as zeros */
        tree->first = tree->recent = REFRAIN_CALL_TREE_NONE;
    if (position->beyond == 0)
        child = outermost ? find(tree, tree->first, tree->recent, region)
                          : find(tree, tree->nodes[position->node].first, tree->nodes[position->node].recent, region);
    if (child == REFRAIN_CALL_TREE_NONE) {
        if (position->beyond > 0 || !has_room(tree)) {
            position->beyond++;
            tree->left_out++;
            return;
        }
        /* The new child comes after the child entered last, so that find() sees it first when the sequence repeats. */
        uint32_t recent = outermost ? tree->recent : tree->nodes[position->node].recent;
        uint32_t *first = outermost ? &tree->first : &tree->nodes[position->node].first;
        uint32_t *link = recent == REFRAIN_CALL_TREE_NONE ? first : &tree->nodes[recent].next;
        child = tree->n++;
        tree->nodes[child] =
            (struct refrain_call_node){position->node, region, REFRAIN_CALL_TREE_NONE, *link, REFRAIN_CALL_TREE_NONE};
        *link = child;
    }
    if (outermost)
        tree->recent = child;
    else
        tree->nodes[position->node].recent = child;
    position->node = child;
}

bool refrain_call_tree_add(struct refrain_call_tree *tree, const uint64_t *nodes, uint32_t n) {
    struct refrain_call_position *positions = malloc(((size_t)n + 1) * sizeof *positions);
    if (!positions)
        return false;
    for (uint32_t i = 0; i < n; i++) {
        uint32_t above = (uint32_t)(nodes[i] >> 32);
        positions[i] =
            above > 0 && above <= i ? positions[above - 1] : (struct refrain_call_position){REFRAIN_CALL_TREE_NONE, 0};
        refrain_call_tree_enter(tree, &positions[i], (uint32_t)nodes[i]);
    }
    free(positions);
    return true;
}

/* A path on the stack of refrain_call_tree_visit(). Each node is pushed once, so n entries are enough. */
struct pending_path {
    uint32_t node, parent, region;
};

static int by_region_backwards(const void *a, const void *b) {
    uint32_t x = ((const struct pending_path *)a)->region, y = ((const struct pending_path *)b)->region;
    return x < y ? 1 : x > y ? -1 : 0;
}

/* Pushes the children of a node, so that the one with the lowest region is on top. */
static uint32_t push(const struct refrain_call_tree *tree, uint32_t first, uint32_t parent, struct pending_path *stack,
                     uint32_t n) {
    uint32_t from = n;
    for (uint32_t child = first; child != REFRAIN_CALL_TREE_NONE; child = tree->nodes[child].next)
        stack[n++] = (struct pending_path){child, parent, tree->nodes[child].region};
    qsort(stack + from, n - from, sizeof *stack, by_region_backwards);
    return n;
}

bool refrain_call_tree_visit(const struct refrain_call_tree *tree,
                             void (*visit)(void *data, uint32_t number, uint32_t parent, uint32_t region), void *data) {
    struct pending_path *stack = calloc((size_t)tree->n + 1, sizeof *stack);
    if (!stack)
        return false;
    uint32_t number = 0, n = tree->n > 0 ? push(tree, tree->first, REFRAIN_CALL_TREE_NONE, stack, 0) : 0;
    while (n > 0) {
        struct pending_path next = stack[--n];
        visit(data, number, next.parent, next.region);
        n = push(tree, tree->nodes[next.node].first, number++, stack, n);
    }
    free(stack);
    return true;
}
