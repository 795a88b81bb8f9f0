/* recursion_graph.c: builds the graph of places and of the steps that remain between them (recursion_graph.h). */
#include "walk/recursion_graph.h"
#include "common/arena.h"
#include "common/array.h"
#include "sequence/sequence.h"
#include "walk/successors.h"

#include <refrain/unit.h>

/* ---- nodes ---- */

int refrain_recursion_find(const struct refrain_recursion *recursion, uint64_t offset) {
    return (int)refrain_table_number(&recursion->by_offset, offset, 0) - 1;
}

static const struct refrain_learner *learner_of(const struct refrain_recursion *recursion,
                                                const struct refrain_place_node *node) {
    return (const void *)((const unsigned char *)recursion->walk.image + node->learner);
}

static void add_node(struct refrain_recursion *recursion, const struct refrain_learner *learner, uint32_t kind) {
    if (!REFRAIN_ARENA_ROOM(recursion->nodes, recursion->n_nodes, recursion->capacity_nodes)) {
        recursion->no_memory = true;
        return;
    }
    recursion->nodes[recursion->n_nodes++] = (struct refrain_place_node){
        .learner = refrain_recursion_offset(recursion, learner), .kind = kind, .component = REFRAIN_NOWHERE};
}

static bool hash_nodes(struct refrain_recursion *recursion) {
    recursion->queue = refrain_calloc(1, (recursion->n_nodes + 1) * sizeof *recursion->queue);
    bool sound = recursion->queue;
    for (size_t i = 0; i < recursion->n_nodes && sound; i++)
        if (refrain_recursion_find(recursion, recursion->nodes[i].learner) == REFRAIN_NOWHERE)
            sound = refrain_table_put(&recursion->by_offset, recursion->nodes[i].learner, 0, i + 1);
    return sound;
}

/* ---- arcs ---- */

static void add_values(struct refrain_recursion *recursion, struct refrain_place_node *node, int64_t value,
                       uint64_t n) {
    for (uint32_t i = 0; i < node->n_arcs; i++)
        if (recursion->arcs[node->first_arc + i].value == value) {
            recursion->arcs[node->first_arc + i].left += n;
            return;
        }
    if (!REFRAIN_ARENA_ROOM(recursion->arcs, recursion->n_arcs, recursion->capacity_arcs)) {
        recursion->no_memory = true;
        return;
    }
    recursion->arcs[recursion->n_arcs++] =
        (struct refrain_arc){.value = value, .next = REFRAIN_NOWHERE, .called = REFRAIN_NOWHERE, .left = n};
    node->n_arcs++;
}

/* The total number of iterations of all loops is known. Each loop is left once, or early if `iterations` is negative.
 */
static void add_loops(struct refrain_recursion *recursion, struct refrain_place_node *node, int64_t iterations,
                      uint64_t loops) {
    if (iterations != 0)
        add_values(recursion, node, 1, iterations < 0 ? -(uint64_t)iterations : (uint64_t)iterations);
    if (iterations >= 0)
        add_values(recursion, node, 0, loops);
}

static void add_value(struct refrain_recursion *recursion, struct refrain_place_node *node, int64_t value, uint64_t n,
                      bool unknown) {
    if (refrain_kind_is_loop(node->kind))
        add_loops(recursion, node, (int64_t)((uint64_t)value * n), n);
    else if (unknown)
        node->unknown += n;
    else
        add_values(recursion, node, node->kind ? value != 0 : value, n);
}

/* Adds the remaining values of a tally. It has counts, so each value is added once with its count. */
static void add_tally(struct refrain_recursion *recursion, struct refrain_place_node *node,
                      struct refrain_tally_reader *tally) {
    for (size_t i = 0; tally->tally && i < tally->n; i++) {
        struct refrain_tally_entry *entry = &tally->entries[i];
        uint64_t left = entry->count - entry->given;
        if (left > 0 && refrain_kind_is_loop(node->kind))
            add_loops(recursion, node, refrain_tally_total_left(tally, entry, 0), left);
        else if (left > 0)
            add_value(recursion, node, (int64_t)entry->words[1], left, tally->has_other && i == tally->n - 1);
        entry->given = entry->count;
    }
}

/* True if this value of the place begins an activation. */
static bool is_call(const struct refrain_recursion *recursion, const struct refrain_place_node *node, int64_t value) {
    uint32_t kind = 0;
    if (!node->kind && value >= 0 && value < (int64_t)recursion->walk.n_slots)
        recursion->walk.slot(recursion->walk.walk, (uint32_t)value, &kind);
    return kind == REFRAIN_FUNCTION || (value >= REFRAIN_NEXT_CALL && value < REFRAIN_NEXT_OPERATION) ||
           (value >= REFRAIN_NEXT_REGION && value < REFRAIN_NEXT_VALUE);
}

/* Adds an arc for each remaining value of the node. */
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
        node->taken += skipped;
        node->calls_taken += is_call(recursion, node, value) ? skipped : 0;
        same -= skipped;
        if (same > 0)
            add_value(recursion, node, value, same, sequence.unknown);
        if (skip == 0)
            add_tally(recursion, node, &sequence.tally);
    }
    refrain_sequence_close(&sequence);
    if (!refrain_kind_is_loop(node->kind))
        return;
    if (iterations >= 0 && !open)
        add_loops(recursion, node, iterations, 1);
    uint64_t unfinished = open ? (uint64_t)iterations : ((const struct refrain_slot *)(const void *)learner)->count;
    if (unfinished > 0)
        add_values(recursion, node, 1, unfinished);
}

/* The node where an activation continues after a call from this place has returned. */
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
        uint64_t at = (uint64_t)reference * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_operation_record *record = (const void *)(image + at);
        if (at + sizeof *record > recursion->walk.image_bytes)
            break;
        if (record->operation == operation)
            return refrain_recursion_find(recursion, at + offsetof(struct refrain_operation_record, after));
        reference = record->next;
    }
    return REFRAIN_NOWHERE;
}

/* Sets where the value of an arc leads, by the same rule as the walker. */
void refrain_recursion_resolve(const struct refrain_recursion *recursion, const struct refrain_place_node *node,
                               struct refrain_arc *arc) {
    int64_t value = arc->value;
    if (node->kind) { /* slots [1] and [2] of the decision or loop */
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
        } else if (refrain_kind_is_loop(kind) && at->flags & REFRAIN_SLOT_COUNTED) {
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

/* ---- the whole graph ---- */

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
    for (size_t n = 0; reference && n < recursion->walk.image_bytes / REFRAIN_ALIGNMENT_BYTES; n++) {
        uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_call_site *call_site = (const void *)(image + at);
        if (at + sizeof *call_site > recursion->walk.image_bytes)
            return;
        int inside = refrain_recursion_find(recursion, at + offsetof(struct refrain_call_site, inside));
        if (inside != REFRAIN_NOWHERE)
            recursion->nodes[inside].call_site = at;
        uint32_t operation = call_site->operations;
        for (unsigned i = 0; operation && i < REFRAIN_OPERATIONS; i++) {
            uint64_t record = (uint64_t)operation * REFRAIN_ALIGNMENT_BYTES;
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

bool refrain_recursion_build(struct refrain_recursion *recursion) {
    const struct refrain_recursion_walk *walk = &recursion->walk;
    refrain_successors_visit(walk->image, walk->image_bytes, walk->thread, is_decision, visit_place, recursion);
    for (uint32_t number = 0; number < walk->n_slots; number++)
        if (is_decision(recursion, number)) {
            uint32_t kind;
            uint64_t offset = walk->slot(walk->walk, number, &kind);
            add_node(recursion, (const void *)((const unsigned char *)walk->image + offset), kind);
        }
    if (recursion->no_memory || !hash_nodes(recursion))
        return false;
    name_call_sites(recursion);
    for (size_t i = 0; i < recursion->n_nodes; i++) {
        struct refrain_place_node *node = &recursion->nodes[i];
        add_arcs(recursion, node);
        for (uint32_t k = 0; k < node->n_arcs; k++)
            refrain_recursion_resolve(recursion, node, &recursion->arcs[node->first_arc + k]);
    }
    return !recursion->no_memory;
}
