/* fluid.h: the equations that BT, SP and LU solve, on a box of grid points.
 *
 * As in the NAS pseudo-applications (RNR-94-007, chapter 3) five coupled unknowns on a cube approach a steady state
 * that is known: the polynomial of that report. Here they obey the Euler equations with second-order diffusion and
 * fourth-order dissipation; the report's viscous cross terms are left out. The forcing makes the known solution the
 * discrete one, so that error and residual both fall towards rounding.
 *
 *     box: n[0] x n[1] x n[2] points from start[] on, and two points of halo on every side; points lie by x, then y,
 * then z
 */
#ifndef FLUID_H
#define FLUID_H

#include "../common/workload.h"

#define UNKNOWNS 5
#define AXES 3
#define HALO 2
#define FLUID_SMALLEST 6 /* points a side: the dissipation has five cases */
#define GAMMA 1.4

typedef double state[UNKNOWNS]; /* density, momentum, energy */

struct fluid {
    int n; /* points a side of the cube, the fixed faces included */
    double dt;
    double first[AXES], second[AXES]; /* dt / 2h, and dt / h^2 times the diffusion */
    double fourth;                    /* dt times the dissipation */
};

struct box {
    int n[AXES], start[AXES];
    int low[AXES], high[AXES]; /* points that are solved for: [low, high), the fixed faces left out */
    long stride[AXES];
    state *u, *rhs, *forcing;
};

#define BOX_AT(b, x, y, z) (((x) + HALO) + ((y) + HALO) * (b)->stride[1] + ((z) + HALO) * (b)->stride[2])
#define FOR_UNKNOWNS(m) for (int m = 0; m < UNKNOWNS; m++)

/* Every point of the box, or those solved for. */
#define FOR_BOX(b, x, y, z)                                                                                            \
    for (int z = 0; z < (b)->n[2]; z++)                                                                                \
        for (int y = 0; y < (b)->n[1]; y++)                                                                            \
            for (int x = 0; x < (b)->n[0]; x++)
#define FOR_SOLVED(b, x, y, z)                                                                                         \
    for (int z = (b)->low[2]; z < (b)->high[2]; z++)                                                                   \
        for (int y = (b)->low[1]; y < (b)->high[1]; y++)                                                               \
            for (int x = (b)->low[0]; x < (b)->high[0]; x++)

void fluid_set(struct fluid *f, long n, double dt);

void box_open(struct box *b, const struct fluid *f, const int *start, const int *n);
void box_close(struct box *b);

/* Sets u, and its halo inside the cube, to the known solution. */
void box_set_exact(struct box *b, const struct fluid *f);

/* Turns the right-hand side of the known solution into the forcing. */
void box_set_forcing(struct box *b);

/* Sets u to a blend of the fixed faces. */
void box_set_start(struct box *b, const struct fluid *f);

/* rhs = dt (forcing - what the equations make of u); 0 on the fixed faces. The halo of u must be right. */
void box_right_hand_side(struct box *b, const struct fluid *f);

/* u += factor rhs */
void box_update(struct box *b, double factor);

/* Sums of squares over the box: of rhs / dt, and of the error of u. */
void box_norms(const struct box *b, const struct fluid *f, double *residual, double *error);

/* Derivative of the flux along an axis. */
void fluid_jacobian(const state u, int axis, double j[UNKNOWNS][UNKNOWNS]);

/* Weights of the dissipation at place `at` of a line of n points. */
void fluid_dissipation(int at, int n, double weight[5]);

/* What came out: norms over the whole cube, before and after. */
struct fluid_norms {
    double residual, error;
};
struct fluid_norms fluid_norms_of(const struct box *boxes, int n_boxes, const struct fluid *f);

/* Both norms have fallen; after FLUID_KNOWN_STEPS on FLUID_KNOWN_SIZE points a side, the paper's problem, the residual
 * is the given one, that of one rank; after ten times as many steps it is next to nothing. */
#define FLUID_KNOWN_SIZE 12
#define FLUID_KNOWN_STEPS 40
bool fluid_verify(const struct workload *w, const struct fluid_norms *before, const struct fluid_norms *after,
                  double known_residual);

#endif
