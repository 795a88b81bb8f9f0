/* bt.c: the pseudo-application BT of the NAS Parallel Benchmarks (RNR-94-007, section 4.3; equations in fluid.h).
 *
 * Approximately factored implicit steps: along each axis block-tridiagonal systems are solved by elimination forward
 * through the cells and substitution back, in a multi-partition (cells.h).
 */
#include "../fluid/cells.h"
#include "block.h"

#include <string.h>

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

static void eliminate(struct cells *c, int axis, int stage, const double *in, double *out) {
    int cell = c->at_stage[axis][stage];
    struct box *b = &c->boxes[cell];
    block *upper = c->above[cell]; /* blocks above the diagonal */
    long stride = b->stride[axis];
    FOR_LINES(b, axis, i, j) {
        long at = cells_line(b, axis, i, j);
        block low, middle, handed;
        state handed_rhs;
        if (in) {
            memcpy(handed, in, sizeof handed);
            memcpy(handed_rhs, in + UNKNOWNS * UNKNOWNS, sizeof handed_rhs);
            in += FORWARD_DOUBLES;
        }
        for (int k = 0; k < b->n[axis]; k++, at += stride) {
            make_row(&c->fluid, b->u + at, axis, stride, b->start[axis] + k, low, middle, upper[at]);
            if (k > 0 || in) {
                block_subtract_product(middle, low, k > 0 ? upper[at - stride] : handed);
                block_subtract_times(b->rhs[at], low, k > 0 ? b->rhs[at - stride] : handed_rhs);
            }
            block_solve(middle, upper[at], b->rhs[at]);
        }
        if (out) {
            memcpy(out, upper[at - stride], sizeof handed);
            memcpy(out + UNKNOWNS * UNKNOWNS, b->rhs[at - stride], sizeof handed_rhs);
            out += FORWARD_DOUBLES;
        }
    }
}

static void substitute(struct cells *c, int axis, int stage, const double *in, double *out) {
    int cell = c->at_stage[axis][stage];
    struct box *b = &c->boxes[cell];
    block *upper = c->above[cell]; /* blocks above the diagonal */
    long stride = b->stride[axis];
    FOR_LINES(b, axis, i, j) {
        long first = cells_line(b, axis, i, j), at = first + (b->n[axis] - 1) * stride;
        if (in) {
            block_subtract_times(b->rhs[at], upper[at], in);
            in += BACKWARD_DOUBLES;
        }
        while (at > first) {
            at -= stride;
            block_subtract_times(b->rhs[at], upper[at], b->rhs[at + stride]);
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

static const struct cells_solver solver = {
    .small_step = 0.01,
    .step_at_36 = 0.0008,
    .known_residual = 2.155504043527e+00,
    .above_bytes = sizeof(block),
    .solve_axis = solve_axis,
};

int main(int argc, char **argv) {
    return cells_run(argc, argv, &spec, &solver);
}
