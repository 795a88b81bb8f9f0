/* operators.c: residual, smoother, restriction, prolongation. */
#include "operators.h"

#include <stdlib.h>
#include <string.h>

struct stencil {
    double centre, face, edge, corner;
};

static const struct stencil laplace = {-8.0 / 3, 0, 1.0 / 6, 1.0 / 12};
static const struct stencil smoother = {-3.0 / 8, 1.0 / 32, -1.0 / 64, 0};
static const struct stencil restriction = {1.0 / 2, 1.0 / 4, 1.0 / 8, 1.0 / 16};

static inline double apply(const struct stencil *s, const double *p, long y, long z) {
    double face = p[-1] + p[1] + p[-y] + p[y] + p[-z] + p[z];
    double edge = p[-y - 1] + p[-y + 1] + p[y - 1] + p[y + 1] + p[-z - 1] + p[-z + 1] + p[z - 1] + p[z + 1] +
                  p[-z - y] + p[-z + y] + p[z - y] + p[z + y];
    double corner = p[-z - y - 1] + p[-z - y + 1] + p[-z + y - 1] + p[-z + y + 1] + p[z - y - 1] + p[z - y + 1] +
                    p[z + y - 1] + p[z + y + 1];
    return s->centre * p[0] + s->face * face + s->edge * edge + s->corner * corner;
}

void operator_residual(const struct level *l, const double *u, const double *v, double *r) {
    FOR_LINES(l, y, z)
    for (int x = 1; x <= l->n[0]; x++) {
        long at = POINT(l, x, y, z);
        r[at] = v[at] - apply(&laplace, u + at, STRIDE_Y(l), STRIDE_Z(l));
    }
    level_exchange(l, r);
}

void operator_smooth(const struct level *l, const double *r, double *u) {
    FOR_LINES(l, y, z)
    for (int x = 1; x <= l->n[0]; x++) {
        long at = POINT(l, x, y, z);
        u[at] += apply(&smoother, r + at, STRIDE_Y(l), STRIDE_Z(l));
    }
    level_exchange(l, u);
}

/* Where the coarse points of a fine brick begin in the coarse array: that is the whole cube when only the fine level is
 * dealt out. */
static long place_in_coarse(const struct level *fine, const struct level *coarse) {
    return POINT(coarse, fine->offset[0] / 2 - coarse->offset[0], fine->offset[1] / 2 - coarse->offset[1],
                 fine->offset[2] / 2 - coarse->offset[2]);
}

void operator_restrict(const struct level *fine, struct level *coarse) {
    double *to = coarse->r + place_in_coarse(fine, coarse);
    bool gather = fine->spread && !coarse->spread;
    if (gather)
        memset(coarse->r, 0, (size_t)LEVEL_POINTS(coarse) * sizeof *coarse->r);
    for (int z = 1; z <= fine->n[2] / 2; z++)
        for (int y = 1; y <= fine->n[1] / 2; y++)
            for (int x = 1; x <= fine->n[0] / 2; x++)
                to[POINT(coarse, x, y, z)] =
                    apply(&restriction, fine->r + POINT(fine, 2 * x, 2 * y, 2 * z), STRIDE_Y(fine), STRIDE_Z(fine));
    if (gather)
        MPI_Allreduce(MPI_IN_PLACE, coarse->r, (int)LEVEL_POINTS(coarse), MPI_DOUBLE, MPI_SUM, fine->layout->grid);
    level_exchange(coarse, coarse->r);
}

void operator_prolong(const struct level *coarse, struct level *fine) {
    const double *from = coarse->u + place_in_coarse(fine, coarse);
    for (int z = 0; z <= fine->n[2] + 1; z++)
        for (int y = 0; y <= fine->n[1] + 1; y++)
            for (int x = 0; x <= fine->n[0] + 1; x++) {
                long dx = x % 2, dy = y % 2 * STRIDE_Y(coarse), dz = z % 2 * STRIDE_Z(coarse);
                const double *p = from + POINT(coarse, x / 2, y / 2, z / 2);
                double sum = p[0] + p[dx] + p[dy] + p[dx + dy] + p[dz] + p[dz + dx] + p[dz + dy] + p[dz + dy + dx];
                fine->u[POINT(fine, x, y, z)] += sum / 8;
            }
}
