/* fft.h: complex Fourier transforms of lengths that are powers of two. */
#ifndef FFT_H
#define FFT_H

struct complex {
    double re, im;
};

#define COMPLEX_MULTIPLY(a, b) ((struct complex){(a).re * (b).re - (a).im * (b).im, (a).re * (b).im + (a).im * (b).re})

struct fft {
    int n;
    struct complex *roots; /* n / 2 */
    struct complex *line;  /* n: room for a strided line */
};

void fft_open(struct fft *f, int n);
void fft_close(struct fft *f);

/* Transforms n values `stride` apart in place; sign -1 forward, +1 back, neither scaled. */
void fft_line(const struct fft *f, struct complex *data, long stride, int sign);

#endif
