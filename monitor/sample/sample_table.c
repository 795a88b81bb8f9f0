/* sample_table.c: counts the samples of a thread by call path (sample_table.h). */
#include "sample/sample_table.h"
#include "arch/arch.h"
#include "run/pool.h"

#include <string.h>

#define FIRST_SHIFT 24u /* stretches of 5 to 8 ms */

/* For fewer rows per stretch, stretches become longer if the table is full. */
#define ROWS_OF_STRETCH 512u

void refrain_sample_table_open(struct refrain_sample_table *table, struct refrain_samples *samples, void *memory) {
    table->samples = samples;
    table->nodes = refrain_at_reference(samples->nodes);
    table->counts = refrain_at_reference(samples->counts);
    table->node_at = memory;
    table->count_at = table->node_at + 2 * (size_t)samples->most_nodes;
    table->shift = FIRST_SHIFT;
}

static uint32_t hash_of(uint64_t a, uint64_t b) {
    uint64_t hash = (a * 0x9e3779b97f4a7c15u ^ b) * 0xff51afd7ed558ccdu;
    return (uint32_t)(hash >> 32);
}

static bool is_node(const struct refrain_sample_node *node, const struct refrain_sample_node *wanted) {
    return node->parent == wanted->parent && node->address == wanted->address && node->object == wanted->object;
}

static bool is_count(const struct refrain_sample_count *count, const struct refrain_sample_count *wanted) {
    return count->node == wanted->node && count->call == wanted->call && count->stretch == wanted->stretch;
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

static uint32_t *place_of_count(const struct refrain_sample_table *table, const struct refrain_sample_count *wanted) {
    uint32_t mask = 2 * table->samples->most_counts - 1;
    uint32_t i = hash_of((uint64_t)wanted->stretch << 32 | wanted->node, wanted->call);
    while (table->count_at[i & mask] && !is_count(&table->counts[table->count_at[i & mask] - 1], wanted))
        i++;
    return &table->count_at[i & mask];
}

/* Makes stretches twice as long, and joins the counts that are now of one stretch. If the process is killed meanwhile,
 * the samples of at most one row are counted twice. */
static void lengthen_stretches(struct refrain_sample_table *table) {
    uint32_t n = table->samples->n_counts, kept = 0;
    memset(table->count_at, 0, 2 * (size_t)table->samples->most_counts * sizeof *table->count_at);
    table->shift++;
    for (uint32_t i = 0; i < n; i++) {
        struct refrain_sample_count row = table->counts[i];
        row.stretch = table->shift << 8 | (row.stretch & 0xff) >> 1;
        uint32_t *at = place_of_count(table, &row);
        if (*at) {
            table->counts[*at - 1].samples += row.samples;
        } else {
            table->counts[kept] = row;
            *at = ++kept;
        }
        if (*at != i + 1)
            table->counts[i].samples = 0;
    }
    refrain_publish(&table->samples->n_counts, kept);
}

/* Returns the count of the node, the call and the time, which it adds if necessary. Null if the table is full. */
static struct refrain_sample_count *count_of(struct refrain_sample_table *table, uint32_t node, uint32_t call,
                                             uint64_t ticks) {
    const uint32_t most = table->samples->most_counts;
    while (ticks >> table->shift >= REFRAIN_SAMPLE_STRETCHES)
        lengthen_stretches(table);
    for (;;) {
        const uint32_t index = (uint32_t)(ticks >> table->shift), n = table->samples->n_counts;
        const struct refrain_sample_count wanted = {node, call, 0, table->shift << 8 | index};
        uint32_t *at = place_of_count(table, &wanted);
        if (!*at && n < most) {
            table->counts[n] = wanted;
            refrain_publish(&table->samples->n_counts, n + 1);
            *at = n + 1;
        }
        if (*at)
            return &table->counts[*at - 1];
        if (index <= most / ROWS_OF_STRETCH)
            return NULL;
        lengthen_stretches(table);
    }
}

/* Returns any count of the node, or else of one of its callers, whatever the MPI call and the time. */
static struct refrain_sample_count *another_count(const struct refrain_sample_table *table, uint32_t node) {
    for (uint32_t at = node + 1; at; at = table->nodes[at - 1].parent)
        for (uint32_t i = 0; i < table->samples->n_counts; i++)
            if (table->counts[i].node == at - 1)
                return &table->counts[i];
    return NULL;
}

void refrain_sample_table_add(struct refrain_sample_table *table, const struct refrain_sample_frame *frames, unsigned n,
                              uint32_t call, uint64_t ticks, uint64_t n_samples) {
    struct refrain_samples *samples = table->samples;
    uint32_t parent = 0;
    bool whole = true;
    while (n > 0 && whole) {
        uint32_t node = node_of(table, parent, &frames[--n]);
        whole = node != 0;
        parent = whole ? node : parent;
    }
    struct refrain_sample_count *count = parent ? count_of(table, parent - 1, call, ticks) : NULL;
    if (parent && !count) {
        count = another_count(table, parent - 1);
        whole = false;
    }
    if (!count)
        samples->lost += n_samples;
    else if (!whole)
        samples->merged += n_samples;
    if (count)
        count->samples += (uint32_t)n_samples;
    samples->taken += n_samples;
}
