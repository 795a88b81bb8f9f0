/* hybrid.c: the wave equation with MPI between slabs and OpenMP threads within one.
 *
 * All steps run in one parallel region. In each, the master thread exchanges halos while the others already advance the
 * inner planes, which are dealt out dynamically; after a barrier come the two planes at the border. Every few steps a
 * reduction over threads and ranks measures the amplitude. The mode must turn by a known angle in each step.
 */
#include "wave.h"

#include <math.h>

#define STEPS_PER_MEASURE 10

static const struct workload_spec spec = {
    .name = "hybrid",
    .purpose = "3-D wave equation, MPI between slabs and OpenMP within (OMP_NUM_THREADS)",
    .size_meaning = "inner points a side of the cube",
    .size = 64,
    .size_minimum = 2,
    .size_maximum = 1200,
    .iteration_meaning = "time steps",
    .iterations = 100,
    .ranks = WORKLOAD_ANY,
    .thread_level = MPI_THREAD_FUNNELED,
};

static void rotate(struct wave *v) {
    double *oldest = v->old;
    v->old = v->now;
    v->now = v->next;
    v->next = oldest;
}

/* Largest difference from the mode as it must be, over this rank's planes; by all threads of the team into `*error`. */
static void measure(const struct wave *v, double amplitude, double *error) {
    long m = v->n + 2;
    double mine = 0;
#pragma omp for nowait
    for (long k = 1; k <= v->planes; k++)
        for (long i = 1; i <= v->n; i++)
            for (long j = 1; j <= v->n; j++)
                mine = fmax(mine, fabs(v->now[k * m * m + i * m + j] - amplitude * wave_mode(v, k, i, j)));
#pragma omp critical
    *error = fmax(*error, mine);
#pragma omp barrier
}

int main(int argc, char **argv) {
    struct workload w;
    struct wave v;
    double error = 0, largest = 0;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size >= w.ranks, "--size %ld gives some of %d ranks no plane: take at least %d", w.size,
                     w.ranks, w.ranks);
    wave_open(&v, &w);
    double angle = wave_angle(&v);
    workload_start(&w);

#pragma omp parallel
    for (long step = 1; step <= w.iterations; step++) {
#pragma omp master
        wave_exchange(&v);
#pragma omp for schedule(dynamic)
        for (long plane = 2; plane < v.planes; plane++)
            wave_plane(&v, plane);
#pragma omp sections
        {
#pragma omp section
            wave_plane(&v, 1);
#pragma omp section
            if (v.planes > 1)
                wave_plane(&v, v.planes);
        }
#pragma omp master
        {
            rotate(&v);
            workload_lap();
        }
#pragma omp barrier
        if (step % STEPS_PER_MEASURE == 0 || step == w.iterations) {
            measure(&v, cos((double)(step + 1) * angle), &error);
#pragma omp master
            {
                MPI_Allreduce(&error, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
                error = 0;
            }
#pragma omp barrier
        }
    }
    wave_close(&v);
    return workload_end(&w, largest < 1e-11 * (double)(w.iterations + 100), largest);
}
