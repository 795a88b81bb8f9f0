/* plate.h: one rank's part of a square plate whose edges are kept at 0, and its halo. */
#ifndef PLATE_H
#define PLATE_H

#include "../common/workload.h"

struct plate {
    MPI_Comm grid;
    int up, down, left, right; /* neighbours, MPI_PROC_NULL at an edge */
    long n;                    /* inner points of the plate a side */
    long first_row, first_column, rows, columns;
    MPI_Datatype column;
    double *now, *next, *before; /* (rows + 2) x (columns + 2), halo included */
};

#define PLATE_AT(p, array, row, column) ((array)[(row) * ((p)->columns + 2) + (column)])
#define FOR_PLATE(p, r, c)                                                                                             \
    for (long r = 1; r <= (p)->rows; r++)                                                                              \
        for (long c = 1; c <= (p)->columns; c++)

/* Lays the ranks out in a grid as square as can be. False when some would have no point; then nothing is to be closed.
 */
bool plate_open(struct plate *p, const struct workload *w);
void plate_close(struct plate *p);

/* Fills the halo of `array` from the neighbours. */
void plate_exchange(const struct plate *p, double *array);

#endif
