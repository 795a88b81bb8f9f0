/* sample_table.h: adds up the samples of one thread by call path (struct refrain_samples of refrain/trace.h).
 *
 *     functions on the stack, outermost first --> nodes --> a count of the innermost node, the MPI call and the stretch
 *                                                           of the run
 *
 * Both tables have a fixed size. If the table of nodes is full, a sample counts for the innermost function that the
 * table has. If the table of counts is full, stretches become longer, so that counts are joined; with few stretches
 * left, a sample counts for any count of that function. All functions run in a signal
 * handler, so they take no lock and allocate nothing. Only the thread itself writes. */
#ifndef REFRAIN_SAMPLE_TABLE_H
#define REFRAIN_SAMPLE_TABLE_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A function on the stack. */
struct refrain_sample_frame {
    uint64_t address; /* address of its first instruction, relative to the object's load address; 0 unknown */
    uint32_t object;  /* reference of the object's path; 0 unknown */
};

struct refrain_sample_table {
    struct refrain_samples *samples; /* in the trace file */
    struct refrain_sample_node *nodes;
    struct refrain_sample_count *counts;
    /* Private hash tables with twice as many entries as rows: index + 1 of nodes and of counts; 0: free. */
    uint32_t *node_at, *count_at;
    unsigned shift; /* a stretch has 1 << shift ticks */
};

/* Bytes of private memory for a table with `rows` nodes and `rows` counts; a power of two. */
static inline size_t refrain_sample_table_bytes(uint32_t rows) {
    return (size_t)rows * 4 * sizeof(uint32_t);
}

/* Sets up an empty table. In `samples` the references, and most_nodes = most_counts = rows, are set. `memory`: private,
 * zeroed. */
REFRAIN_HIDDEN void refrain_sample_table_open(struct refrain_sample_table *table, struct refrain_samples *samples,
                                              void *memory);

/* Adds `n_samples` samples with these n functions on the stack, the innermost one first; n > 0. `call`: as in struct
 * refrain_sample_count. `ticks`: clock ticks since the trace began. */
REFRAIN_HIDDEN void refrain_sample_table_add(struct refrain_sample_table *table,
                                             const struct refrain_sample_frame *frames, unsigned n, uint32_t call,
                                             uint64_t ticks, uint64_t n_samples);

#endif
