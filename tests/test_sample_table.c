/* test_sample_table.c: samples of random stacks in tables of any size: as long as there is room each call path has its
 * own count, and with and without room no sample is lost or counted twice. */
#include "check.h"
#include "run/pool.h"
#include "sample/sample_table.h"

#include <stdlib.h>
#include <string.h>

#define MOST_PATHS 4096u
#define DEPTH 6u

struct refrain_trace_file refrain_trace_file;
static uint64_t state = 88172645463325252u;

static unsigned draw(unsigned below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)(state % below);
}

/* A call path, and the number of its samples. */
static struct {
    struct refrain_sample_frame frames[DEPTH];
    unsigned n;
    uint32_t call;
    uint64_t samples;
} paths[MOST_PATHS];
static unsigned n_paths;

static void remember(const struct refrain_sample_frame *frames, unsigned n, uint32_t call, uint64_t samples) {
    unsigned i = 0;
    while (i < n_paths &&
           (paths[i].n != n || paths[i].call != call || memcmp(paths[i].frames, frames, n * sizeof *frames) != 0))
        i++;
    if (i == n_paths) {
        memcpy(paths[n_paths].frames, frames, n * sizeof *frames);
        paths[i].n = n;
        paths[i].call = call;
        paths[n_paths++].samples = 0;
    }
    paths[i].samples += samples;
}

/* True if this is the count of the path. */
static bool is_count_of(const struct refrain_sample_table *table, const struct refrain_sample_count *count,
                        unsigned path) {
    uint32_t at = count->node + 1;
    for (unsigned i = 0; i < paths[path].n; i++, at = table->nodes[at - 1].parent)
        if (!at || table->nodes[at - 1].address != paths[path].frames[i].address ||
            table->nodes[at - 1].object != paths[path].frames[i].object)
            return false;
    return at == 0 && count->call == paths[path].call;
}

static uint64_t counted(const struct refrain_sample_table *table, unsigned path) {
    uint64_t samples = 0;
    for (uint32_t i = 0; i < table->samples->n_counts; i++)
        if (is_count_of(table, &table->counts[i], path))
            samples += table->counts[i].samples;
    return samples;
}

static void run(uint32_t rows, unsigned functions, unsigned calls, uint64_t apart) {
    size_t bytes = 64 + sizeof(struct refrain_samples) +
                   rows * (sizeof(struct refrain_sample_node) + sizeof(struct refrain_sample_count));
    refrain_trace_file.base = calloc(1, bytes);
    struct refrain_samples *samples = (struct refrain_samples *)(refrain_trace_file.base + 64);
    void *memory = calloc(1, refrain_sample_table_bytes(rows));
    struct refrain_sample_table table;
    uint64_t all = 0, in_counts = 0;
    samples->nodes = refrain_reference(samples + 1);
    samples->counts = samples->nodes + rows * (uint32_t)sizeof(struct refrain_sample_node) / REFRAIN_ALIGNMENT_BYTES;
    samples->most_nodes = samples->most_counts = rows;
    refrain_sample_table_open(&table, samples, memory);
    n_paths = 0;
    for (unsigned i = 0; i < 2000; i++) {
        struct refrain_sample_frame frames[DEPTH];
        unsigned n = 1 + draw(DEPTH);
        memset(frames, 0, sizeof frames);
        for (unsigned k = 0; k < n; k++)
            frames[k] = (struct refrain_sample_frame){1 + draw(functions), 1 + draw(2)};
        uint32_t call = draw(calls);
        uint64_t weight = 1 + draw(3);
        refrain_sample_table_add(&table, frames, n, call, i * apart, weight);
        remember(frames, n, call, weight);
        all += weight;
    }
    for (uint32_t i = 0; i < samples->n_counts; i++)
        in_counts += table.counts[i].samples;
    CHECK(samples->taken == all, "%u rows: samples taken", rows);
    CHECK(in_counts + samples->lost == all, "%u rows: samples in counts", rows);
    CHECK(samples->n_nodes <= rows && samples->n_counts <= rows, "%u rows: more than that", rows);
    for (uint32_t i = 0; i < samples->n_nodes; i++)
        CHECK(table.nodes[i].parent <= i, "node %u comes before its caller", i);
    bool is_full = samples->n_nodes == rows || samples->n_counts == rows;
    CHECK(is_full || samples->merged + samples->lost == 0, "%u rows: merged without need", rows);
    for (unsigned path = 0; !is_full && path < n_paths; path++)
        CHECK(counted(&table, path) == paths[path].samples, "path %u", path);
    CHECK(!is_full || samples->merged > 0, "%u rows: nothing was merged", rows);
    free(refrain_trace_file.base);
    free(memory);
}

int main(void) {
    run(4096, 2, 2, 0);
    run(4096, 2, 2, 1 << 20);
    run(4096, 3, 4, UINT64_C(1) << 40);
    run(4096, 3, 4, 1 << 24);
    run(64, 2, 1, 0); /* the nodes do not fit */
    run(64, 20, 3, 1 << 24);
    run(128, 1, 300, 1 << 22); /* the counts do not */
    printf("%u passed, %u failed\n", passed, failed);
    return failed > 0;
}
