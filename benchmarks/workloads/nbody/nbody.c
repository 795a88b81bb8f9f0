/* nbody.c: direct N-body on a ring of ranks.
 *
 * A copy of each rank's bodies travels once around the ring in every step, with persistent requests and two buffers,
 * and meets all others. Leapfrog steps: momentum stays what it was to rounding, energy to the order of the step
 * squared.
 */
#include "../common/workload.h"
#include "bodies.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TIME_STEP 0.002
#define TAG_TRAVEL 7

static const struct workload_spec spec = {
    .name = "nbody",
    .purpose = "gravitating bodies, all pairs, bodies travel around a ring of ranks",
    .size_meaning = "bodies",
    .size = 1500,
    .size_minimum = 2,
    .size_maximum = 100000,
    .iteration_meaning = "time steps",
    .iterations = 30,
    .ranks = WORKLOAD_ANY,
};

struct ring {
    const struct workload *w;
    int next, previous;
    long count, most; /* bodies here; most on any rank */
    struct body *bodies;
    struct motion *motion;
    struct body *buffer[2];
    MPI_Datatype type;
    MPI_Request requests[2][2]; /* from buffer b to the next rank, and into the other one */
};

static long count_of(const struct workload *w, int rank) {
    return workload_split(w->size, w->ranks, rank + 1) - workload_split(w->size, w->ranks, rank);
}

static void ring_open(struct ring *ring, const struct workload *w) {
    ring->w = w;
    ring->next = (w->rank + 1) % w->ranks;
    ring->previous = (w->rank + w->ranks - 1) % w->ranks;
    ring->count = count_of(w, w->rank);
    ring->most = (w->size + w->ranks - 1) / w->ranks;
    ring->bodies = NEW(struct body, ring->count);
    ring->motion = NEW(struct motion, ring->count);
    bodies_make(ring->bodies, ring->motion, workload_split(w->size, w->ranks, w->rank), ring->count, w->size);

    MPI_Type_contiguous(sizeof(struct body) / sizeof(double), MPI_DOUBLE, &ring->type);
    MPI_Type_commit(&ring->type);
    for (int b = 0; b < 2; b++)
        ring->buffer[b] = NEW(struct body, ring->most);
    for (int b = 0; b < 2; b++) {
        MPI_Send_init(ring->buffer[b], (int)ring->most, ring->type, ring->next, TAG_TRAVEL, MPI_COMM_WORLD,
                      &ring->requests[b][0]);
        MPI_Recv_init(ring->buffer[!b], (int)ring->most, ring->type, ring->previous, TAG_TRAVEL, MPI_COMM_WORLD,
                      &ring->requests[b][1]);
    }
}

static void ring_close(struct ring *ring) {
    for (int b = 0; b < 2; b++) {
        MPI_Request_free(&ring->requests[b][0]);
        MPI_Request_free(&ring->requests[b][1]);
        free(ring->buffer[b]);
    }
    MPI_Type_free(&ring->type);
    free(ring->bodies);
    free(ring->motion);
}

/* Forces of all bodies on those here: while one buffer is worked on, it is on its way to the next rank. */
static void ring_forces(struct ring *ring) {
    int current = 0, ranks = ring->w->ranks;
    MPI_Status statuses[2];
    bodies_clear_forces(ring->motion, ring->count);
    memcpy(ring->buffer[0], ring->bodies, (size_t)ring->count * sizeof *ring->bodies);
    for (int hop = 0; hop < ranks; hop++) {
        int origin = (ring->w->rank - hop + ranks) % ranks;
        if (hop < ranks - 1)
            MPI_Startall(2, ring->requests[current]);
        bodies_attract(ring->bodies, ring->motion, ring->count, ring->buffer[current], count_of(ring->w, origin),
                       hop == 0);
        if (hop < ranks - 1)
            MPI_Waitall(2, ring->requests[current], statuses);
        current = !current;
    }
}

static struct invariants ring_invariants(const struct ring *ring) {
    struct invariants mine = {0}, all;
    bodies_invariants(ring->bodies, ring->motion, ring->count, &mine);
    MPI_Allreduce(&mine, &all, sizeof all / sizeof(double), MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

static bool conserved(const struct invariants *before, const struct invariants *after) {
    bool same = fabs(after->energy - before->energy) <= 1e-3 * fabs(before->energy);
    for (int d = 0; d < 3; d++)
        same = same && fabs(after->momentum[d] - before->momentum[d]) < 1e-10;
    return same;
}

int main(int argc, char **argv) {
    struct workload w;
    struct ring ring;

    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size >= w.ranks, "--size %ld gives some of %d ranks no body: take at least %d", w.size,
                     w.ranks, w.ranks);
    ring_open(&ring, &w);
    ring_forces(&ring);
    struct invariants before = ring_invariants(&ring);
    workload_start(&w);

    for (long step = 0; step < w.iterations; step++) {
        bodies_kick(ring.motion, ring.count, TIME_STEP / 2);
        bodies_drift(ring.bodies, ring.motion, ring.count, TIME_STEP);
        ring_forces(&ring);
        bodies_kick(ring.motion, ring.count, TIME_STEP / 2);
        workload_lap();
    }
    struct invariants after = ring_invariants(&ring);
    ring_close(&ring);
    return workload_end(&w, conserved(&before, &after), after.energy);
}
