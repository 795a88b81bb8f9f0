/* square.h: ranks in a grid of rows and columns, and the exchanges of the kernel CG on it.
 *
 * There are as many columns as rows or twice as many, both powers of two. A vector is dealt by columns: a rank holds
 * the block of its column, as all ranks of that column do. A product yields blocks by rows, partial ones; they are
 * added up along the row by exchanges with ranks at distance 1, 2, 4, ..., and go back to the dealing by columns
 * through one exchange with the transposed rank.
 */
#ifndef SQUARE_H
#define SQUARE_H

#include "../common/workload.h"

struct square {
    int row, column, rows, columns;
    int transposed;       /* rank */
    int give_begin, give; /* what of a block by rows the transposed rank holds by columns */
    long row_begin, row_end, column_begin, column_end;
    double *buffer;
};

void square_open(struct square *q, const struct workload *w);
void square_close(struct square *q);

/* Sum of x over the ranks of a row. */
double square_sum(const struct square *q, double x);

/* Adds up `partial` (by rows, destroyed) along the row and leaves in `result` this rank's block by columns. */
void square_reduce(const struct square *q, double *partial, double *result);

#endif
