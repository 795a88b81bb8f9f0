/* cells.h: the multi-partition of BT and SP.
 *
 * q x q ranks cut the cube into q cells along each axis; a rank owns q cells along a diagonal, one for each place along
 * each axis. So in a sweep along any axis every rank has work at every stage, and the ranks before and after it are the
 * same for all its cells. Of 2 x 2 ranks, z = 0 and z = 1:
 *
 *     y |  2  3  |  1  0  |
 *       |  0  1  |  3  2  |  x
 */
#ifndef CELLS_H
#define CELLS_H

#include "fluid.h"

#define MOST_CELLS 32

struct cells {
    const struct workload *w;
    struct fluid fluid;
    void *above[MOST_CELLS]; /* what elimination leaves for the sweep back, for each point of each own cell */
    int q;
    int place[MOST_CELLS][AXES];    /* of each own cell */
    int at_stage[AXES][MOST_CELLS]; /* own cell at each place along an axis */
    int before[AXES], after[AXES];  /* ranks */
    struct box boxes[MOST_CELLS];
    double *faces[2 * AXES][2]; /* [axis, side][out, in] */
    int face_doubles[2 * AXES][2];
};

/* Lines across an axis of a box: i along the next axis, j along the one after. */
#define FOR_LINES(b, axis, i, j)                                                                                       \
    for (int j = 0; j < (b)->n[((axis) + 2) % AXES]; j++)                                                              \
        for (int i = 0; i < (b)->n[((axis) + 1) % AXES]; i++)

static inline long cells_line(const struct box *b, int axis, int i, int j) {
    return BOX_AT(b, 0, 0, 0) + i * b->stride[(axis + 1) % AXES] + j * b->stride[(axis + 2) % AXES];
}

/* How one of the programs steps on. As in NPB 2's smallest classes a step is `small_step` up to 12 points a side; finer
 * grids take shorter ones. */
struct cells_solver {
    double small_step, step_at_36;
    double known_residual;                         /* fluid_verify */
    size_t above_bytes;                            /* of cells.above, a point */
    void (*solve_axis)(struct cells *c, int axis); /* the implicit step along an axis, in place of rhs */
};

/* The whole program: from its command line to its exit status. */
int cells_run(int argc, char **argv, const struct workload_spec *spec, const struct cells_solver *solver);

/* A sweep along an axis: `work` is called for each stage in turn with what the stage before handed on (`in`, null at
 * the first) and what it hands on itself (`out`, null at the last); `doubles` is what a point across the axis hands on.
 */
typedef void cells_stage(struct cells *c, int axis, int stage, const double *in, double *out);
void cells_sweep(struct cells *c, int axis, bool forward, int doubles, cells_stage *work);

#endif
