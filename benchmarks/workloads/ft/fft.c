/* fft.c: decimation in time, radix 2. */
#include "fft.h"
#include "../common/workload.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846

void fft_open(struct fft *f, int n) {
    f->n = n;
    f->roots = NEW(struct complex, n / 2);
    f->line = NEW(struct complex, n);
    for (int k = 0; k < n / 2; k++)
        f->roots[k] = (struct complex){cos(2 * PI * k / n), sin(2 * PI * k / n)};
}

void fft_close(struct fft *f) {
    free(f->roots);
    free(f->line);
}

static void butterflies(const struct fft *f, int half, int sign) {
    int step = f->n / (2 * half);
    for (int begin = 0; begin < f->n; begin += 2 * half)
        for (int k = 0; k < half; k++) {
            struct complex root = f->roots[k * step], *a = &f->line[begin + k], *b = a + half;
            root.im *= sign;
            struct complex turned = COMPLEX_MULTIPLY(*b, root);
            *b = (struct complex){a->re - turned.re, a->im - turned.im};
            *a = (struct complex){a->re + turned.re, a->im + turned.im};
        }
}

void fft_line(const struct fft *f, struct complex *data, long stride, int sign) {
    for (int i = 0, reversed = 0; i < f->n; i++) {
        f->line[reversed] = data[i * stride];
        int bit = f->n / 2;
        for (; bit > 0 && reversed & bit; bit /= 2)
            reversed ^= bit;
        reversed |= bit;
    }
    for (int half = 1; half < f->n; half *= 2)
        butterflies(f, half, sign);
    for (int i = 0; i < f->n; i++)
        data[i * stride] = f->line[i];
}
