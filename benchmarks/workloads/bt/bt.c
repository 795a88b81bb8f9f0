/* bt.c: the pseudo-application BT of the NAS Parallel Benchmarks (RNR-94-007, section 4.3; equations in fluid.h).
 *
 * Approximately factored implicit steps: along each axis block-tridiagonal systems are solved by elimination forward
 * through the cells and substitution back, in a multi-partition (cells.h).
 */
#include "../fluid/cells.h"
#include "block.h"

#include <stdlib.h>
#include <string.h>

/* As NPB 2's smallest classes; finer grids take shorter steps. */
#define TIME_STEP(size) ((size) <= 12 ? 0.01 : 0.0008 * SQUARE(36.0 / UPPER(36, size)))
#define KNOWN_RESIDUAL 2.155504043527e+00
#define FORWARD_DOUBLES (UNKNOWNS * UNKNOWNS + UNKNOWNS) /* a block above the diagonal and a right-hand side */
#define BACKWARD_DOUBLES UNKNOWNS

static const struct workload_spec spec = {
    .name = "bt",
    .purpose = "implicit flow solver, block-tridiagonal lines, multi-partition (NAS BT)",
    .size_meaning = "grid points a side",
    .size = 12,
    .size_minimum = FLUID_SMALLEST,
    .size_maximum = 500,
    .iteration_meaning = "time steps",
    .iterations = 400,
    .ranks = WORKLOAD_SQUARE,
};

/* Blocks above the diagonal that the forward sweep leaves for the one back, by cell. */
static block *upper[MOST_CELLS];

/* The three blocks of a row. The fixed ends are unit rows. */
static void make_row(const struct fluid *f, const state *u, int axis, long stride, int at, block low, block middle,
                     block high) {
    memset(low, 0, sizeof(block));
    memset(middle, 0, sizeof(block));
    memset(high, 0, sizeof(block));
    FOR_UNKNOWNS(m)
    middle[m][m] = 1;
    if (at == 0 || at == f->n - 1)
        return;
    fluid_jacobian(u[-stride], axis, low);
    fluid_jacobian(u[stride], axis, high);
    FOR_UNKNOWNS(m)
    FOR_UNKNOWNS(k) {
        low[m][k] *= -f->first[axis];
        high[m][k] *= f->first[axis];
    }
    FOR_UNKNOWNS(m) {
        low[m][m] -= f->second[axis];
        middle[m][m] += 2 * f->second[axis];
        high[m][m] -= f->second[axis];
    }
}

/* Lines across the axis: i along the next axis, j along the one after. */
#define FOR_LINES(b, axis, i, j)                                                                                       \
    for (int j = 0; j < (b)->n[((axis) + 2) % AXES]; j++)                                                              \
        for (int i = 0; i < (b)->n[((axis) + 1) % AXES]; i++)

static long line_start(const struct box *b, int axis, int i, int j) {
    return BOX_AT(b, 0, 0, 0) + i * b->stride[(axis + 1) % AXES] + j * b->stride[(axis + 2) % AXES];
}

static void eliminate(struct cells *c, int axis, int stage, const double *in, double *out) {
    int cell = c->at_stage[axis][stage];
    struct box *b = &c->boxes[cell];
    long stride = b->stride[axis];
    FOR_LINES(b, axis, i, j) {
        long at = line_start(b, axis, i, j);
        block low, middle, handed;
        state handed_rhs;
        if (in) {
            memcpy(handed, in, sizeof handed);
            memcpy(handed_rhs, in + UNKNOWNS * UNKNOWNS, sizeof handed_rhs);
            in += FORWARD_DOUBLES;
        }
        for (int k = 0; k < b->n[axis]; k++, at += stride) {
            make_row(&c->fluid, b->u + at, axis, stride, b->start[axis] + k, low, middle, upper[cell][at]);
            if (k > 0 || in) {
                block_subtract_product(middle, low, k > 0 ? upper[cell][at - stride] : handed);
                block_subtract_times(b->rhs[at], low, k > 0 ? b->rhs[at - stride] : handed_rhs);
            }
            block_solve(middle, upper[cell][at], b->rhs[at]);
        }
        if (out) {
            memcpy(out, upper[cell][at - stride], sizeof handed);
            memcpy(out + UNKNOWNS * UNKNOWNS, b->rhs[at - stride], sizeof handed_rhs);
            out += FORWARD_DOUBLES;
        }
    }
}

static void substitute(struct cells *c, int axis, int stage, const double *in, double *out) {
    int cell = c->at_stage[axis][stage];
    struct box *b = &c->boxes[cell];
    long stride = b->stride[axis];
    FOR_LINES(b, axis, i, j) {
        long first = line_start(b, axis, i, j), at = first + (b->n[axis] - 1) * stride;
        if (in) {
            block_subtract_times(b->rhs[at], upper[cell][at], in);
            in += BACKWARD_DOUBLES;
        }
        while (at > first) {
            at -= stride;
            block_subtract_times(b->rhs[at], upper[cell][at], b->rhs[at + stride]);
        }
        if (out) {
            memcpy(out, b->rhs[first], sizeof(state));
            out += BACKWARD_DOUBLES;
        }
    }
}

static void solve_axis(struct cells *c, int axis) {
    cells_sweep(c, axis, true, FORWARD_DOUBLES, eliminate);
    cells_sweep(c, axis, false, BACKWARD_DOUBLES, substitute);
}

int main(int argc, char **argv) {
    struct workload w;
    struct cells c;

    workload_begin(&w, &spec, &argc, &argv);
    cells_open(&c, &w, TIME_STEP(w.size));
    for (int cell = 0; cell < c.q; cell++) {
        const struct box *b = &c.boxes[cell];
        upper[cell] = NEW(block, b->stride[2] * (b->n[2] + 2 * HALO));
    }
    cells_right_hand_side(&c);
    struct fluid_norms before = fluid_norms_of(c.boxes, c.q, &c.fluid);
    workload_start(&w);

    for (long step = 0; step < w.iterations; step++) {
        cells_right_hand_side(&c);
        for (int axis = 0; axis < AXES; axis++)
            solve_axis(&c, axis);
        for (int cell = 0; cell < c.q; cell++)
            box_update(&c.boxes[cell], 1);
    }
    cells_right_hand_side(&c);
    struct fluid_norms after = fluid_norms_of(c.boxes, c.q, &c.fluid);
    for (int cell = 0; cell < c.q; cell++)
        free(upper[cell]);
    cells_close(&c);
    return workload_end(&w, fluid_verify(&w, &before, &after, KNOWN_RESIDUAL), after.residual);
}
