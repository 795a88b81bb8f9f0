/* matrix.h: a sparse matrix whose rows are dealt to ranks, and which is put together entry by entry. */
#ifndef MATRIX_H
#define MATRIX_H

/* Rows [first, end) are this rank's. Collective. */
void matrix_begin(long first, long end, long rows, int ranks);

/* Adds to an entry. Those of other ranks' rows wait for matrix_exchange(). */
void matrix_add(long row, long column, double value);

/* Sends what belongs to others to them. Collective. */
void matrix_exchange(void);

void matrix_clear(void);

/* The sum of the entries of one of the own rows, and one entry. */
double matrix_row_sum(long row);
double matrix_entry(long row, long column);

void matrix_end(void);

#endif
