/* level.c: bricks and their halos. */
#include "level.h"

#include <stdlib.h>
#include <string.h>

#define TAG_DOWN(axis) (10 + 2 * (axis))
#define TAG_UP(axis) (11 + 2 * (axis))

void layout_open(struct layout *l, const struct workload *w) {
    int sides[AXES] = {1, 1, 1}, periodic[AXES] = {1, 1, 1}, place[AXES]; /* MPI's order: z, y, x */
    for (int ranks = 1, axis = 0; ranks < w->ranks; ranks *= 2, axis = (axis + 1) % AXES)
        sides[axis] *= 2;
    MPI_Cart_create(MPI_COMM_WORLD, AXES, sides, periodic, 0, &l->grid);
    MPI_Cart_coords(l->grid, w->rank, AXES, place);
    for (int axis = 0; axis < AXES; axis++) {
        l->sides[axis] = sides[AXES - 1 - axis];
        l->place[axis] = place[AXES - 1 - axis];
        MPI_Cart_shift(l->grid, AXES - 1 - axis, 1, &l->below[axis], &l->above[axis]);
    }
}

void layout_close(struct layout *l) {
    MPI_Comm_free(&l->grid);
}

void level_open(struct level *v, const struct layout *l, int k) {
    *v = (struct level){.layout = l, .spread = true};
    for (int axis = 0; axis < AXES; axis++)
        v->spread = v->spread && (1 << k) / l->sides[axis] >= 2;
    for (int axis = 0; axis < AXES; axis++) {
        v->n[axis] = v->spread ? (1 << k) / l->sides[axis] : 1 << k;
        v->offset[axis] = v->spread ? l->place[axis] * v->n[axis] : 0;
    }
    v->u = NEW(double, LEVEL_POINTS(v));
    v->r = NEW(double, LEVEL_POINTS(v));
    long side = UPPER(v->n[0], UPPER(v->n[1], v->n[2])) + 2;
    for (int i = 0; i < 4; i++)
        v->faces[i] = NEW(double, side *side);
}

void level_close(struct level *v) {
    free(v->u);
    free(v->r);
    for (int i = 0; i < 4; i++)
        free(v->faces[i]);
}

/* Copies the face at coordinate `at` of an axis to `face`, or back when `store`. Axes before it are taken with their
 * halo. */
static int copy_face(const struct level *v, double *array, int axis, int at, double *face, bool store) {
    long stride[AXES] = {1, STRIDE_Y(v), STRIDE_Z(v)};
    int p = axis == 0 ? 1 : 0, q = axis == 2 ? 1 : 2, n = 0; /* the other two axes */
    int p_halo = p < axis, q_halo = q < axis;
    for (int j = 1 - q_halo; j <= v->n[q] + q_halo; j++)
        for (int i = 1 - p_halo; i <= v->n[p] + p_halo; i++, n++) {
            double *point = array + at * stride[axis] + i * stride[p] + j * stride[q];
            if (store)
                *point = face[n];
            else
                face[n] = *point;
        }
    return n;
}

static void exchange_axis(const struct level *v, double *array, int axis) {
    const struct layout *l = v->layout;
    int last = v->n[axis], below = l->below[axis], above = l->above[axis];
    int n = copy_face(v, array, axis, 1, v->faces[0], false);
    copy_face(v, array, axis, last, v->faces[1], false);
    if (!v->spread || l->sides[axis] == 1) {
        copy_face(v, array, axis, last + 1, v->faces[0], true);
        copy_face(v, array, axis, 0, v->faces[1], true);
        return;
    }
    MPI_Request requests[2];
    MPI_Irecv(v->faces[3], n, MPI_DOUBLE, above, TAG_DOWN(axis), l->grid, &requests[0]);
    MPI_Irecv(v->faces[2], n, MPI_DOUBLE, below, TAG_UP(axis), l->grid, &requests[1]);
    MPI_Send(v->faces[0], n, MPI_DOUBLE, below, TAG_DOWN(axis), l->grid);
    MPI_Send(v->faces[1], n, MPI_DOUBLE, above, TAG_UP(axis), l->grid);
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE);
    MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
    copy_face(v, array, axis, last + 1, v->faces[3], true);
    copy_face(v, array, axis, 0, v->faces[2], true);
}

void level_exchange(const struct level *v, double *array) {
    for (int axis = 0; axis < AXES; axis++)
        exchange_axis(v, array, axis);
}

double level_square(const struct level *v, const double *array) {
    double sum = 0;
    FOR_LINES(v, y, z)
    for (int x = 1; x <= v->n[0]; x++)
        sum += SQUARE(array[POINT(v, x, y, z)]);
    if (v->spread)
        MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, v->layout->grid);
    return sum;
}
