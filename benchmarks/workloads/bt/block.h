/* block.h: elimination in lines of coupled unknowns: five by five blocks. */
#ifndef BLOCK_H
#define BLOCK_H

#include "../fluid/fluid.h"

typedef double block[UNKNOWNS][UNKNOWNS];

/* a -= b c */
void block_subtract_product(block a, block b, block c);

/* v -= b w */
void block_subtract_times(double *v, block b, const double *w);

/* Solves a x = c and a y = v in place of c and v, by elimination without pivoting; a is destroyed. */
void block_solve(block a, block c, double *v);

#endif
