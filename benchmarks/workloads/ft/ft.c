/* ft.c: the kernel FT of the NAS Parallel Benchmarks (RNR-94-007, section 2.2.4).
 *
 * Solves a diffusion equation by three-dimensional Fourier transforms of a cube dealt in slabs: two directions are
 * transformed locally, an all-to-all exchange transposes the cube, the third follows. Space is dealt by z and lies as
 * [z][y][x]; frequency is dealt by y and lies as [y][x][z].
 */
#include "../common/lcg.h"
#include "../common/workload.h"
#include "fft.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define PI 3.14159265358979323846
#define ALPHA 1e-6
#define CHECKSUM_TERMS 1024

static const struct workload_spec spec = {
    .name = "ft",
    .purpose = "3-D Fourier transforms of slabs with all-to-all transpose (NAS FT)",
    .size_meaning = "points a side of the cube, a power of two",
    .size = 64,
    .size_minimum = 2,
    .size_maximum = 1024,
    .iteration_meaning = "time steps, each an inverse transform",
    .iterations = 30,
    .ranks = WORKLOAD_POWER_OF_TWO,
};

/* Published checksums of the cube of 64. */
static const struct complex published[] = {
    {554.6087004964, 484.5363331978}, {554.6385409189, 486.5304269511}, {554.6148406171, 488.3910722336},
    {554.5423607415, 490.1273169046}, {554.4255039624, 491.7475857993}, {554.2683411902, 493.2597244941},
};
#define PUBLISHED_SIZE 64
#define PUBLISHED_STEPS ((long)(sizeof published / sizeof *published))

struct cube {
    const struct workload *w;
    int n, planes; /* planes: n / ranks */
    long points;   /* here */
    struct fft fft;
    struct complex *space, *frequency, *work, *out, *in;
    double *decay;            /* of each frequency in one step */
    MPI_Datatype type, block; /* one number; what goes from one rank to another */
};

static void open_cube(struct cube *c, const struct workload *w) {
    c->w = w;
    c->n = (int)w->size;
    c->planes = c->n / w->ranks;
    c->points = (long)c->planes * c->n * c->n;
    fft_open(&c->fft, c->n);
    struct complex **arrays[] = {&c->space, &c->frequency, &c->work, &c->out, &c->in};
    for (unsigned i = 0; i < sizeof arrays / sizeof *arrays; i++)
        *arrays[i] = NEW(struct complex, c->points);
    c->decay = NEW(double, c->points);
    MPI_Type_contiguous(2, MPI_DOUBLE, &c->type);
    MPI_Type_contiguous(c->planes * c->planes * c->n, c->type, &c->block);
    MPI_Type_commit(&c->block);
}

static void close_cube(struct cube *c) {
    MPI_Type_free(&c->block);
    MPI_Type_free(&c->type);
    fft_close(&c->fft);
    free(c->space);
    free(c->frequency);
    free(c->work);
    free(c->out);
    free(c->in);
    free(c->decay);
}

#define SPACE(c, array, z, y, x) ((array)[((long)(z) * (c)->n + (y)) * (c)->n + (x)])
#define FREQUENCY(c, array, y, x, z) ((array)[((long)(y) * (c)->n + (x)) * (c)->n + (z)])
#define FOR(i, n) for (int i = 0; i < (n); i++)

/* The part of `array` for rank r lies in block r, as [own plane][other's plane][x]. */
static struct complex *block_line(const struct cube *c, struct complex *blocks, int rank, int own, int others) {
    return blocks + (((long)rank * c->planes + own) * c->planes + others) * c->n;
}

static void exchange(struct cube *c) {
    MPI_Alltoall(c->out, 1, c->block, c->in, 1, c->block, MPI_COMM_WORLD);
}

static void space_to_frequency(struct cube *c, const struct complex *from, struct complex *to) {
    memcpy(c->work, from, (size_t)c->points * sizeof *from);
    FOR(z, c->planes) {
        FOR(y, c->n)
        fft_line(&c->fft, &SPACE(c, c->work, z, y, 0), 1, -1);
        FOR(x, c->n)
        fft_line(&c->fft, &SPACE(c, c->work, z, 0, x), c->n, -1);
    }
    FOR(z, c->planes)
    FOR(y, c->n)
    memcpy(block_line(c, c->out, y / c->planes, z, y % c->planes), &SPACE(c, c->work, z, y, 0),
           (size_t)c->n * sizeof *to);
    exchange(c);
    FOR(z, c->n)
    FOR(y, c->planes)
    FOR(x, c->n)
    FREQUENCY(c, to, y, x, z) = block_line(c, c->in, z / c->planes, z % c->planes, y)[x];
    FOR(y, c->planes)
    FOR(x, c->n)
    fft_line(&c->fft, &FREQUENCY(c, to, y, x, 0), 1, -1);
}

static void frequency_to_space(struct cube *c, const struct complex *from, struct complex *to) {
    memcpy(c->work, from, (size_t)c->points * sizeof *from);
    FOR(y, c->planes)
    FOR(x, c->n)
    fft_line(&c->fft, &FREQUENCY(c, c->work, y, x, 0), 1, 1);
    FOR(y, c->planes)
    FOR(x, c->n)
    FOR(z, c->n)
    block_line(c, c->out, z / c->planes, y, z % c->planes)[x] = FREQUENCY(c, c->work, y, x, z);
    exchange(c);
    FOR(y, c->n)
    FOR(z, c->planes)
    memcpy(&SPACE(c, to, z, y, 0), block_line(c, c->in, y / c->planes, y % c->planes, z), (size_t)c->n * sizeof *to);
    FOR(z, c->planes) {
        FOR(x, c->n)
        fft_line(&c->fft, &SPACE(c, to, z, 0, x), c->n, 1);
        FOR(y, c->n)
        fft_line(&c->fft, &SPACE(c, to, z, y, 0), 1, 1);
    }
}

static void fill(struct cube *c) {
    uint64_t random = lcg_skip(LCG_SEED, 2 * (uint64_t)c->points * (uint64_t)c->w->rank);
    for (long i = 0; i < c->points; i++) {
        c->space[i].re = lcg_next(&random);
        c->space[i].im = lcg_next(&random);
    }
    int first = c->w->rank * c->planes;
#define WAVE_NUMBER(k) (((k) + c->n / 2) % c->n - c->n / 2)
    FOR(y, c->planes)
    FOR(x, c->n)
    FOR(z, c->n) {
        double square = SQUARE(WAVE_NUMBER(x)) + SQUARE(WAVE_NUMBER(first + y)) + SQUARE(WAVE_NUMBER(z));
        FREQUENCY(c, c->decay, y, x, z) = exp(-4 * ALPHA * PI * PI * square);
    }
}

static void evolve(struct cube *c) {
    for (long i = 0; i < c->points; i++) {
        c->frequency[i].re *= c->decay[i];
        c->frequency[i].im *= c->decay[i];
    }
}

static struct complex checksum(const struct cube *c, const struct complex *space) {
    struct complex mine = {0, 0}, all;
    int first = c->w->rank * c->planes;
    double scale = 1 / pow(c->n, 3);
    for (int j = 1; j <= CHECKSUM_TERMS; j++) {
        int x = j % c->n, y = 3 * j % c->n, z = 5 * j % c->n - first;
        if (z < 0 || z >= c->planes)
            continue;
        mine.re += SPACE(c, space, z, y, x).re * scale;
        mine.im += SPACE(c, space, z, y, x).im * scale;
    }
    MPI_Allreduce(&mine, &all, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

/* There and back again is the identity. */
static bool verify_inverse(struct cube *c, struct complex *back) {
    double worst = 0, scale = 1 / pow(c->n, 3);
    frequency_to_space(c, c->frequency, back);
    for (long i = 0; i < c->points; i++)
        worst = fmax(worst, hypot(back[i].re * scale - c->space[i].re, back[i].im * scale - c->space[i].im));
    return worst < 1e-12;
}

int main(int argc, char **argv) {
    struct workload w;
    struct cube c;
    struct complex sum = {0, 0};

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, (w.size & (w.size - 1)) == 0, "--size %ld is not a power of two", w.size);
    workload_require(&w, w.size >= w.ranks, "--size %ld gives some of %d ranks no plane: take at least %d", w.size,
                     w.ranks, w.ranks);
    open_cube(&c, &w);
    fill(&c);
    workload_start(&w);

    struct complex *result = NEW(struct complex, c.points);
    space_to_frequency(&c, c.space, c.frequency);
    bool verified = verify_inverse(&c, result);
    for (long step = 0; step < w.iterations; step++) {
        evolve(&c);
        frequency_to_space(&c, c.frequency, result);
        sum = checksum(&c, result);
        if (w.size == PUBLISHED_SIZE && step < PUBLISHED_STEPS)
            verified = verified && workload_close(sum.re, published[step].re, 1e-12) &&
                       workload_close(sum.im, published[step].im, 1e-12);
        verified = verified && isfinite(sum.re) && isfinite(sum.im);
        workload_lap();
    }
    free(result);
    close_cube(&c);
    return workload_end(&w, verified, sum.re);
}
