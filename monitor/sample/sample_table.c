/* sample_table.c: counts the samples of a thread by call path (sample_table.h). */
#include "sample/sample_table.h"
#include "arch/arch.h"
#include "run/pool.h"

void refrain_sample_table_open(struct refrain_sample_table *table, struct refrain_samples *samples, void *memory) {
    table->samples = samples;
    table->nodes = refrain_at_reference(samples->nodes);
    table->counts = refrain_at_reference(samples->counts);
    table->node_at = memory;
    table->count_at = table->node_at + 2 * (size_t)samples->most_nodes;
}

static uint32_t hash_of(uint64_t a, uint64_t b) {
    uint64_t hash = (a * 0x9e3779b97f4a7c15u ^ b) * 0xff51afd7ed558ccdu;
    return (uint32_t)(hash >> 32);
}

static bool is_node(const struct refrain_sample_node *node, const struct refrain_sample_node *wanted) {
    return node->parent == wanted->parent && node->address == wanted->address && node->object == wanted->object;
}

static bool is_count(const struct refrain_sample_count *count, uint32_t node, uint32_t call) {
    return count->node == node && count->call == call;
}

/* Returns the entry of node_at for this node, or the free entry where it would be inserted. */
static uint32_t *place_of_node(const struct refrain_sample_table *table, const struct refrain_sample_node *wanted) {
    uint32_t mask = 2 * table->samples->most_nodes - 1;
    uint32_t i = hash_of(wanted->address + wanted->object, wanted->parent);
    while (table->node_at[i & mask] && !is_node(&table->nodes[table->node_at[i & mask] - 1], wanted))
        i++;
    return &table->node_at[i & mask];
}

/* Returns the index + 1 of the function's node below `parent`, which it adds if necessary. 0 if the table is full. */
static uint32_t node_of(const struct refrain_sample_table *table, uint32_t parent,
                        const struct refrain_sample_frame *frame) {
    const struct refrain_sample_node wanted = {parent, frame->object, frame->address};
    uint32_t *at = place_of_node(table, &wanted), n = table->samples->n_nodes;
    if (!*at && n < table->samples->most_nodes) {
        table->nodes[n] = wanted;
        refrain_publish(&table->samples->n_nodes, n + 1);
        *at = n + 1;
    }
    return *at;
}

static uint32_t *place_of_count(const struct refrain_sample_table *table, uint32_t node, uint32_t call) {
    uint32_t mask = 2 * table->samples->most_counts - 1;
    uint32_t i = hash_of(node, call);
    while (table->count_at[i & mask] && !is_count(&table->counts[table->count_at[i & mask] - 1], node, call))
        i++;
    return &table->count_at[i & mask];
}

static struct refrain_sample_count *count_of(const struct refrain_sample_table *table, uint32_t node, uint32_t call) {
    uint32_t *at = place_of_count(table, node, call), n = table->samples->n_counts;
    if (!*at && n < table->samples->most_counts) {
        table->counts[n] = (struct refrain_sample_count){.node = node, .call = call};
        refrain_publish(&table->samples->n_counts, n + 1);
        *at = n + 1;
    }
    return *at ? &table->counts[*at - 1] : NULL;
}

/* Returns any count of the node, or else of one of its callers, whatever the MPI call. */
static struct refrain_sample_count *another_count(const struct refrain_sample_table *table, uint32_t node) {
    for (uint32_t at = node + 1; at; at = table->nodes[at - 1].parent)
        for (uint32_t i = 0; i < table->samples->n_counts; i++)
            if (table->counts[i].node == at - 1)
                return &table->counts[i];
    return NULL;
}

void refrain_sample_table_add(struct refrain_sample_table *table, const struct refrain_sample_frame *frames, unsigned n,
                              uint32_t call, uint64_t n_samples) {
    struct refrain_samples *samples = table->samples;
    uint32_t parent = 0;
    bool whole = true;
    while (n > 0 && whole) {
        uint32_t node = node_of(table, parent, &frames[--n]);
        whole = node != 0;
        parent = whole ? node : parent;
    }
    struct refrain_sample_count *count = parent ? count_of(table, parent - 1, call) : NULL;
    if (parent && !count) {
        count = another_count(table, parent - 1);
        whole = false;
    }
    if (!count)
        samples->lost += n_samples;
    else if (!whole)
        samples->merged += n_samples;
    if (count)
        count->samples += n_samples;
    samples->taken += n_samples;
}
