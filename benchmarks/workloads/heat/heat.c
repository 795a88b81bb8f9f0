/* heat.c: heat conduction on a square plate, implicit time steps, each solved by Jacobi sweeps until it has converged.
 *
 * Every sweep exchanges halos with up to four neighbours; every few sweeps a reduction decides whether to go on, so
 * that the number of sweeps follows from the data. The start is an eigenvector of the discrete Laplacian, so each step
 * must shrink it by a factor known beforehand.
 */
#include "plate.h"

#include <math.h>

#define SWEEPS_PER_TEST 5
#define TOLERANCE 1e-9 /* change of a sweep, over the largest temperature at the start */
#define MOST_SWEEPS 100000
#define PI 3.14159265358979323846

static const struct workload_spec spec = {
    .name = "heat",
    .purpose = "2-D heat conduction, halo exchange on a grid of ranks, convergence test",
    .size_meaning = "inner points of the plate a side",
    .size = 160,
    .size_minimum = 1,
    .size_maximum = 20000,
    .iteration_meaning = "time steps",
    .iterations = 20,
    .ranks = WORKLOAD_ANY,
};

static void set_start(struct plate *p) {
    double h = PI / (double)(p->n + 1);
    FOR_PLATE(p, r, c)
    PLATE_AT(p, p->now, r, c) = sin(h * (double)(p->first_row + r)) * sin(h * (double)(p->first_column + c));
}

/* One sweep for (1 + 4 k) u - k (neighbours of u) = before; returns the largest change here. */
static double sweep(struct plate *p, double k) {
    double change = 0, scale = 1 / (1 + 4 * k);
    FOR_PLATE(p, r, c) {
        double around = PLATE_AT(p, p->now, r - 1, c) + PLATE_AT(p, p->now, r + 1, c) + PLATE_AT(p, p->now, r, c - 1) +
                        PLATE_AT(p, p->now, r, c + 1);
        double u = scale * (PLATE_AT(p, p->before, r, c) + k * around);
        change = fmax(change, fabs(u - PLATE_AT(p, p->now, r, c)));
        PLATE_AT(p, p->next, r, c) = u;
    }
    double *swap = p->now;
    p->now = p->next;
    p->next = swap;
    return change;
}

/* Solves one step; returns the sweeps it took, or 0 when it did not converge. */
static long step(struct plate *p, double k) {
    FOR_PLATE(p, r, c)
    PLATE_AT(p, p->before, r, c) = PLATE_AT(p, p->now, r, c);
    for (long sweeps = 1; sweeps <= MOST_SWEEPS; sweeps++) {
        plate_exchange(p, p->now);
        double change = sweep(p, k);
        if (sweeps % SWEEPS_PER_TEST)
            continue;
        MPI_Allreduce(MPI_IN_PLACE, &change, 1, MPI_DOUBLE, MPI_MAX, p->grid);
        if (change < TOLERANCE)
            return sweeps;
    }
    return 0;
}

/* Largest difference from the start times `factor`. */
static double error_against(const struct plate *p, double factor) {
    double h = PI / (double)(p->n + 1), error = 0;
    FOR_PLATE(p, r, c) {
        double exact = factor * sin(h * (double)(p->first_row + r)) * sin(h * (double)(p->first_column + c));
        error = fmax(error, fabs(exact - PLATE_AT(p, p->now, r, c)));
    }
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, p->grid);
    return error;
}

int main(int argc, char **argv) {
    struct workload w;
    struct plate p;
    bool converged = true;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, plate_open(&p, &w), "--size %ld gives some of %d ranks no point: take more", w.size, w.ranks);
    set_start(&p);
    workload_start(&w);

    /* The time step is a few times what an explicit method could take, and grows with the step number. */
    double h = PI / (double)(p.n + 1), factor = 1, sweeps = 0, bound = 0;
    for (long i = 0; i < w.iterations; i++) {
        double k = 2 + (double)(i % 5);
        long taken = step(&p, k);
        converged = converged && taken > 0;
        sweeps += (double)taken;
        factor /= 1 + 8 * k * SQUARE(sin(h / 2));
        /* Jacobi contracts by 4k / (1 + 4k): the error left is at most the last change times 4k. */
        bound += TOLERANCE * 4 * k + 1e-14 * (double)taken;
        workload_lap();
    }
    double error = error_against(&p, factor);
    plate_close(&p);
    return workload_end(&w, converged && error <= bound, sweeps);
}
