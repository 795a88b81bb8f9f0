/* box.c: boxes of grid points, and norms over all of them. */
#include "fluid.h"

#include <math.h>
#include <stdlib.h>

void box_open(struct box *b, const struct fluid *f, const int *start, const int *n) {
    long points = 1;
    for (int axis = 0; axis < AXES; axis++) {
        b->start[axis] = start[axis];
        b->n[axis] = n[axis];
        b->low[axis] = start[axis] == 0;
        b->high[axis] = n[axis] - (start[axis] + n[axis] == f->n);
        b->stride[axis] = points;
        points *= n[axis] + 2 * HALO;
    }
    b->u = NEW(state, points);
    b->rhs = NEW(state, points);
    b->forcing = NEW(state, points);
}

void box_close(struct box *b) {
    free(b->u);
    free(b->rhs);
    free(b->forcing);
}

void box_update(struct box *b, double factor) {
    FOR_SOLVED(b, x, y, z)
    FOR_UNKNOWNS(m)
    b->u[BOX_AT(b, x, y, z)][m] += factor * b->rhs[BOX_AT(b, x, y, z)][m];
}

struct fluid_norms fluid_norms_of(const struct box *boxes, int n_boxes, const struct fluid *f) {
    struct fluid_norms mine = {0, 0}, all;
    for (int i = 0; i < n_boxes; i++)
        box_norms(&boxes[i], f, &mine.residual, &mine.error);
    MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double points = pow(f->n - 2, AXES) * UNKNOWNS;
    return (struct fluid_norms){sqrt(all.residual / points), sqrt(all.error / points)};
}

bool fluid_verify(const struct workload *w, const struct fluid_norms *before, const struct fluid_norms *after,
                  double known_residual) {
    bool verified = after->residual < before->residual && after->error < before->error;
    if (w->size == FLUID_KNOWN_SIZE && w->iterations == FLUID_KNOWN_STEPS)
        verified = verified && workload_close(after->residual, known_residual, 1e-8);
    if (w->size == FLUID_KNOWN_SIZE && w->iterations >= 10 * FLUID_KNOWN_STEPS)
        verified = verified && after->residual < 1e-6 && after->error < 1e-6;
    return verified;
}
