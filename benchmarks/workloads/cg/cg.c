/* cg.c: the kernel CG of the NAS Parallel Benchmarks (RNR-94-007, section 2.2.3).
 *
 * Inverse power iteration for the smallest eigenvalue of a random sparse matrix; each of its steps solves a system by
 * 25 iterations of conjugate gradients on a two-dimensional grid of ranks (square.h).
 */
#include "../common/workload.h"
#include "sparse.h"
#include "square.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CG_ITERATIONS 25

static const struct workload_spec spec = {
    .name = "cg",
    .purpose = "smallest eigenvalue by conjugate gradients, grid of ranks, transpose exchange (NAS CG)",
    .size_meaning = "rows of the matrix",
    .size = 1400,
    .size_minimum = 64,
    .size_maximum = 200000,
    .iteration_meaning = "steps of the power iteration",
    .iterations = 75,
    .ranks = WORKLOAD_POWER_OF_TWO,
};

struct solver {
    struct square grid;
    struct sparse matrix;
    long n; /* of this rank's block of a vector */
    double *x, *z, *r, *p, *q, *partial;
};

static double dot(const struct solver *s, const double *a, const double *b) {
    double sum = 0;
    for (long i = 0; i < s->n; i++)
        sum += a[i] * b[i];
    return square_sum(&s->grid, sum);
}

static void multiply(const struct solver *s, const double *x, double *y) {
    sparse_multiply(&s->matrix, x, s->partial);
    square_reduce(&s->grid, s->partial, y);
}

/* z = A^-1 x, nearly; returns |x - A z|. */
static double solve(struct solver *s) {
    for (long i = 0; i < s->n; i++) {
        s->z[i] = 0;
        s->r[i] = s->p[i] = s->x[i];
    }
    double rho = dot(s, s->r, s->r);
    for (int iteration = 0; iteration < CG_ITERATIONS; iteration++) {
        multiply(s, s->p, s->q);
        double alpha = rho / dot(s, s->p, s->q), before = rho;
        for (long i = 0; i < s->n; i++) {
            s->z[i] += alpha * s->p[i];
            s->r[i] -= alpha * s->q[i];
        }
        rho = dot(s, s->r, s->r);
        for (long i = 0; i < s->n; i++)
            s->p[i] = s->r[i] + rho / before * s->p[i];
    }
    multiply(s, s->z, s->q);
    for (long i = 0; i < s->n; i++)
        s->r[i] = s->x[i] - s->q[i];
    return sqrt(dot(s, s->r, s->r));
}

static void set_up(struct solver *s, const struct workload *w, const struct sparse_class *class) {
    square_open(&s->grid, w);
    sparse_open(&s->matrix, class, s->grid.row_begin, s->grid.row_end, s->grid.column_begin, s->grid.column_end);
    s->n = s->grid.column_end - s->grid.column_begin;
    double **vectors[] = {&s->x, &s->z, &s->r, &s->p, &s->q};
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = NEW(double, s->n);
    s->partial = NEW(double, s->matrix.rows);
    for (long i = 0; i < s->n; i++)
        s->x[i] = 1;
}

static void clean_up(struct solver *s) {
    free(s->x);
    free(s->z);
    free(s->r);
    free(s->p);
    free(s->q);
    free(s->partial);
    sparse_close(&s->matrix);
    square_close(&s->grid);
}

int main(int argc, char **argv) {
    struct workload w;
    struct solver s;
    double zeta = 0, change = 0;
    bool verified = true;

    workload_begin(&w, &spec, &argc, &argv);
    struct sparse_class class = sparse_class_of(w.size);
    set_up(&s, &w, &class);
    workload_start(&w);

    for (long step = 0; step < w.iterations; step++) {
        double residual = solve(&s);
        double xz = dot(&s, s.x, s.z), length = sqrt(dot(&s, s.z, s.z)), before = zeta;
        zeta = class.shift + 1 / xz;
        change = fabs(zeta - before);
        for (long i = 0; i < s.n; i++)
            s.x[i] = s.z[i] / length;
        verified = verified && residual < 1e-6 * sqrt((double)w.size);
        workload_lap();
    }
    if (class.zeta > 0 && w.iterations >= class.iterations)
        verified = verified && fabs(zeta - class.zeta) < 1e-10;
    else if (w.iterations >= 15)
        verified = verified && change < 0.1 * zeta;
    clean_up(&s);
    return workload_end(&w, verified, zeta);
}
