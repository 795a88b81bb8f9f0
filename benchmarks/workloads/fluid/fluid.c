/* fluid.c: fluxes, their derivatives, and the known solution. */
#include "fluid.h"

#include <math.h>

#define DISSIPATION 0.25

static const double diffusion[AXES] = {0.75, 0.75, 1.0};

/* Coefficients of the known solution (RNR-94-007, table 3.1): constant; x y z; their squares, cubes, fourth powers. */
static const double known[UNKNOWNS][13] = {
    {2, 0, 0, 4, 5, 3, 0.5, 0.02, 0.01, 0.03, 0.5, 0.4, 0.3},
    {1, 0, 0, 0, 1, 2, 3, 0.01, 0.03, 0.02, 0.4, 0.3, 0.5},
    {2, 2, 0, 0, 0, 2, 3, 0.04, 0.03, 0.05, 0.3, 0.5, 0.4},
    {2, 2, 0, 0, 0, 2, 3, 0.03, 0.05, 0.04, 0.2, 0.1, 0.3},
    {5, 4, 3, 2, 0.1, 0.4, 0.3, 0.05, 0.04, 0.03, 0.1, 0.3, 0.2},
};

static void exact(const struct fluid *f, int x, int y, int z, state u) {
    double place[AXES] = {x, y, z};
    FOR_UNKNOWNS(m) {
        const double *c = known[m];
        u[m] = c[0];
        for (int axis = 0; axis < AXES; axis++) {
            double s = place[axis] / (f->n - 1);
            u[m] += s * (c[1 + axis] + s * (c[4 + axis] + s * (c[7 + axis] + s * c[10 + axis])));
        }
    }
}

void fluid_set(struct fluid *f, long n, double dt) {
    double h = 1.0 / (double)(n - 1);
    f->n = (int)n;
    f->dt = dt;
    f->fourth = dt * DISSIPATION;
    for (int axis = 0; axis < AXES; axis++) {
        f->first[axis] = dt / (2 * h);
        f->second[axis] = dt * diffusion[axis] / (h * h);
    }
}

static double pressure(const state u) {
    return (GAMMA - 1) * (u[4] - (u[1] * u[1] + u[2] * u[2] + u[3] * u[3]) / (2 * u[0]));
}

static void flux(const state u, int axis, state f) {
    double speed = u[1 + axis] / u[0], p = pressure(u);
    FOR_UNKNOWNS(m)
    f[m] = speed * u[m];
    f[1 + axis] += p;
    f[4] += speed * p;
}

void fluid_jacobian(const state u, int axis, double j[UNKNOWNS][UNKNOWNS]) {
    double v[AXES] = {u[1] / u[0], u[2] / u[0], u[3] / u[0]}, g = GAMMA - 1, speed = v[axis], p = pressure(u);
    double half_square = (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]) / 2;
    double dp[UNKNOWNS] = {g * half_square, -g * v[0], -g * v[1], -g * v[2], g};
    double dspeed[UNKNOWNS] = {-speed / u[0], 0, 0, 0, 0};
    dspeed[1 + axis] = 1 / u[0];
    FOR_UNKNOWNS(m)
    FOR_UNKNOWNS(n) {
        j[m][n] = dspeed[n] * u[m] + (m == n ? speed : 0);
        if (m == 1 + axis)
            j[m][n] += dp[n];
        if (m == 4)
            j[m][n] += dspeed[n] * p + speed * dp[n];
    }
}

void fluid_dissipation(int at, int n, double weight[5]) {
    static const double inner[5] = {1, -4, 6, -4, 1}, second[5] = {0, -4, 6, -4, 1}, first[5] = {0, 0, 5, -4, 1};
    const double *from = at == 1 || at == n - 2 ? first : at == 2 || at == n - 3 ? second : inner;
    for (int i = 0; i < 5; i++)
        weight[i] = at > n / 2 ? from[4 - i] : from[i];
}

static void add_axis(const struct fluid *f, const state *u, int axis, long stride, int at, state out) {
    state above, below;
    double weight[5];
    flux(u[stride], axis, above);
    flux(u[-stride], axis, below);
    fluid_dissipation(at, f->n, weight);
    FOR_UNKNOWNS(m) {
        out[m] -= f->first[axis] * (above[m] - below[m]);
        out[m] += f->second[axis] * (u[stride][m] - 2 * u[0][m] + u[-stride][m]);
        for (int i = 0; i < 5; i++)
            if (weight[i] != 0)
                out[m] -= f->fourth * weight[i] * u[(i - 2) * stride][m];
    }
}

void box_right_hand_side(struct box *b, const struct fluid *f) {
    FOR_SOLVED(b, x, y, z) {
        int place[AXES] = {x, y, z};
        long at = BOX_AT(b, x, y, z);
        FOR_UNKNOWNS(m)
        b->rhs[at][m] = b->forcing[at][m];
        for (int axis = 0; axis < AXES; axis++)
            add_axis(f, b->u + at, axis, b->stride[axis], b->start[axis] + place[axis], b->rhs[at]);
    }
}

void box_set_exact(struct box *b, const struct fluid *f) {
    for (int z = -HALO; z < b->n[2] + HALO; z++)
        for (int y = -HALO; y < b->n[1] + HALO; y++)
            for (int x = -HALO; x < b->n[0] + HALO; x++)
                exact(f, b->start[0] + x, b->start[1] + y, b->start[2] + z, b->u[BOX_AT(b, x, y, z)]);
}

void box_set_forcing(struct box *b) {
    FOR_SOLVED(b, x, y, z)
    FOR_UNKNOWNS(m)
    b->forcing[BOX_AT(b, x, y, z)][m] = -b->rhs[BOX_AT(b, x, y, z)][m];
}

/* Transfinite interpolation, as in the report: a blend along each axis, and products that make the faces right. */
static void blend(const struct fluid *f, const int *place, state u) {
    state along[AXES];
    for (int axis = 0; axis < AXES; axis++) {
        int low[AXES] = {place[0], place[1], place[2]}, high[AXES] = {place[0], place[1], place[2]};
        double s = (double)place[axis] / (f->n - 1);
        state from, to;
        low[axis] = 0;
        high[axis] = f->n - 1;
        exact(f, low[0], low[1], low[2], from);
        exact(f, high[0], high[1], high[2], to);
        FOR_UNKNOWNS(m)
        along[axis][m] = (1 - s) * from[m] + s * to[m];
    }
    FOR_UNKNOWNS(m) {
        double a = along[0][m], b = along[1][m], c = along[2][m];
        u[m] = a + b + c - a * b - b * c - c * a + a * b * c;
    }
}

void box_set_start(struct box *b, const struct fluid *f) {
    box_set_exact(b, f);
    FOR_SOLVED(b, x, y, z) {
        int place[AXES] = {b->start[0] + x, b->start[1] + y, b->start[2] + z};
        blend(f, place, b->u[BOX_AT(b, x, y, z)]);
    }
}

void box_norms(const struct box *b, const struct fluid *f, double *residual, double *error) {
    FOR_SOLVED(b, x, y, z) {
        long at = BOX_AT(b, x, y, z);
        state right;
        exact(f, b->start[0] + x, b->start[1] + y, b->start[2] + z, right);
        FOR_UNKNOWNS(m) {
            *residual += SQUARE(b->rhs[at][m] / f->dt);
            *error += SQUARE(b->u[at][m] - right[m]);
        }
    }
}
