/* fold_row.c: appends values to rows, reads rows, and frees them (fold_row.h). */
#include "fold_row.h"

static struct refrain_fold_run *last_of(struct refrain_fold_row *row) {
    return row->n_more ? &row->more[row->n_more - 1] : &row->first;
}

/* Joins `run` to `last`, if it continues it with the same step. */
static bool extend(struct refrain_fold_run *last, const struct refrain_fold_run *run) {
    uint64_t step = run->base - refrain_fold_run_value(last, last->n - 1);
    if ((last->n > 1 && step != last->stride) || (run->n > 1 && step != run->stride))
        return false;
    last->stride = step;
    last->n += run->n;
    return true;
}

bool refrain_fold_row_add(struct refrain_fold_memory *memory, struct refrain_fold_row *row,
                          struct refrain_fold_run run) {
    if (run.n == 0)
        return true;
    if (row->n == 0) {
        row->first = run;
    } else if (!extend(last_of(row), &run)) {
        if (row->n_more == row->room) {
            uint32_t room = row->room ? row->room * 2 : 2;
            struct refrain_fold_run *more = refrain_fold_grow(memory, row->more, room * sizeof *more);
            if (!more)
                return false;
            row->more = more;
            row->room = room;
        }
        row->more[row->n_more++] = run;
    }
    row->n += run.n;
    return true;
}

bool refrain_fold_row_add_row(struct refrain_fold_memory *memory, struct refrain_fold_row *row,
                              const struct refrain_fold_row *other, const uint64_t *map) {
    bool done = true;
    for (size_t i = 0; done && i < refrain_fold_runs(other); i++) {
        struct refrain_fold_run run = *refrain_fold_run_at(other, i);
        if (!map) {
            done = refrain_fold_row_add(memory, row, run);
        } else if (run.stride == 0) {
            run.base = map[run.base];
            done = refrain_fold_row_add(memory, row, run);
        } else {
            for (uint64_t k = 0; done && k < run.n; k++)
                done = refrain_fold_row_add(memory, row,
                                            (struct refrain_fold_run){map[refrain_fold_run_value(&run, k)], 0, 1});
        }
    }
    return done;
}

void refrain_fold_row_values(const struct refrain_fold_row *row, uint64_t *values) {
    for (size_t i = 0; i < refrain_fold_runs(row); i++) {
        const struct refrain_fold_run *run = refrain_fold_run_at(row, i);
        for (uint64_t k = 0; k < run->n; k++)
            *values++ = refrain_fold_run_value(run, k);
    }
}

void refrain_fold_row_free(struct refrain_fold_memory *memory, struct refrain_fold_row *row) {
    refrain_fold_free(memory, row->more);
    *row = (struct refrain_fold_row){0};
}
