/* recursion_components.c: finds the recursive places (recursion_graph.h).
 *
 * A place is recursive if its strongly connected component contains a call, or if an activation moves from it to
 * such a component. The second case arises only if the entry of a function is not in the trace, because its probe
 * was throttled. The steps of this function then belong to the activation that called it, so a caller seems to move
 * into the recursion. */
#include "common/arena.h"
#include "walk/recursion_graph.h"

struct visit {
    int node;
    uint32_t arc; /* 2 * number of the next arc, + 1 if its call comes next */
};

static int target(const struct refrain_recursion *recursion, const struct refrain_place_node *node, uint32_t k) {
    const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k / 2];
    return k % 2 ? arc->called : arc->next;
}

/* True if the component `members` is recursive. All components that it leads to must have been decided before. */
static bool is_recursive(const struct refrain_recursion *recursion, const int *members, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct refrain_place_node *node = &recursion->nodes[members[i]];
        for (uint32_t k = 0; k < node->n_arcs; k++) {
            const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
            if ((arc->called != REFRAIN_NOWHERE && recursion->nodes[arc->called].component == node->component) ||
                (arc->next != REFRAIN_NOWHERE && recursion->nodes[arc->next].recursive))
                return true;
        }
    }
    return false;
}

/* Tarjan's algorithm with an explicit stack. */
bool refrain_recursion_find_components(struct refrain_recursion *recursion) {
    size_t n = recursion->n_nodes, depth = 0, on_stack = 0;
    int *index = refrain_calloc(n + 1, sizeof *index), *low = refrain_calloc(n + 1, sizeof *low),
        *stack = refrain_calloc(1, (n + 1) * sizeof *stack);
    struct visit *path = refrain_calloc(1, (n + 1) * sizeof *path);
    int next_index = 1, components = 0;
    bool sound = index && low && stack && path;
    for (size_t root = 0; sound && root < n; root++) {
        if (index[root])
            continue;
        path[depth++] = (struct visit){(int)root, 0};
        while (depth > 0) {
            struct visit *top = &path[depth - 1];
            struct refrain_place_node *node = &recursion->nodes[top->node];
            if (top->arc == 0 && !index[top->node]) {
                index[top->node] = low[top->node] = next_index++;
                stack[on_stack++] = top->node;
            }
            if (top->arc < 2 * node->n_arcs) {
                int to = target(recursion, node, top->arc++);
                if (to == REFRAIN_NOWHERE)
                    continue;
                if (!index[to])
                    path[depth++] = (struct visit){to, 0};
                else if (recursion->nodes[to].component == REFRAIN_NOWHERE && index[to] < low[top->node])
                    low[top->node] = index[to];
                continue;
            }
            int done = top->node;
            depth--;
            if (depth > 0 && low[done] < low[path[depth - 1].node])
                low[path[depth - 1].node] = low[done];
            if (low[done] != index[done])
                continue;
            size_t members = on_stack;
            do
                recursion->nodes[stack[--members]].component = components;
            while (stack[members] != done);
            bool recursive = is_recursive(recursion, stack + members, on_stack - members);
            while (on_stack > members)
                recursion->nodes[stack[--on_stack]].recursive = recursive;
            components++;
        }
    }
    refrain_free(index);
    refrain_free(low);
    refrain_free(stack);
    refrain_free(path);
    return sound;
}
