/* pencil.h: the partition of LU: the cube cut along x and y, each rank with whole columns in z.
 *
 *     west, east: x; south, north: y. Ranks at a face of the cube have MPI_PROC_NULL beyond it.
 */
#ifndef PENCIL_H
#define PENCIL_H

#include "../fluid/fluid.h"

struct pencil {
    const struct workload *w;
    struct fluid fluid;
    struct box box;
    int west, east, south, north;
    double *line, *faces[2]; /* room for a line of a plane; for faces out and in */
};

/* Lays the ranks out and sets u to its start; ends the program when a pencil would be too thin. */
void pencil_open(struct pencil *p, const struct workload *w, double dt);
void pencil_close(struct pencil *p);

/* rhs: exchanges the faces of u with the four neighbours and evaluates the equations. */
void pencil_right_hand_side(struct pencil *p);

/* Before plane k is worked on: gets the lines next to it from the west and south (lower) or the east and north. After
 * it: sends its own far lines on. Lines of rhs. */
void pencil_wait(struct pencil *p, int k, bool lower);
void pencil_pass_on(struct pencil *p, int k, bool lower);

#endif
