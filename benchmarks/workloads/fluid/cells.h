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

#define MOST_CELLS 8

struct cells {
    const struct workload *w;
    struct fluid fluid;
    int q;
    int place[MOST_CELLS][AXES];    /* of each own cell */
    int at_stage[AXES][MOST_CELLS]; /* own cell at each place along an axis */
    int before[AXES], after[AXES];  /* ranks */
    struct box boxes[MOST_CELLS];
    double *faces[2 * AXES][2]; /* [axis, side][out, in] */
    int face_doubles[2 * AXES][2];
};

/* Lays out the cells and sets u to its start; ends the program when a cell would be too small. */
void cells_open(struct cells *c, const struct workload *w, double dt);
void cells_close(struct cells *c);

/* rhs of all cells: exchanges the faces of all cells in six messages and evaluates the equations. */
void cells_right_hand_side(struct cells *c);

/* A sweep along an axis: `work` is called for each stage in turn with what the stage before handed on (`in`, null at
 * the first) and what it hands on itself (`out`, null at the last); `doubles` is what a point across the axis hands on.
 */
typedef void cells_stage(struct cells *c, int axis, int stage, const double *in, double *out);
void cells_sweep(struct cells *c, int axis, bool forward, int doubles, cells_stage *work);

#endif
