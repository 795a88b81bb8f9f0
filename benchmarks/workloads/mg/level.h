/* level.h: the grids of the multigrid kernel.
 *
 *     level n: the whole cube, 8 points .. 2^levels a side, dealt in bricks      spread
 *     ...
 *     level 1: 2 points a side                                                   whole on every rank
 *
 * A level is dealt out as long as every brick keeps two points in each direction; coarser ones are held whole by every
 * rank, which then all do the same work. Bricks have a halo one point wide; the cube is periodic.
 */
#ifndef LEVEL_H
#define LEVEL_H

#include "../common/workload.h"

#define MOST_LEVELS 11
#define AXES 3

struct layout {
    MPI_Comm grid;
    int sides[AXES], place[AXES]; /* bricks per axis (x, y, z); this rank's */
    int below[AXES], above[AXES]; /* neighbours */
};

struct level {
    const struct layout *layout;
    bool spread;
    int n[AXES];      /* points here */
    int offset[AXES]; /* of them in the cube */
    double *u, *r;
    double *faces[4]; /* out below, out above, in below, in above */
};

#define STRIDE_Y(v) ((long)(v)->n[0] + 2)
#define STRIDE_Z(v) (STRIDE_Y(v) * ((v)->n[1] + 2))
#define POINT(v, x, y, z) ((x) + (y)*STRIDE_Y(v) + (z)*STRIDE_Z(v))
#define LEVEL_POINTS(v) (STRIDE_Z(v) * ((v)->n[2] + 2))
#define FOR_LINES(v, y, z)                                                                                             \
    for (int z = 1; z <= (v)->n[2]; z++)                                                                               \
        for (int y = 1; y <= (v)->n[1]; y++)

/* Lays the ranks out: sides are powers of two, doubled in turn from z to x. */
void layout_open(struct layout *l, const struct workload *w);
void layout_close(struct layout *l);

/* Level with 2^k points a side. */
void level_open(struct level *v, const struct layout *l, int k);
void level_close(struct level *v);

/* Fills the halo of u or r, axis by axis, so that corners come right. */
void level_exchange(const struct level *v, double *array);

/* Sum of the squares of the points here and elsewhere. */
double level_square(const struct level *v, const double *array);

#endif
