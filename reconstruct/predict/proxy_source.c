/* proxy_source.c: follows control through the source of instrumented functions (proxy_walk.h).
 *
 *     for (...) {              step to the loop: an iteration begins, also if this rank makes no call in it
 *         if (rank > 0)
 *             MPI_Recv(...);   the call's item belongs to the loop
 *     }
 *
 * Loops of the source are known from the program tree (refrain/unit.h). A loop is an item of the proxy once a call or
 * function is in it. Where the tree has no loop, as after goto, proxy_loops.c finds one from the order of the items. */
#include "predict/proxy_walk.h"

/* Loops around a node that are looked at. */
#define MOST_LOOPS 64

static struct refrain_proxy_activation *innermost(const struct refrain_proxy_walk *walk) {
    return &walk->activations[walk->n_activations - 1];
}

void refrain_proxy_enter_source(const struct refrain_proxy_walk *walk, const struct refrain_record *record,
                                const struct refrain_proxy_activation *caller,
                                struct refrain_proxy_activation *activation) {
    const struct refrain_process *process = walk->process;
    if (record->kind == REFRAIN_RECORD_REGION_ENTER) {
        activation->unit = caller->unit;
        activation->root = caller->root;
        activation->node = activation->around = caller->node;
    } else if (record->id < process->header->n_slots && process->slots[record->id].node) {
        const struct refrain_slot_view *view = &process->slots[record->id];
        activation->unit = view->unit;
        activation->root = activation->node = (uint32_t)(view->node - view->unit->nodes);
    }
}

/* The item of a loop of the source; SIZE_MAX: no call in it is known. */
static size_t known_loop(const struct refrain_proxy_walk *walk, uint32_t node) {
    const struct refrain_proxy_activation *top = innermost(walk);
    return refrain_table_number(&walk->proxy->loops, top->function, node - top->root) - 1;
}

static size_t add_loop(struct refrain_proxy_walk *walk, uint32_t node, size_t parent) {
    struct refrain_proxy *proxy = walk->proxy;
    const struct refrain_proxy_activation *top = innermost(walk);
    size_t loop = refrain_proxy_add_item(proxy, top->function, NULL);
    bool added = loop != SIZE_MAX && refrain_proxy_add_body(proxy, loop) &&
                 refrain_proxy_add_node(proxy, proxy->items[parent].inside, loop) &&
                 refrain_table_put(&proxy->loops, top->function, node - top->root, loop + 1);
    return added ? loop : SIZE_MAX;
}

size_t refrain_proxy_body_around(struct refrain_proxy_walk *walk) {
    const struct refrain_proxy_activation *top = innermost(walk);
    uint32_t loops[MOST_LOOPS];
    unsigned n = 0;
    for (uint32_t at = top->node; top->unit && at > top->root && n < MOST_LOOPS; at = top->unit->nodes[at].parent) {
        if (top->around && refrain_unit_contains(top->unit, at, top->around))
            break;
        if (refrain_kind_is_loop(top->unit->nodes[at].kind))
            loops[n++] = at;
    }
    size_t item = walk->proxy->functions[top->function].body;
    while (n > 0 && item != SIZE_MAX) {
        size_t loop = known_loop(walk, loops[--n]);
        item = loop == SIZE_MAX ? add_loop(walk, loops[n], item) : loop;
    }
    return item == SIZE_MAX ? SIZE_MAX : walk->proxy->items[item].inside;
}

bool refrain_proxy_reach(struct refrain_proxy_walk *walk, uint64_t slot) {
    struct refrain_proxy_activation *top = innermost(walk);
    const struct refrain_process *process = walk->process;
    const struct refrain_slot_view *view = slot < process->header->n_slots ? &process->slots[slot] : NULL;
    if (!view || !view->node || view->unit != top->unit)
        return true;
    uint32_t node = (uint32_t)(view->node - view->unit->nodes), kind = view->node->kind;
    if (!refrain_unit_contains(view->unit, top->root, node))
        return true; /* an MPI call in a function whose entry is not in the trace */
    bool is_loop = refrain_kind_is_loop(kind), ends = is_loop && view->part == 2;
    top->node = ends ? view->node->parent : node;
    top->call = view->part == 0 && kind >= REFRAIN_CALL && kind <= REFRAIN_MACRO ? node - top->root : 0;
    size_t loop = is_loop && view->part > 0 ? known_loop(walk, node) : SIZE_MAX;
    if (loop == SIZE_MAX)
        return true;
    bool has_run = kind == REFRAIN_DO; /* its first iteration begins without a step */
    return ends ? refrain_proxy_end_loop(walk, loop, has_run) : refrain_proxy_iterate(walk, loop, has_run);
}
