/* sp.c: the pseudo-application SP of the NAS Parallel Benchmarks (RNR-94-007, section 4.2; equations in fluid.h).
 *
 * As BT, but the coupled unknowns are first turned into waves (waves.h), so that along each axis scalar pentadiagonal
 * systems remain, with the dissipation in them: three with one matrix, and one for each of the sound waves. The sweeps
 * carry less and are shorter.
 */
#include "../fluid/cells.h"
#include "waves.h"

#include <string.h>

#define DIAGONALS 5
/* Two rows are handed on: two entries of each matrix and the right-hand sides; back, two rows of the solution. */
#define FORWARD_DOUBLES (2 * (WAVES * 2 + UNKNOWNS))
#define BACKWARD_DOUBLES (2 * UNKNOWNS)

static const struct workload_spec spec = {
    .name = "sp",
    .purpose = "implicit flow solver, scalar pentadiagonal lines, multi-partition (NAS SP)",
    .size_meaning = "grid points a side",
    .size = 12,
    .size_minimum = FLUID_SMALLEST,
    .size_maximum = 500,
    .iteration_meaning = "time steps",
    .iterations = 400,
    .ranks = WORKLOAD_SQUARE,
};

/* What elimination leaves above a unit diagonal, for each matrix: two entries. */
typedef double remainder_row[WAVES][2];

/* The row before the one at hand, or the one before that: in the cell or as handed on. */
struct done_row {
    remainder_row upper;
    state rhs;
};

static int matrix_of(int unknown) {
    return unknown < FIRST_SOUND ? WAVE_FLOW : unknown == FIRST_SOUND ? WAVE_UP : WAVE_DOWN;
}

/* The fixed ends are unit rows. */
static void make_row(const struct fluid *f, const state *u, int axis, long stride, int at,
                     double row[WAVES][DIAGONALS]) {
    double below[WAVES], above[WAVES], weight[DIAGONALS];
    memset(row, 0, WAVES * sizeof *row);
    for (int w = 0; w < WAVES; w++)
        row[w][2] = 1;
    if (at == 0 || at == f->n - 1)
        return;
    waves_speeds(u[-stride], axis, below);
    waves_speeds(u[stride], axis, above);
    fluid_dissipation(at, f->n, weight);
    for (int w = 0; w < WAVES; w++) {
        row[w][1] -= f->first[axis] * below[w] + f->second[axis];
        row[w][2] += 2 * f->second[axis];
        row[w][3] += f->first[axis] * above[w] - f->second[axis];
        for (int i = 0; i < DIAGONALS; i++)
            row[w][i] += f->fourth * weight[i];
    }
}

/* Takes the two rows before out of this one and scales it to a unit diagonal. */
static void eliminate_row(double row[WAVES][DIAGONALS], const struct done_row *one, const struct done_row *two,
                          struct done_row *done) {
    double near[WAVES], scale[WAVES];
    for (int w = 0; w < WAVES; w++) {
        near[w] = row[w][1] - row[w][0] * two->upper[w][0];
        scale[w] = 1 / (row[w][2] - row[w][0] * two->upper[w][1] - near[w] * one->upper[w][0]);
        done->upper[w][0] = (row[w][3] - near[w] * one->upper[w][1]) * scale[w];
        done->upper[w][1] = row[w][4] * scale[w];
    }
    FOR_UNKNOWNS(m) {
        int w = matrix_of(m);
        done->rhs[m] = (done->rhs[m] - row[w][0] * two->rhs[m] - near[w] * one->rhs[m]) * scale[w];
    }
}

static void eliminate(struct cells *c, int axis, int stage, const double *in, double *out) {
    int cell = c->at_stage[axis][stage];
    struct box *b = &c->boxes[cell];
    remainder_row *upper = c->above[cell];
    long stride = b->stride[axis];
    FOR_LINES(b, axis, i, j) {
        struct done_row before[2] = {0}; /* the row before, and the one before that; none at the start */
        long at = cells_line(b, axis, i, j);
        if (in) {
            memcpy(before, in, sizeof before);
            in += FORWARD_DOUBLES;
        }
        for (int k = 0; k < b->n[axis]; k++, at += stride) {
            double row[WAVES][DIAGONALS];
            struct done_row done;
            make_row(&c->fluid, b->u + at, axis, stride, b->start[axis] + k, row);
            memcpy(done.rhs, b->rhs[at], sizeof done.rhs);
            eliminate_row(row, &before[0], &before[1], &done);
            memcpy(b->rhs[at], done.rhs, sizeof done.rhs);
            memcpy(upper[at], done.upper, sizeof done.upper);
            before[1] = before[0];
            before[0] = done;
        }
        if (out) {
            memcpy(out, before, sizeof before);
            out += FORWARD_DOUBLES;
        }
    }
}

static void substitute(struct cells *c, int axis, int stage, const double *in, double *out) {
    int cell = c->at_stage[axis][stage];
    struct box *b = &c->boxes[cell];
    remainder_row *upper = c->above[cell];
    long stride = b->stride[axis];
    FOR_LINES(b, axis, i, j) {
        state after[2] = {{0}}; /* the row after, and the one after that */
        long at = cells_line(b, axis, i, j) + (b->n[axis] - 1) * stride;
        if (in) {
            memcpy(after, in, sizeof after);
            in += BACKWARD_DOUBLES;
        }
        for (int k = b->n[axis] - 1; k >= 0; k--, at -= stride) {
            FOR_UNKNOWNS(m) {
                const double *above = upper[at][matrix_of(m)];
                b->rhs[at][m] -= above[0] * after[0][m] + above[1] * after[1][m];
            }
            memcpy(after[1], after[0], sizeof(state));
            memcpy(after[0], b->rhs[at], sizeof(state));
        }
        if (out) {
            memcpy(out, after, sizeof after);
            out += BACKWARD_DOUBLES;
        }
    }
}

static void change_variables(struct cells *c, int axis, void (*change)(const state, int, double *)) {
    for (int cell = 0; cell < c->q; cell++) {
        struct box *b = &c->boxes[cell];
        FOR_SOLVED(b, x, y, z)
        change(b->u[BOX_AT(b, x, y, z)], axis, b->rhs[BOX_AT(b, x, y, z)]);
    }
}

static void solve_axis(struct cells *c, int axis) {
    change_variables(c, axis, waves_from_state);
    cells_sweep(c, axis, true, FORWARD_DOUBLES, eliminate);
    cells_sweep(c, axis, false, BACKWARD_DOUBLES, substitute);
    change_variables(c, axis, waves_to_state);
}

static const struct cells_solver solver = {
    .small_step = 0.015,
    .step_at_36 = 0.0015,
    .known_residual = 3.390065854947e+01,
    .above_bytes = sizeof(remainder_row),
    .solve_axis = solve_axis,
};

int main(int argc, char **argv) {
    return cells_run(argc, argv, &spec, &solver);
}
