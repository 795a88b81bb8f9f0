/* particles.c: particles in a periodic square dealt to ranks in strips; those near a border are shown to the
 * neighbours, those that leave are given to them. Many small functions, some called for each pair. */
#include "../common/lcg.h"
#include "../common/workload.h"
#include "body.h"

#include <math.h>
#include <stdlib.h>

#define STEP 0.002
#define BODY_DOUBLES ((int)(sizeof(struct body) / sizeof(double)))

static const struct workload_spec spec = {
    .name = "particles",
    .purpose = "particles with a short-range force, cells of a strip, migration to neighbours",
    .size_meaning = "side of the box; three particles in each unit of area",
    .size = 32,
    .size_minimum = 8,
    .size_maximum = 1000,
    .iteration_meaning = "steps",
    .iterations = 200,
    .ranks = WORKLOAD_ANY,
};

static struct workload w;
static struct body *bodies, *shown, *leaving[2];
static int n_bodies, n_own, capacity, n_leaving[2];
static long low, high;          /* the strip: low <= y < high */
static int *first_of, *next_of; /* cells, and the next body in a cell */

static int cell_of(const struct body *b) {
    long column = (long)b->x % w.size, row = ((long)b->y % w.size - low + 1 + w.size) % w.size;
    return (int)(row * w.size + column);
}

static long rows(void) {
    return high - low + 2;
}

static int is_in_strip(const struct body *b) {
    return b->y >= (double)low && b->y < (double)high;
}

static void put(struct body body) {
    if (n_bodies == capacity)
        MPI_Abort(MPI_COMM_WORLD, 1);
    bodies[n_bodies++] = body;
}

static int rank_at(int distance) {
    return (w.rank + distance + w.ranks) % w.ranks;
}

static void give(int to, struct body *sent, int n, int from, int tag) {
    MPI_Status status;
    int count;
    MPI_Sendrecv(sent, n * BODY_DOUBLES, MPI_DOUBLE, to, tag, shown, capacity * BODY_DOUBLES, MPI_DOUBLE, from, tag,
                 MPI_COMM_WORLD, &status);
    MPI_Get_count(&status, MPI_DOUBLE, &count);
    for (int i = 0; i < count / BODY_DOUBLES; i++)
        put(shown[i]);
}

/* Which neighbour's strip is it in now? Up is 1. */
static int is_above(const struct body *b) {
    double middle = 0.5 * (double)(low + high), distance = b->y - middle;
    return distance < -0.5 * (double)w.size || (distance > 0 && distance < 0.5 * (double)w.size);
}

static void migrate(void) {
    n_leaving[0] = n_leaving[1] = 0;
    int kept = 0;
    for (int i = 0; i < n_bodies; i++) {
        int up = is_above(&bodies[i]);
        if (is_in_strip(&bodies[i]))
            bodies[kept++] = bodies[i];
        else
            leaving[up][n_leaving[up]++] = bodies[i];
    }
    n_bodies = kept;
    give(rank_at(1), leaving[1], n_leaving[1], rank_at(-1), 1);
    give(rank_at(-1), leaving[0], n_leaving[0], rank_at(1), 2);
    n_own = n_bodies;
}

/* Those of the lowest row, to the neighbour below, whose highest row's they meet. */
static void show(void) {
    n_leaving[0] = 0;
    for (int i = 0; i < n_own; i++)
        if (bodies[i].y < (double)(low + 1))
            leaving[0][n_leaving[0]++] = bodies[i];
    give(rank_at(-1), leaving[0], n_leaving[0], rank_at(1), 3);
}

/* The forces on those shown go back, in the order in which they came. */
static void return_forces(void) {
    MPI_Status status;
    int at = 0;
    MPI_Sendrecv(&bodies[n_own], (n_bodies - n_own) * BODY_DOUBLES, MPI_DOUBLE, rank_at(1), 4, shown,
                 capacity * BODY_DOUBLES, MPI_DOUBLE, rank_at(-1), 4, MPI_COMM_WORLD, &status);
    for (int i = 0; i < n_own; i++)
        if (bodies[i].y < (double)(low + 1)) {
            bodies[i].fx += shown[at].fx;
            bodies[i].fy += shown[at++].fy;
        }
    n_bodies = n_own;
}

static void fill_cells(void) {
    for (long c = 0; c < rows() * w.size; c++)
        first_of[c] = -1;
    for (int i = 0; i < n_bodies; i++) {
        int c = i < n_own ? cell_of(&bodies[i]) : (int)((rows() - 1) * w.size + (long)bodies[i].x % w.size);
        next_of[i] = first_of[c];
        first_of[c] = i;
    }
}

static void meet_all(int i, int c) {
    for (int j = first_of[c]; j >= 0; j = next_of[j])
        body_meet(&bodies[i], &bodies[j], (double)w.size);
}

static void meet_rest(int i) {
    for (int j = next_of[i]; j >= 0; j = next_of[j])
        body_meet(&bodies[i], &bodies[j], (double)w.size);
}

static int column(long x) {
    return (int)((x + w.size) % w.size);
}

/* Each pair once: with the rest of the cell, the cell to the right, and the three above. */
static void forces(void) {
    fill_cells();
    for (long y = 1; y < rows() - 1; y++)
        for (long x = 0; x < w.size; x++)
            for (int i = first_of[y * w.size + x]; i >= 0; i = next_of[i]) {
                meet_rest(i);
                meet_all(i, (int)(y * w.size) + column(x + 1));
                for (long dx = -1; dx <= 1; dx++)
                    meet_all(i, (int)((y + 1) * w.size) + column(x + dx));
            }
}

static void step(void) {
    for (int i = 0; i < n_own; i++) {
        body_kick(&bodies[i], STEP);
        body_drift(&bodies[i], STEP, (double)w.size);
    }
    migrate();
    show();
    forces();
    return_forces();
    for (int i = 0; i < n_own; i++)
        body_kick(&bodies[i], STEP);
}

int main(int argc, char **argv) {
    double own[3] = {0, 0, 0}, all[3];
    uint64_t state = LCG_SEED;
    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size >= 2L * w.ranks, "--size %ld is less than two units per rank", w.size);
    low = workload_split(w.size, w.ranks, w.rank);
    high = workload_split(w.size, w.ranks, w.rank + 1);
    capacity = (int)(6 * w.size * (high - low + 4));
    bodies = NEW(struct body, capacity);
    shown = NEW(struct body, capacity);
    leaving[0] = NEW(struct body, capacity);
    leaving[1] = NEW(struct body, capacity);
    first_of = NEW(int, rows() * w.size);
    next_of = NEW(int, capacity);
    for (long i = 0; i < 3 * w.size * w.size; i++) {
        struct body b = {.x = lcg_next(&state) * (double)w.size, .y = lcg_next(&state) * (double)w.size};
        b.vx = lcg_next(&state) - 0.5;
        b.vy = lcg_next(&state) - 0.5;
        if (is_in_strip(&b)) {
            put(b);
            own[1] += b.vx;
            own[2] += b.vy;
        }
    }
    n_own = n_bodies;
    workload_start(&w);
    for (long i = 0; i < w.iterations; i++) {
        step();
        workload_lap();
    }
    /* None is lost, and what one gains in momentum another loses. */
    own[0] = n_own;
    for (int i = 0; i < n_own; i++) {
        own[1] -= bodies[i].vx;
        own[2] -= bodies[i].vy;
    }
    MPI_Allreduce(own, all, 3, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    bool good =
        workload_close(all[0], 3.0 * (double)(w.size * w.size), 0) && fabs(all[1]) < 1e-8 && fabs(all[2]) < 1e-8;
    return workload_end(&w, good, all[0]);
}
