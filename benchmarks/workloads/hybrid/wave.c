/* wave.c: the wave equation on a slab, second order in space and time. */
#include "wave.h"

#include <math.h>
#include <stdlib.h>

#define PI 3.14159265358979323846
enum { TAG_UPWARD = 1, TAG_DOWNWARD };

double wave_mode(const struct wave *v, long plane, long row, long column) {
    double h = PI / (double)(v->n + 1);
    return sin(h * (double)(v->first + plane)) * sin(2 * h * (double)row) * sin(h * (double)column);
}

/* cos(angle) = 1 - (c dt / h)^2 * eigenvalue / 2, with the eigenvalue of the discrete Laplacian. */
double wave_angle(const struct wave *v) {
    double h = PI / (double)(v->n + 1);
    double eigenvalue = 4 * (2 * SQUARE(sin(h / 2)) + SQUARE(sin(h)));
    return acos(1 - COURANT_SQUARE * eigenvalue / 2);
}

void wave_open(struct wave *v, const struct workload *w) {
    v->n = w->size;
    v->first = workload_split(v->n, w->ranks, w->rank);
    v->planes = workload_split(v->n, w->ranks, w->rank + 1) - v->first;
    v->below = w->rank > 0 ? w->rank - 1 : MPI_PROC_NULL;
    v->above = w->rank < w->ranks - 1 ? w->rank + 1 : MPI_PROC_NULL;
    long points = (v->planes + 2) * WAVE_PLANE(v), m = v->n + 2;
    v->old = NEW(double, points);
    v->now = NEW(double, points);
    v->next = NEW(double, points);
    double turned = cos(wave_angle(v));
#pragma omp parallel for
    for (long k = 1; k <= v->planes; k++)
        for (long i = 1; i <= v->n; i++)
            for (long j = 1; j <= v->n; j++) {
                double mode = wave_mode(v, k, i, j);
                v->old[k * m * m + i * m + j] = mode;
                v->now[k * m * m + i * m + j] = turned * mode;
            }
}

void wave_close(struct wave *v) {
    free(v->old);
    free(v->now);
    free(v->next);
}

void wave_plane(const struct wave *v, long plane) {
    long m = v->n + 2, area = m * m;
    for (long i = 1; i <= v->n; i++) {
        const double *u = v->now + plane * area + i * m, *o = v->old + plane * area + i * m;
        double *to = v->next + plane * area + i * m;
        for (long j = 1; j <= v->n; j++) {
            double laplace = u[j - 1] + u[j + 1] + u[j - m] + u[j + m] + u[j - area] + u[j + area] - 6 * u[j];
            to[j] = 2 * u[j] - o[j] + COURANT_SQUARE * laplace;
        }
    }
}

void wave_exchange(const struct wave *v) {
    int count = (int)WAVE_PLANE(v);
    MPI_Sendrecv(v->now + v->planes * count, count, MPI_DOUBLE, v->above, TAG_UPWARD, v->now, count, MPI_DOUBLE,
                 v->below, TAG_UPWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Sendrecv(v->now + count, count, MPI_DOUBLE, v->below, TAG_DOWNWARD, v->now + (v->planes + 1) * count, count,
                 MPI_DOUBLE, v->above, TAG_DOWNWARD, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}
