/* block.c: the arithmetic of five by five blocks. */
#include "block.h"

void block_subtract_product(block a, block b, block c) {
    FOR_UNKNOWNS(i)
    FOR_UNKNOWNS(j) {
        double sum = 0;
        FOR_UNKNOWNS(k)
        sum += b[i][k] * c[k][j];
        a[i][j] -= sum;
    }
}

void block_subtract_times(double *v, block b, const double *w) {
    FOR_UNKNOWNS(i)
    FOR_UNKNOWNS(k)
    v[i] -= b[i][k] * w[k];
}

void block_solve(block a, block c, double *v) {
    FOR_UNKNOWNS(p) {
        double pivot = 1 / a[p][p];
        for (int j = p + 1; j < UNKNOWNS; j++)
            a[p][j] *= pivot;
        FOR_UNKNOWNS(j)
        c[p][j] *= pivot;
        v[p] *= pivot;
        FOR_UNKNOWNS(i) {
            double factor = a[i][p];
            if (i == p)
                continue;
            for (int j = p + 1; j < UNKNOWNS; j++)
                a[i][j] -= factor * a[p][j];
            FOR_UNKNOWNS(j)
            c[i][j] -= factor * c[p][j];
            v[i] -= factor * v[p];
        }
    }
}
