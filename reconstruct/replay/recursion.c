/* recursion.c: the graph of what is left to be walked (recursion.h). */
#include "arena.h"
#include "recursion_graph.h"
#include "sequence.h"
#include "successors.h"

#include <refrain/unit.h>
#include <stdlib.h>
#include <string.h>

/* ---- nodes ---- */

static size_t hash_of(const struct refrain_recursion *recursion, uint64_t offset) {
    return (size_t)(offset * 0x9e3779b97f4a7c15u >> 20) & (recursion->capacity_hash - 1);
}

int refrain_recursion_find(const struct refrain_recursion *recursion, uint64_t offset) {
    if (recursion->capacity_hash == 0)
        return REFRAIN_NOWHERE;
    size_t h = hash_of(recursion, offset);
    for (; recursion->by_offset[h]; h = (h + 1) & (recursion->capacity_hash - 1))
        if (recursion->nodes[recursion->by_offset[h] - 1].learner == offset)
            return recursion->by_offset[h] - 1;
    return REFRAIN_NOWHERE;
}

static uint64_t offset_of(const struct refrain_recursion *recursion, const void *at) {
    return (uint64_t)((const unsigned char *)at - (const unsigned char *)recursion->walk.image);
}

static const struct refrain_learner *learner_of(const struct refrain_recursion *recursion,
                                                const struct refrain_place_node *node) {
    return (const void *)((const unsigned char *)recursion->walk.image + node->learner);
}

static bool grow(struct refrain_recursion *recursion, void *array, size_t n, size_t *capacity, size_t bytes) {
    if (n < *capacity)
        return true;
    size_t more = *capacity ? *capacity * 2 : 256;
    void *larger = refrain_realloc(*(void **)array, more * bytes);
    if (!larger) {
        recursion->no_memory = true;
        return false;
    }
    *(void **)array = larger;
    *capacity = more;
    return true;
}

static void add_node(struct refrain_recursion *recursion, const struct refrain_learner *learner, uint32_t kind) {
    if (!grow(recursion, &recursion->nodes, recursion->n_nodes, &recursion->capacity_nodes, sizeof *recursion->nodes))
        return;
    recursion->nodes[recursion->n_nodes++] = (struct refrain_place_node){
        .learner = offset_of(recursion, learner), .kind = kind, .component = REFRAIN_NOWHERE};
}

static bool hash_nodes(struct refrain_recursion *recursion) {
    recursion->capacity_hash = 64;
    while (recursion->capacity_hash < 2 * recursion->n_nodes)
        recursion->capacity_hash *= 2;
    recursion->by_offset = refrain_calloc(recursion->capacity_hash, sizeof *recursion->by_offset);
    recursion->queue = refrain_calloc(1, (recursion->n_nodes + 1) * sizeof *recursion->queue);
    if (!recursion->by_offset || !recursion->queue)
        return false;
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        size_t h = hash_of(recursion, recursion->nodes[i].learner);
        while (recursion->by_offset[h])
            h = (h + 1) & (recursion->capacity_hash - 1);
        recursion->by_offset[h] = (int)i + 1;
    }
    return true;
}

/* ---- arcs ---- */

static void add_values(struct refrain_recursion *recursion, struct refrain_place_node *node, int64_t value,
                       uint64_t n) {
    for (uint32_t i = 0; i < node->n_arcs; i++)
        if (recursion->arcs[node->first_arc + i].value == value) {
            recursion->arcs[node->first_arc + i].left += n;
            return;
        }
    if (!grow(recursion, &recursion->arcs, recursion->n_arcs, &recursion->capacity_arcs, sizeof *recursion->arcs))
        return;
    recursion->arcs[recursion->n_arcs++] =
        (struct refrain_arc){.value = value, .next = REFRAIN_NOWHERE, .called = REFRAIN_NOWHERE, .left = n};
    node->n_arcs++;
}

/* A loop's count tells how often it goes on and that it is left once. */
static void add_counts(struct refrain_recursion *recursion, struct refrain_place_node *node, int64_t count,
                       uint64_t n) {
    if (count > 0)
        add_values(recursion, node, 1, (uint64_t)count * n);
    add_values(recursion, node, 0, n);
}

static bool is_loop(const struct refrain_place_node *node) {
    return node->kind >= REFRAIN_WHILE && node->kind <= REFRAIN_DO;
}

/* Counts what is left of a node's values. */
static void add_arcs(struct refrain_recursion *recursion, struct refrain_place_node *node) {
    const struct refrain_learner *learner = learner_of(recursion, node);
    struct refrain_sequence sequence;
    int64_t value;
    int64_t iterations;
    bool open;
    uint64_t skip = recursion->walk.taken(recursion->walk.walk, learner, &iterations, &open);
    uint64_t values = refrain_learner_values(recursion->walk.image, recursion->walk.image_bytes, learner, NULL);
    if (values > skip + recursion->walk.most_steps) {
        recursion->no_memory = true;
        return;
    }
    node->first_arc = (uint32_t)recursion->n_arcs;
    refrain_sequence_open(&sequence, recursion->walk.image, recursion->walk.image_bytes, learner);
    while (!recursion->no_memory && refrain_sequence_next(&sequence, &value)) {
        if (recursion->walk.most_steps-- == 0) {
            recursion->no_memory = true;
            break;
        }
        uint64_t same = sequence.stride == 0 ? sequence.run + 1 : 1;
        sequence.run -= same - 1;
        uint64_t skipped = skip < same ? skip : same;
        skip -= skipped;
        same -= skipped;
        if (same == 0)
            continue;
        if (is_loop(node))
            add_counts(recursion, node, value, same);
        else if (sequence.unknown && !node->kind)
            node->unknown += same;
        else
            add_values(recursion, node, node->kind ? value != 0 : value, same);
    }
    refrain_sequence_close(&sequence);
    if (!is_loop(node))
        return;
    if (iterations >= 0 && !open)
        add_counts(recursion, node, iterations, 1);
    uint64_t unfinished = open ? (uint64_t)iterations : ((const struct refrain_slot *)(const void *)learner)->count;
    if (unfinished > 0)
        add_values(recursion, node, 1, unfinished);
}

/* Where an activation goes on when what it called from this place has returned. */
int refrain_recursion_after_call(const struct refrain_recursion *recursion, const struct refrain_place_node *node) {
    const struct refrain_slot *slot = (const void *)learner_of(recursion, node);
    return refrain_recursion_find(recursion, node->learner + (slot->flags & REFRAIN_SLOT_CALL ? sizeof *slot : 0));
}

static int operation_node(const struct refrain_recursion *recursion, const struct refrain_place_node *node,
                          uint64_t operation) {
    const unsigned char *image = recursion->walk.image;
    if (!node->call_site)
        return REFRAIN_NOWHERE;
    uint32_t reference = ((const struct refrain_call_site *)(image + node->call_site))->operations;
    for (unsigned n = 0; reference && n < REFRAIN_OPERATIONS; n++) {
        uint64_t at = (uint64_t)reference * REFRAIN_GRAIN_BYTES;
        const struct refrain_operation_record *record = (const void *)(image + at);
        if (at + sizeof *record > recursion->walk.image_bytes)
            break;
        if (record->operation == operation)
            return refrain_recursion_find(recursion, at + offsetof(struct refrain_operation_record, after));
        reference = record->next;
    }
    return REFRAIN_NOWHERE;
}

/* Where a value of a place leads: the walker's step. */
void refrain_recursion_resolve(const struct refrain_recursion *recursion, const struct refrain_place_node *node,
                               struct refrain_arc *arc) {
    int64_t value = arc->value;
    if (node->kind) { /* slots [1] and [2] */
        arc->next = refrain_recursion_find(recursion, node->learner + (value ? 1 : 2) * sizeof(struct refrain_slot));
    } else if (value < 0) {
        return;
    } else if (value < (int64_t)recursion->walk.n_slots) {
        uint32_t kind;
        uint64_t slot = recursion->walk.slot(recursion->walk.walk, (uint32_t)value, &kind);
        const struct refrain_slot *at = (const void *)((const unsigned char *)recursion->walk.image + slot);
        if (kind == REFRAIN_FUNCTION) {
            arc->next = refrain_recursion_after_call(recursion, node);
            arc->called = refrain_recursion_find(recursion, slot);
        } else if (kind >= REFRAIN_WHILE && kind <= REFRAIN_DO && at->flags & REFRAIN_SLOT_COUNTED) {
            arc->next = refrain_recursion_find(recursion, slot + 2 * sizeof *at);
        } else {
            arc->next = refrain_recursion_find(recursion, slot);
        }
    } else if (value >= REFRAIN_NEXT_VALUE) {
        arc->next = (int)(node - recursion->nodes);
    } else if (value >= REFRAIN_NEXT_REGION) {
        arc->next = refrain_recursion_after_call(recursion, node);
        arc->called = refrain_recursion_find(
            recursion, refrain_numbered_region(recursion->walk.numbered, (uint64_t)(value - REFRAIN_NEXT_REGION)) +
                           offsetof(struct refrain_region_name, inside));
    } else if (value >= REFRAIN_NEXT_OPERATION) {
        arc->next = operation_node(recursion, node, (uint64_t)(value - REFRAIN_NEXT_OPERATION));
    } else if (value >= REFRAIN_NEXT_CALL) {
        arc->next = refrain_recursion_after_call(recursion, node);
        arc->called = refrain_recursion_find(
            recursion, refrain_numbered_call_site(recursion->walk.numbered, (uint64_t)(value - REFRAIN_NEXT_CALL)) +
                           offsetof(struct refrain_call_site, inside));
    }
}

/* ---- what is recursive: strongly connected components with a call within ---- */

struct visit {
    int node;
    uint32_t arc; /* twice the number of the next one, + 1: what it calls */
};

static int target(const struct refrain_recursion *recursion, const struct refrain_place_node *node, uint32_t k) {
    const struct refrain_arc *arc = &recursion->arcs[node->first_arc + k / 2];
    return k % 2 ? arc->called : arc->next;
}

/* Tarjan's algorithm, without recursion. */
static bool find_components(struct refrain_recursion *recursion) {
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
            int member;
            do
                recursion->nodes[member = stack[--on_stack]].component = components;
            while (member != done);
            components++;
        }
    }
    bool *recursive = sound ? refrain_calloc((size_t)components + 1, sizeof *recursive) : NULL;
    for (size_t i = 0; recursive && i < n; i++)
        for (uint32_t k = 0; k < recursion->nodes[i].n_arcs; k++) {
            int called = recursion->arcs[recursion->nodes[i].first_arc + k].called;
            if (called != REFRAIN_NOWHERE && recursion->nodes[called].component == recursion->nodes[i].component)
                recursive[recursion->nodes[i].component] = true;
        }
    for (size_t i = 0; recursive && i < n; i++)
        recursion->nodes[i].recursive = recursive[recursion->nodes[i].component];
    sound = recursive != NULL;
    refrain_free(recursive);
    refrain_free(index);
    refrain_free(low);
    refrain_free(stack);
    refrain_free(path);
    return sound;
}

/* ---- opening ---- */

static bool is_decision(const void *data, uint32_t slot) {
    const struct refrain_recursion *recursion = data;
    uint32_t kind = 0;
    if (slot < recursion->walk.n_slots)
        recursion->walk.slot(recursion->walk.walk, slot, &kind);
    return kind >= REFRAIN_IF && kind <= REFRAIN_DO;
}

static void visit_place(void *data, const struct refrain_learner *learner) {
    add_node(data, learner, 0);
}

static void name_call_sites(struct refrain_recursion *recursion) {
    const unsigned char *image = recursion->walk.image;
    const struct refrain_header *header = recursion->walk.image;
    uint64_t reference = header->call_sites;
    for (size_t n = 0; reference && n < recursion->walk.image_bytes / REFRAIN_GRAIN_BYTES; n++) {
        uint64_t at = reference * REFRAIN_GRAIN_BYTES;
        const struct refrain_call_site *call_site = (const void *)(image + at);
        if (at + sizeof *call_site > recursion->walk.image_bytes)
            return;
        int inside = refrain_recursion_find(recursion, at + offsetof(struct refrain_call_site, inside));
        if (inside != REFRAIN_NOWHERE)
            recursion->nodes[inside].call_site = at;
        uint32_t operation = call_site->operations;
        for (unsigned i = 0; operation && i < REFRAIN_OPERATIONS; i++) {
            uint64_t record = (uint64_t)operation * REFRAIN_GRAIN_BYTES;
            if (record + sizeof(struct refrain_operation_record) > recursion->walk.image_bytes)
                break;
            int after = refrain_recursion_find(recursion, record + offsetof(struct refrain_operation_record, after));
            if (after != REFRAIN_NOWHERE)
                recursion->nodes[after].call_site = at;
            operation = ((const struct refrain_operation_record *)(image + record))->next;
        }
        reference = call_site->next;
    }
}

/* False where more steps are left than a run can have made: that is damage. */
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
    refrain_successors_visit(walk->image, walk->image_bytes, walk->thread, is_decision, visit_place, recursion);
    for (uint32_t number = 0; number < walk->n_slots; number++)
        if (is_decision(recursion, number)) {
            uint32_t kind;
            uint64_t offset = walk->slot(walk->walk, number, &kind);
            add_node(recursion, (const void *)((const unsigned char *)walk->image + offset), kind);
        }
    bool sound = !recursion->no_memory && hash_nodes(recursion);
    if (sound)
        name_call_sites(recursion);
    for (size_t i = 0; sound && i < recursion->n_nodes; i++) {
        struct refrain_place_node *node = &recursion->nodes[i];
        add_arcs(recursion, node);
        for (uint32_t k = 0; k < node->n_arcs; k++)
            refrain_recursion_resolve(recursion, node, &recursion->arcs[node->first_arc + k]);
    }
    sound = sound && !recursion->no_memory && refrain_recursion_share_out(recursion);
    if (!sound || recursion->no_memory || !find_components(recursion) || !sum_up(recursion)) {
        refrain_recursion_close(recursion);
        return NULL;
    }
    return recursion;
}

int refrain_recursion_node(const struct refrain_recursion *recursion, const struct refrain_learner *learner) {
    int node = refrain_recursion_find(recursion, offset_of(recursion, learner));
    return node != REFRAIN_NOWHERE && recursion->nodes[node].recursive ? node : REFRAIN_NOWHERE;
}

bool refrain_recursion_unknown(struct refrain_recursion *recursion, const struct refrain_learner *learner,
                               int64_t *value) {
    int at = refrain_recursion_find(recursion, offset_of(recursion, learner));
    const struct refrain_place_node *node = at == REFRAIN_NOWHERE ? NULL : &recursion->nodes[at];
    struct refrain_arc *most = NULL;
    for (uint32_t k = 0; node && k < node->n_arcs; k++) {
        struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        if (arc->shared_out > 0 && (!most || arc->shared_out > most->shared_out))
            most = arc;
    }
    if (!most)
        return false;
    most->shared_out--;
    *value = most->value;
    return true;
}

void refrain_recursion_enter(struct refrain_recursion *recursion, const struct refrain_learner *inside) {
    int node = refrain_recursion_find(recursion, offset_of(recursion, inside));
    if (node != REFRAIN_NOWHERE && recursion->nodes[node].outside > 0)
        recursion->nodes[node].outside--;
}

void refrain_recursion_close(struct refrain_recursion *recursion) {
    if (!recursion)
        return;
    refrain_free(recursion->nodes);
    refrain_free(recursion->arcs);
    refrain_free(recursion->by_offset);
    refrain_free(recursion->queue);
    refrain_free(recursion);
}

/* ---- steps ---- */

/* Puts a node into the search that is under way. */
static void reach(struct refrain_recursion *recursion, int node, size_t *n) {
    if (node == REFRAIN_NOWHERE || recursion->nodes[node].reached == recursion->searches)
        return;
    recursion->nodes[node].reached = recursion->searches;
    recursion->queue[(*n)++] = node;
}

/* Reaches all that can be reached from the first *n of the queue by steps that are left. */
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

/* Can all that is left be walked after this step? */
static bool may_take(struct refrain_recursion *recursion, int from, struct refrain_arc *arc) {
    if (arc->left > 1 && arc->safe_until == recursion->gone)
        return true;
    size_t n = 0;
    recursion->searches++;
    arc->left--;
    reach(recursion, arc->called, &n);
    reach(recursion, arc->next, &n);
    reach_all(recursion, &n);
    arc->left++;
    if (arc->left > 1 && recursion->nodes[from].reached == recursion->searches) {
        arc->safe_until = recursion->gone;
        return true;
    }
    arc->left--;
    size_t depth = recursion->walk.depth(recursion->walk.walk);
    for (size_t i = 0; i + 1 < depth; i++) {
        const struct refrain_slot *slot = recursion->walk.place(recursion->walk.walk, i);
        reach(recursion,
              refrain_recursion_find(recursion,
                                     offset_of(recursion, slot) + (slot->flags & REFRAIN_SLOT_CALL ? sizeof *slot : 0)),
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
    double taken_share = 0, likely_share = 0;
    for (uint32_t k = 0; k < node->n_arcs && !(taken && wants && taken->value == wanted); k++) {
        struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        if (arc->left == 0)
            continue;
        bool is_wanted = wants && arc->value == wanted;
        double share = is_wanted ? 2 : (double)arc->left / (double)arc->all;
        if (!likely || share > likely_share) {
            likely = arc;
            likely_share = share;
        }
        if (is_wanted && may_take(recursion, from, arc))
            taken = arc;
    }
    for (uint32_t k = 0; k < node->n_arcs && !(taken && wants && taken->value == wanted); k++) {
        struct refrain_arc *arc = &recursion->arcs[node->first_arc + k];
        double share = arc->left ? (double)arc->left / (double)arc->all : 0;
        if (arc->left > 0 && (!taken || share > taken_share) && may_take(recursion, from, arc)) {
            taken = arc;
            taken_share = share;
        }
    }
    if (!taken)
        taken = likely; /* of a run that was cut off in the middle */
    if (!taken)
        return false;
    taken->left--;
    node->left--;
    recursion->gone += taken->left == 0;
    *value = taken->value;
    return true;
}
