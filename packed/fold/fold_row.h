/* fold_row.h: a row: one value for each of several consecutive ranks, as runs with equal steps.
 *
 *     rank 0  1  2  3  4  5  6  7
 *          1  2  3  4  5  6  7  0     ->  7 values from 1 on, step 1; 1 value 0
 *
 * Most rows are a single run, whatever the number of ranks. */
#ifndef REFRAIN_FOLD_ROW_H
#define REFRAIN_FOLD_ROW_H

#include "fold_memory.h"

struct refrain_fold_run {
    uint64_t base, stride, n;
};

struct refrain_fold_row {
    uint64_t n; /* values */
    struct refrain_fold_run first;
    struct refrain_fold_run *more; /* n_more of them; null: none */
    uint32_t n_more, room;
};

static inline size_t refrain_fold_runs(const struct refrain_fold_row *row) {
    return (row->n > 0) + (size_t)row->n_more;
}

static inline const struct refrain_fold_run *refrain_fold_run_at(const struct refrain_fold_row *row, size_t i) {
    return i == 0 ? &row->first : &row->more[i - 1];
}

static inline uint64_t refrain_fold_run_value(const struct refrain_fold_run *run, uint64_t i) {
    return run->base + run->stride * i;
}

/* True if all ranks have the same value, and for an empty row. */
static inline bool refrain_fold_row_is_same(const struct refrain_fold_row *row) {
    return row->n_more == 0 && (row->n < 2 || row->first.stride == 0);
}

/* Appends a run of values; false without memory. */
REFRAIN_PACKED_API bool refrain_fold_row_add(struct refrain_fold_memory *memory, struct refrain_fold_row *row,
                                             struct refrain_fold_run run);

/* Appends all values of another row. If `map` is not null, value v becomes map[v]. */
REFRAIN_PACKED_API bool refrain_fold_row_add_row(struct refrain_fold_memory *memory, struct refrain_fold_row *row,
                                                 const struct refrain_fold_row *other, const uint64_t *map);

/* Writes all values to `values`, row->n of them. */
REFRAIN_PACKED_API void refrain_fold_row_values(const struct refrain_fold_row *row, uint64_t *values);

REFRAIN_PACKED_API void refrain_fold_row_free(struct refrain_fold_memory *memory, struct refrain_fold_row *row);

#endif
