/* slot_flags.c: sets how control reaches each slot, and its distance from its function's first slot (slot_flags.h). */
#include "slot_flags.h"

#define KEPT_FLAGS 255u /* REFRAIN_SLOT_CALL to REFRAIN_SLOT_WAS_THROTTLED, which the monitor sets */

/* How control reaches the slots of a node of this kind, in their order. */
static const unsigned char *arrivals(unsigned kind) {
    static const unsigned char function[3] = {REFRAIN_ARRIVAL_ENTER, REFRAIN_ARRIVAL_LEAVE, REFRAIN_ARRIVAL_NONE},
                               decision[3] = {REFRAIN_ARRIVAL_DECISION, REFRAIN_ARRIVAL_TRUE, REFRAIN_ARRIVAL_FALSE},
                               loop[3] = {REFRAIN_ARRIVAL_COUNT, REFRAIN_ARRIVAL_AGAIN, REFRAIN_ARRIVAL_DONE},
                               other[3] = {REFRAIN_ARRIVAL_AT, REFRAIN_ARRIVAL_NONE, REFRAIN_ARRIVAL_NONE};
    switch (kind) {
    case REFRAIN_FUNCTION:
        return function;
    case REFRAIN_IF:
    case REFRAIN_CONDITIONAL:
    case REFRAIN_AND:
    case REFRAIN_OR:
        return decision;
    case REFRAIN_WHILE:
    case REFRAIN_FOR:
    case REFRAIN_DO:
        return loop;
    default:
        return other;
    }
}

/* First slot of the function that contains the node; the node's own first slot if there is none. In a damaged trace a
 * parent may have a higher number than its child; such a parent counts as none. */
static uint32_t function_slot(const struct refrain_node *nodes, uint32_t i) {
    uint32_t slot = nodes[i].slot;
    while (i > 0 && nodes[i].kind != REFRAIN_FUNCTION)
        i = nodes[i].parent < i ? nodes[i].parent : 0;
    return i > 0 && nodes[i].slot <= slot ? nodes[i].slot : slot;
}

/* The loops around the node contain its slots up to `end`. */
static void extend_loops(struct refrain_slot *slots, const struct refrain_node *nodes, uint32_t i, uint32_t end) {
    for (; i > 0 && nodes[i].kind != REFRAIN_FUNCTION; i = nodes[i].parent < i ? nodes[i].parent : 0)
        if (refrain_kind_is_loop(nodes[i].kind) && nodes[i].slot < end &&
            slots[nodes[i].slot].next.loop_slots < end - nodes[i].slot)
            slots[nodes[i].slot].next.loop_slots = end - nodes[i].slot;
}

void refrain_slot_flags(struct refrain_slot *slots, uint32_t n_slots, const struct refrain_node *nodes,
                        uint32_t n_nodes) {
    for (uint32_t i = 0; i < n_nodes; i++) {
        uint32_t first = nodes[i].slot;
        if (first >= n_slots) /* REFRAIN_NO_SLOT: the node has none */
            continue;
        uint32_t function = function_slot(nodes, i);
        const unsigned char *arrival = arrivals(nodes[i].kind);
        uint32_t n = refrain_slots_of_node(nodes[i].kind);
        extend_loops(slots, nodes, i, n < n_slots - first ? first + n : n_slots);
        for (uint32_t j = 0; j < n && j < n_slots - first; j++)
            slots[first + j].flags =
                (slots[first + j].flags & KEPT_FLAGS) | REFRAIN_SLOT_FLAGS(arrival[j], first + j - function);
    }
}
