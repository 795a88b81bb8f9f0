/* matrix.h: dense square matrices, by rows. */
#ifndef MATRIX_H
#define MATRIX_H

#include <stdbool.h>

#define AT(m, n, row, column) ((m)[(long)(row) * (n) + (column)])

/* A reflection: symmetric and its own inverse, so that multiplying by it twice gives back what was there. */
void matrix_reflection(double *m, long n);

/* Random entries in (0, 1). */
void matrix_random(double *m, long n);

/* c = a b for `rows` rows of a and c. */
void matrix_multiply(double *c, const double *a, const double *b, long rows, long n);

/* Freivalds' check: c x = a (b x) for a random vector x, within rounding. */
bool matrix_product_plausible(const double *c, const double *a, const double *b, long n);

/* Largest difference of two entries. */
double matrix_difference(const double *a, const double *b, long n);

#endif
