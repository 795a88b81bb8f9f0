/* advect.c: transport on a periodic grid dealt to ranks in rows; each cell by a deep chain of calls of small functions.
 */
#include "../common/workload.h"
#include "cell.h"

#include <math.h>
#include <stdlib.h>

#define HALO 2

static const struct workload_spec spec = {
    .name = "advect",
    .purpose = "transport on a structured grid, deep chains of small functions, halo exchange",
    .size_meaning = "cells along a side",
    .size = 96,
    .size_minimum = 8,
    .size_maximum = 4000,
    .iteration_meaning = "steps",
    .iterations = 100,
    .ranks = WORKLOAD_ANY,
};

struct grid {
    const struct workload *w;
    long nx, ny, stride;
    double *now, *next; /* with HALO cells around */
};

static double *cell(const struct grid *g, double *values, long x, long y) {
    return &values[(y + HALO) * g->stride + x + HALO];
}

static void wrap_row(const struct grid *g, long y) {
    for (long h = 0; h < HALO; h++) {
        *cell(g, g->now, -1 - h, y) = *cell(g, g->now, g->nx - 1 - h, y);
        *cell(g, g->now, g->nx + h, y) = *cell(g, g->now, h, y);
    }
}

static void exchange(const struct grid *g) {
    int n = (int)(HALO * g->stride), below = (g->w->rank + g->w->ranks - 1) % g->w->ranks;
    int above = (g->w->rank + 1) % g->w->ranks;
    for (long y = 0; y < g->ny; y++)
        wrap_row(g, y);
    MPI_Sendrecv(cell(g, g->now, -HALO, g->ny - HALO), n, MPI_DOUBLE, above, 1, cell(g, g->now, -HALO, -HALO), n,
                 MPI_DOUBLE, below, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(cell(g, g->now, -HALO, 0), n, MPI_DOUBLE, below, 2, cell(g, g->now, -HALO, g->ny), n, MPI_DOUBLE,
                 above, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void sweep(struct grid *g, long stride, double courant) {
    exchange(g);
    for (long y = 0; y < g->ny; y++)
        for (long x = 0; x < g->nx; x++) {
            double *middle = cell(g, g->now, x, y);
            *cell(g, g->next, x, y) = *middle + cell_change(middle, stride, courant);
        }
    double *swapped = g->now;
    g->now = g->next;
    g->next = swapped;
}

static double total(const struct grid *g, double *least) {
    double sum = 0, all;
    *least = 1;
    for (long y = 0; y < g->ny; y++)
        for (long x = 0; x < g->nx; x++) {
            sum += *cell(g, g->now, x, y);
            *least = LOWER(*least, *cell(g, g->now, x, y));
        }
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, least, 1, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    struct workload w;
    double least;
    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size >= (long)HALO * w.ranks, "--size %ld is less than two rows of cells per rank", w.size);
    long first = workload_split(w.size, w.ranks, w.rank);
    struct grid g = {.w = &w,
                     .nx = w.size,
                     .ny = workload_split(w.size, w.ranks, w.rank + 1) - first,
                     .stride = w.size + (long)2 * HALO};
    g.now = NEW(double, (g.ny + 2 * HALO) * g.stride);
    g.next = NEW(double, (g.ny + 2 * HALO) * g.stride);
    for (long y = 0; y < g.ny; y++)
        for (long x = 0; x < g.nx; x++)
            *cell(&g, g.now, x, y) =
                exp(-0.01 * (SQUARE((double)(x - g.nx / 2)) + SQUARE((double)(first + y - g.nx / 2))));
    double before = total(&g, &least);
    workload_start(&w);
    for (long i = 0; i < w.iterations; i++) {
        sweep(&g, 1, 0.4);
        sweep(&g, g.stride, 0.3);
        workload_lap();
    }
    double after = total(&g, &least);
    free(g.now);
    free(g.next);
    return workload_end(&w, workload_close(after, before, 1e-12) && least > -1e-12, after);
}
