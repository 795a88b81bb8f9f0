/* meshcg.c: conjugate gradients with a diagonal preconditioner on an unstructured mesh.
 *
 * Each product exchanges ghosts with as many neighbours as the part happens to have, and overlaps that with the inner
 * rows; dot products are reductions. Several systems are solved; the solution of each is known.
 */
#include "../common/workload.h"
#include "mesh.h"

#include <math.h>
#include <stdlib.h>

#define TOLERANCE 1e-10 /* residual over right-hand side */

static const struct workload_spec spec = {
    .name = "meshcg",
    .purpose = "conjugate gradients on an unstructured mesh with uneven neighbours",
    .size_meaning = "nodes a side of the mesh",
    .size = 120,
    .size_minimum = 2,
    .size_maximum = 5000,
    .iteration_meaning = "systems solved",
    .iterations = 5,
    .ranks = WORKLOAD_ANY,
};

struct solver {
    struct mesh mesh;
    double *exact, *right, *x, *r, *z, *p, *q;
};

static double dot(const struct mesh *m, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < m->n_own; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void precondition(const struct solver *s) {
    for (int i = 0; i < s->mesh.n_own; i++)
        s->z[i] = s->r[i] / s->mesh.diagonal[i];
}

static void set_system(struct solver *s, long number) {
    const struct mesh *m = &s->mesh;
    for (int i = 0; i < m->n_own; i++) {
        double row = (double)(m->global[i] / m->side) / m->side, column = (double)(m->global[i] % m->side) / m->side;
        s->exact[i] = sin((double)(number % 7 + 1) * row) + cos((double)(number % 3 + 2) * column);
    }
    mesh_multiply(m, s->exact, s->right);
}

/* Returns the iterations it took, at most `most`. */
static long solve(struct solver *s, long most) {
    const struct mesh *m = &s->mesh;
    for (int i = 0; i < m->n_own; i++) {
        s->x[i] = 0;
        s->r[i] = s->right[i];
    }
    precondition(s);
    for (int i = 0; i < m->n_own; i++)
        s->p[i] = s->z[i];
    double goal = TOLERANCE * TOLERANCE * dot(m, s->r, s->r), rho = dot(m, s->r, s->z);
    for (long iteration = 1; iteration <= most; iteration++) {
        mesh_multiply(m, s->p, s->q);
        double alpha = rho / dot(m, s->p, s->q);
        for (int i = 0; i < m->n_own; i++) {
            s->x[i] += alpha * s->p[i];
            s->r[i] -= alpha * s->q[i];
        }
        if (dot(m, s->r, s->r) <= goal)
            return iteration;
        precondition(s);
        double rho_next = dot(m, s->r, s->z), beta = rho_next / rho;
        for (int i = 0; i < m->n_own; i++)
            s->p[i] = s->z[i] + beta * s->p[i];
        rho = rho_next;
    }
    return most + 1;
}

static double largest_error(const struct solver *s) {
    double error = 0;
    for (int i = 0; i < s->mesh.n_own; i++)
        error = fmax(error, fabs(s->x[i] - s->exact[i]));
    MPI_Allreduce(MPI_IN_PLACE, &error, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return error;
}

int main(int argc, char **argv) {
    struct workload w;
    struct solver s;
    bool verified = true;
    double iterations = 0;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, mesh_open(&s.mesh, &w), "--size %ld makes fewer nodes than there are ranks (%d): take more",
                     w.size, w.ranks);
    long length = s.mesh.n_own + s.mesh.n_ghosts;
    double **vectors[] = {&s.exact, &s.right, &s.x, &s.r, &s.z, &s.p, &s.q};
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        *vectors[i] = NEW(double, length);
    workload_start(&w);

    for (long system = 0; system < w.iterations; system++) {
        set_system(&s, system);
        long most = 10 * w.size + 100, taken = solve(&s, most);
        verified = verified && taken <= most && largest_error(&s) < 1e-6;
        iterations += (double)taken;
        workload_lap();
    }
    for (unsigned i = 0; i < sizeof vectors / sizeof *vectors; i++)
        free(*vectors[i]);
    mesh_close(&s.mesh);
    return workload_end(&w, verified, iterations);
}
