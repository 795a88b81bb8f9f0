/* matrix.c: dense matrices: making, multiplying, checking. */
#include "matrix.h"
#include "../common/lcg.h"
#include "../common/workload.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TILE 32

void matrix_reflection(double *m, long n) {
    double *v = NEW(double, n), square = 0;
    uint64_t random = LCG_SEED;
    for (long i = 0; i < n; i++) {
        v[i] = lcg_next(&random) - 0.5;
        square += v[i] * v[i];
    }
    for (long i = 0; i < n; i++)
        for (long j = 0; j < n; j++)
            AT(m, n, i, j) = (i == j) - 2 * v[i] * v[j] / square;
    free(v);
}

void matrix_random(double *m, long n) {
    uint64_t random = lcg_skip(LCG_SEED, 1 << 20);
    for (long i = 0; i < n * n; i++)
        m[i] = lcg_next(&random);
}

static void multiply_tile(double *c, const double *a, const double *b, long n, long k_begin, long k_end) {
    for (long k = k_begin; k < k_end; k++) {
        double factor = a[k];
        for (long j = 0; j < n; j++)
            c[j] += factor * AT(b, n, k, j);
    }
}

void matrix_multiply(double *c, const double *a, const double *b, long rows, long n) {
    memset(c, 0, (size_t)(rows * n) * sizeof *c);
    for (long k = 0; k < n; k += TILE)
        for (long i = 0; i < rows; i++)
            multiply_tile(&AT(c, n, i, 0), &AT(a, n, i, 0), b, n, k, LOWER(k + TILE, n));
}

static void times_vector(double *y, const double *m, const double *x, long n) {
    for (long i = 0; i < n; i++) {
        double sum = 0;
        for (long j = 0; j < n; j++)
            sum += AT(m, n, i, j) * x[j];
        y[i] = sum;
    }
}

bool matrix_product_plausible(const double *c, const double *a, const double *b, long n) {
    double *x = NEW(double, 4 * n), *cx = x + n, *bx = cx + n, *abx = bx + n;
    uint64_t random = lcg_skip(LCG_SEED, 1 << 24);
    bool same = true;
    for (long i = 0; i < n; i++)
        x[i] = lcg_next(&random);
    times_vector(cx, c, x, n);
    times_vector(bx, b, x, n);
    times_vector(abx, a, bx, n);
    for (long i = 0; i < n; i++)
        same = same && fabs(cx[i] - abx[i]) <= 1e-11 * (double)n;
    free(x);
    return same;
}

double matrix_difference(const double *a, const double *b, long n) {
    double largest = 0;
    for (long i = 0; i < n * n; i++)
        largest = fmax(largest, fabs(a[i] - b[i]));
    return largest;
}
