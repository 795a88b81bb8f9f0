/* multiply.c: multiplies the rows of a rank. */
#include "matmul.h"

void multiply(const double *a, const double *b, double *c, int rows, int n) {
    for (int i = 0; i < rows; i++) {
        for (int j = 0; j < n; j++)
            c[(long)i * n + j] = 0;
        for (int k = 0; k < n; k++)
            for (int j = 0; j < n; j++)
                c[(long)i * n + j] += a[(long)i * n + k] * b[(long)k * n + j];
    }
}
