/* cell.h: what happens in one cell, as a chain of small functions. */
#ifndef CELL_H
#define CELL_H

/* The change of the middle of five neighbouring cells along one axis in a step of `courant` cells. */
double cell_change(const double *middle, long stride, double courant);

#endif
