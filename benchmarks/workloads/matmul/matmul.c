/* matmul.c: dense matrix product on a leader and its workers.
 *
 * Rank 0 holds the matrices. It deals the rows of A to the others once (loop "a"); in each iteration it broadcasts B in
 * panels, every rank multiplies its rows, and rank 0 collects the result, which is the next iteration's B. A is its own
 * inverse, so after an even number of iterations the first B must be back.
 */
#include "../common/workload.h"
#include "matrix.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_ROWS = 1, TAG_RESULT = 2 };
#define PANEL_ROWS 40

static const struct workload_spec spec = {
    .name = "matmul",
    .purpose = "dense matrix product, rows dealt by rank 0, B broadcast in panels",
    .size_meaning = "rows of the matrices",
    .size = 200,
    .size_minimum = 1,
    .size_maximum = 4000,
    .iteration_meaning = "products",
    .iterations = 100,
    .ranks = WORKLOAD_ANY,
};

struct product {
    const struct workload *w;
    long n, first, rows; /* this rank's rows */
    double *a, *b, *c;   /* whole matrices on rank 0; elsewhere a and c are this rank's rows */
};

#define ROWS_OF(p, rank, begin, count)                                                                                 \
    long begin = workload_split((p)->n, (p)->w->ranks, rank);                                                          \
    long count = workload_split((p)->n, (p)->w->ranks, (rank) + 1) - begin

static void deal_rows(struct product *p) {
    if (p->w->rank == 0) {
        for (int worker = 1; worker < p->w->ranks; worker++) {
            ROWS_OF(p, worker, begin, count);
            MPI_Send(&AT(p->a, p->n, begin, 0), (int)(count * p->n), MPI_DOUBLE, worker, TAG_ROWS, MPI_COMM_WORLD);
        }
    } else {
        MPI_Recv(p->a, (int)(p->rows * p->n), MPI_DOUBLE, 0, TAG_ROWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

static void broadcast_panels(struct product *p) {
    for (long row = 0; row < p->n; row += PANEL_ROWS) {
        long count = LOWER(PANEL_ROWS, p->n - row);
        MPI_Bcast(&AT(p->b, p->n, row, 0), (int)(count * p->n), MPI_DOUBLE, 0, MPI_COMM_WORLD);
    }
}

static void collect_result(struct product *p) {
    if (p->w->rank == 0) {
        for (int worker = 1; worker < p->w->ranks; worker++) {
            ROWS_OF(p, worker, begin, count);
            MPI_Recv(&AT(p->c, p->n, begin, 0), (int)(count * p->n), MPI_DOUBLE, worker, TAG_RESULT, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
        }
    } else {
        MPI_Send(p->c, (int)(p->rows * p->n), MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}

static void set_up(struct product *p, const struct workload *w, double **original) {
    p->w = w;
    p->n = w->size;
    p->first = workload_split(p->n, w->ranks, w->rank);
    p->rows = workload_split(p->n, w->ranks, w->rank + 1) - p->first;
    long held = w->rank == 0 ? p->n : p->rows;
    p->a = NEW(double, held * p->n);
    p->c = NEW(double, held * p->n);
    p->b = NEW(double, p->n * p->n);
    *original = NULL;
    if (w->rank == 0) {
        matrix_reflection(p->a, p->n);
        matrix_random(p->b, p->n);
        *original = NEW(double, p->n * p->n);
        memcpy(*original, p->b, (size_t)(p->n * p->n) * sizeof(double));
    }
}

int main(int argc, char **argv) {
    struct workload w;
    struct product p;
    double *original, error = 0;
    bool verified = true;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size >= w.ranks, "--size %ld gives some of %d ranks no row: take at least %d", w.size,
                     w.ranks, w.ranks);
    set_up(&p, &w, &original);
    workload_start(&w);

    deal_rows(&p);
    for (long iteration = 0; iteration < w.iterations; iteration++) {
        broadcast_panels(&p);
        matrix_multiply(p.c, p.a, p.b, p.rows, p.n);
        collect_result(&p);
        if (w.rank == 0) {
            verified = verified && matrix_product_plausible(p.c, p.a, p.b, p.n);
            double *swap = p.b;
            p.b = p.c;
            p.c = swap;
        }
        workload_lap();
    }
    if (w.rank == 0) {
        if (w.iterations % 2) {
            matrix_multiply(p.c, p.a, p.b, p.n, p.n);
            error = matrix_difference(p.c, original, p.n);
        } else {
            error = matrix_difference(p.b, original, p.n);
        }
        verified = verified && error < 1e-12 * (double)(p.n + w.iterations);
    }
    free(p.a);
    free(p.b);
    free(p.c);
    free(original);
    return workload_end(&w, verified, error);
}
