/* sample_table.h: samples of one thread, added up by call path (struct refrain_samples of refrain/trace.h).
 *
 *     frames of a stack, the outermost first --> nodes --> the count of the innermost node and of the MPI call
 *
 * Both tables have a fixed size. Once the table of nodes is full, a sample is counted at the innermost function that
 * the table has; once that of counts is full, at any count of that function. All of it runs in a signal handler: no
 * lock, no allocation. The calling thread is the only one that writes. */
#ifndef REFRAIN_SAMPLE_TABLE_H
#define REFRAIN_SAMPLE_TABLE_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function on the stack. */
struct refrain_sample_frame {
    uint64_t address; /* of its first instruction, less the load address of its object; 0 unknown */
    uint32_t object;  /* reference of the path of the object, 0 unknown */
};

struct refrain_sample_table {
    struct refrain_samples *samples; /* in the trace file */
    struct refrain_sample_node *nodes;
    struct refrain_sample_count *counts;
    /* Private: index + 1 of nodes and counts by their hash; 0: free. Twice as many as there are rows. */
    uint32_t *node_at, *count_at;
};

/* Bytes of the private memory of a table with `rows` nodes and as many counts; rows is a power of two. */
static inline size_t refrain_sample_table_bytes(uint32_t rows) {
    return (size_t)rows * 4 * sizeof(uint32_t);
}

/* Sets up an empty table. `samples` has its references and most_nodes = most_counts = rows. `memory`: private, zeroed.
 */
REFRAIN_HIDDEN void refrain_sample_table_open(struct refrain_sample_table *table, struct refrain_samples *samples,
                                              void *memory);

/* Adds `n_samples` with these functions on the stack, the innermost one first; n > 0. `call` as in struct
 * refrain_sample_count. */
REFRAIN_HIDDEN void refrain_sample_table_add(struct refrain_sample_table *table,
                                             const struct refrain_sample_frame *frames, unsigned n, uint32_t call,
                                             uint64_t n_samples);

#endif
