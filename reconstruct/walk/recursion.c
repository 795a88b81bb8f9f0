/* recursion.c: decides which of the remaining steps may be taken next in a recursion (recursion.h). */
#include "common/arena.h"
#include "walk/recursion_graph.h"

#include <refrain/unit.h>

/* Adds up the remaining steps. False if they are more than a run can have made: the trace is damaged. */
static bool sum_up(struct refrain_recursion *recursion) {
    uint64_t most = recursion->walk.most_steps;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        struct refrain_place_node *node = &recursion->nodes[i];
        for (uint32_t k = 0; k < node->n_arcs; k++) {
            struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
            arc->all = arc->left;
            arc->safe_until = UINT64_MAX;
            node->left += arc->left;
            if (arc->left > most)
                return false;
            most -= arc->left;
            if (!node->recursive && arc->called != REFRAIN_NOWHERE)
                recursion->nodes[arc->called].outside += arc->left;
        }
    }
    return true;
}

struct refrain_recursion *refrain_recursion_open(const struct refrain_recursion_walk *walk) {
    struct refrain_recursion *recursion = refrain_calloc(1, sizeof *recursion);
    if (!recursion)
        return NULL;
    recursion->walk = *walk;
    bool sound =
        refrain_recursion_build(recursion) && refrain_recursion_assign_unknown(recursion) && !recursion->no_memory;
    if (!sound || !refrain_recursion_find_components(recursion) || !sum_up(recursion)) {
        refrain_recursion_close(recursion);
        return NULL;
    }
    return recursion;
}

int refrain_recursion_node(const struct refrain_recursion *recursion, const struct refrain_learner *learner) {
    int node = refrain_recursion_find(recursion, refrain_recursion_offset(recursion, learner));
    return node != REFRAIN_NOWHERE && recursion->nodes[node].recursive ? node : REFRAIN_NOWHERE;
}

bool refrain_recursion_unknown(struct refrain_recursion *recursion, const struct refrain_learner *learner,
                               int64_t *value) {
    int at = refrain_recursion_find(recursion, refrain_recursion_offset(recursion, learner));
    const struct refrain_place_node *node = at == REFRAIN_NOWHERE ? NULL : &recursion->nodes[at];
    struct refrain_arc *most = NULL;
    for (uint32_t k = 0; node && k < node->n_arcs; k++) {
        struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        if (arc->assigned > 0 && (!most || arc->assigned > most->assigned))
            most = arc;
    }
    if (!most)
        return false;
    most->assigned--;
    *value = most->value;
    return true;
}

void refrain_recursion_enter(struct refrain_recursion *recursion, const struct refrain_learner *inside) {
    int node = refrain_recursion_find(recursion, refrain_recursion_offset(recursion, inside));
    if (node != REFRAIN_NOWHERE && recursion->nodes[node].outside > 0)
        recursion->nodes[node].outside--;
}

void refrain_recursion_close(struct refrain_recursion *recursion) {
    if (!recursion)
        return;
    refrain_free(recursion->nodes);
    refrain_free(recursion->arcs);
    refrain_table_close(&recursion->by_offset);
    refrain_free(recursion->queue);
    refrain_free(recursion);
}

/* ---- steps ---- */

/* Adds a node to the current search. */
static void reach(struct refrain_recursion *recursion, int node, size_t *n) {
    if (node == REFRAIN_NOWHERE || recursion->nodes[node].reached == recursion->searches)
        return;
    recursion->nodes[node].reached = recursion->searches;
    recursion->queue[(*n)++] = node;
}

/* Adds every node that remaining steps can reach from the first *n nodes of the queue. */
static void reach_all(struct refrain_recursion *recursion, size_t *n) {
    for (size_t at = 0; at < *n; at++) {
        const struct refrain_place_node *node = &recursion->nodes[recursion->queue[at]];
        for (uint32_t k = 0; node->recursive && k < node->n_arcs; k++) {
            const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
            if (arc->left > 0) {
                reach(recursion, arc->called, n);
                reach(recursion, arc->next, n);
            }
        }
    }
}

/* True if all steps that remain after this one can still be taken. */
static bool is_safe(struct refrain_recursion *recursion, int from, struct refrain_arc *arc) {
    if (arc->left > 1 && arc->safe_until == recursion->used_up)
        return true;
    size_t n = 0;
    recursion->searches++;
    arc->left--;
    reach(recursion, arc->called, &n);
    reach(recursion, arc->next, &n);
    reach_all(recursion, &n);
    arc->left++;
    if (arc->left > 1 && recursion->nodes[from].reached == recursion->searches) {
        arc->safe_until = recursion->used_up;
        return true;
    }
    arc->left--;
    size_t depth = recursion->walk.depth(recursion->walk.walk);
    for (size_t i = 0; i + 1 < depth; i++) {
        const struct refrain_slot *slot = recursion->walk.place(recursion->walk.walk, i);
        reach(recursion,
              refrain_recursion_find(recursion, refrain_recursion_offset(recursion, slot) +
                                                    (slot->flags & REFRAIN_SLOT_CALL ? sizeof *slot : 0)),
              &n);
    }
    bool all = true;
    for (size_t i = 0; i < recursion->n_nodes; i++)
        if (recursion->nodes[i].outside > 0)
            reach(recursion, (int)i, &n);
    reach_all(recursion, &n);
    for (size_t i = 0; all && i < recursion->n_nodes; i++) {
        const struct refrain_place_node *node = &recursion->nodes[i];
        uint64_t left = node->left - ((int)i == from);
        all = !node->recursive || left == 0 || node->reached == recursion->searches;
    }
    arc->left++;
    return all;
}

bool refrain_recursion_step(struct refrain_recursion *recursion, int from, bool wants, int64_t wanted, int64_t *value) {
    struct refrain_place_node *node = &recursion->nodes[from];
    struct refrain_arc *taken = NULL, *likely = NULL;
    double taken_part = 0, likely_part = 0;
    for (uint32_t k = 0; k < node->n_arcs && !(taken && wants && taken->value == wanted); k++) {
        struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        if (arc->left == 0)
            continue;
        bool is_wanted = wants && arc->value == wanted;
        double part = is_wanted ? 2 : (double)arc->left / (double)arc->all;
        if (!likely || part > likely_part) {
            likely = arc;
            likely_part = part;
        }
        if (is_wanted && is_safe(recursion, from, arc))
            taken = arc;
    }
    for (uint32_t k = 0; k < node->n_arcs && !(taken && wants && taken->value == wanted); k++) {
        struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        double part = arc->left ? (double)arc->left / (double)arc->all : 0;
        if (arc->left > 0 && (!taken || part > taken_part) && is_safe(recursion, from, arc)) {
            taken = arc;
            taken_part = part;
        }
    }
    if (!taken)
        taken = likely; /* no step is safe: the run was cut off in the middle */
    if (!taken)
        return false;
    taken->left--;
    node->left--;
    recursion->used_up += taken->left == 0;
    *value = taken->value;
    return true;
}
