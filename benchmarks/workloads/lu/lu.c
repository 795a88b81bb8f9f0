/* lu.c: the pseudo-application LU of the NAS Parallel Benchmarks (RNR-94-007, section 4.1; equations in fluid.h).
 *
 * Symmetric successive over-relaxation: a lower and an upper triangular solve per step. Both run as wavefronts: plane
 * by plane, each rank waits for two short lines from its neighbours and passes two on, so that messages are many and
 * small.
 */
#include "pencil.h"

#include <math.h>

#define TIME_STEP 0.5
#define OMEGA 1.2
#define KNOWN_RESIDUAL 2.285721364132e-01

static const struct workload_spec spec = {
    .name = "lu",
    .purpose = "implicit flow solver by pipelined SSOR wavefronts over planes (NAS LU)",
    .size_meaning = "grid points a side",
    .size = 12,
    .size_minimum = FLUID_SMALLEST,
    .size_maximum = 500,
    .iteration_meaning = "time steps",
    .iterations = 400,
    .ranks = WORKLOAD_POWER_OF_TWO,
};

/* Adds what the neighbour on one side of each axis contributes to a point's row: side -1 for the lower triangle, 1 for
 * the upper one. */
static void add_neighbours(const struct pencil *p, long at, int side, state sum) {
    const struct fluid *f = &p->fluid;
    const struct box *b = &p->box;
    for (int axis = AXES - 1; axis >= 0; axis--) {
        double derivative[UNKNOWNS][UNKNOWNS];
        long other = at + side * b->stride[axis];
        fluid_jacobian(b->u[other], axis, derivative);
        FOR_UNKNOWNS(m) {
            sum[m] -= f->second[axis] * b->rhs[other][m];
            FOR_UNKNOWNS(n)
            sum[m] += side * f->first[axis] * derivative[m][n] * b->rhs[other][n];
        }
    }
}

static double diagonal(const struct fluid *f) {
    return 1 + 2 * (f->second[0] + f->second[1] + f->second[2]);
}

static void lower_plane(struct pencil *p, int k) {
    struct box *b = &p->box;
    double scale = 1 / diagonal(&p->fluid);
    for (int y = b->low[1]; y < b->high[1]; y++)
        for (int x = b->low[0]; x < b->high[0]; x++) {
            long at = BOX_AT(b, x, y, k);
            state sum = {0};
            add_neighbours(p, at, -1, sum);
            FOR_UNKNOWNS(m)
            b->rhs[at][m] = scale * (b->rhs[at][m] - OMEGA * sum[m]);
        }
}

static void upper_plane(struct pencil *p, int k) {
    struct box *b = &p->box;
    double scale = 1 / diagonal(&p->fluid);
    for (int y = b->high[1] - 1; y >= b->low[1]; y--)
        for (int x = b->high[0] - 1; x >= b->low[0]; x--) {
            long at = BOX_AT(b, x, y, k);
            state sum = {0};
            add_neighbours(p, at, 1, sum);
            FOR_UNKNOWNS(m)
            b->rhs[at][m] -= scale * OMEGA * sum[m];
        }
}

static void relax(struct pencil *p) {
    const struct box *b = &p->box;
    for (int k = b->low[2]; k < b->high[2]; k++) {
        pencil_wait(p, k, true);
        lower_plane(p, k);
        pencil_pass_on(p, k, true);
    }
    for (int k = b->high[2] - 1; k >= b->low[2]; k--) {
        pencil_wait(p, k, false);
        upper_plane(p, k);
        pencil_pass_on(p, k, false);
    }
    box_update(&p->box, 1 / (OMEGA * (2 - OMEGA)));
}

int main(int argc, char **argv) {
    struct workload w;
    struct pencil p;

    workload_begin(&w, &spec, &argc, &argv);
    pencil_open(&p, &w, TIME_STEP);
    pencil_right_hand_side(&p);
    struct fluid_norms before = fluid_norms_of(&p.box, 1, &p.fluid);
    workload_start(&w);

    for (long step = 0; step < w.iterations; step++) {
        pencil_right_hand_side(&p);
        relax(&p);
        workload_lap();
    }
    pencil_right_hand_side(&p);
    struct fluid_norms after = fluid_norms_of(&p.box, 1, &p.fluid);
    pencil_close(&p);
    return workload_end(&w, fluid_verify(&w, &before, &after, KNOWN_RESIDUAL), after.residual);
}
