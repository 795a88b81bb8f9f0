/* fold_row.h: a row: one value of each of several ranks in a row, as runs in equal steps.
 *
 *     rank 0  1  2  3  4  5  6  7
 *          1  2  3  4  5  6  7  0     ->  7 values from 1 on, step 1; 1 value 0
 *
 * Most rows are one run, whatever the number of ranks. */
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

/* Have all ranks the same value (or is there none)? */
static inline bool refrain_fold_row_is_same(const struct refrain_fold_row *row) {
    return row->n_more == 0 && (row->n < 2 || row->first.stride == 0);
}

/* Puts values behind those that are there; false without memory. */
REFRAIN_PACKED_API bool refrain_fold_row_add(struct refrain_fold_memory *memory, struct refrain_fold_row *row,
                                             struct refrain_fold_run run);

/* The same with all of another row; where `map` is not null, value v becomes map[v]. */
REFRAIN_PACKED_API bool refrain_fold_row_add_row(struct refrain_fold_memory *memory, struct refrain_fold_row *row,
                                                 const struct refrain_fold_row *other, const uint64_t *map);

/* All values, one after the other. */
REFRAIN_PACKED_API void refrain_fold_row_values(const struct refrain_fold_row *row, uint64_t *values);

REFRAIN_PACKED_API void refrain_fold_row_give(struct refrain_fold_memory *memory, struct refrain_fold_row *row);

#endif
