/* master.c: a master that hands intervals to workers as they ask, for adaptive integration.
 *
 * The master receives from any source with any tag; who comes next depends on the work and on the machine. A worker
 * either returns the integral of its interval or says that it must be halved, and the halves go back to the pool. On
 * one rank the master does the work itself.
 */
#include "../common/workload.h"
#include "peaks.h"
#include "pool.h"

#include <math.h>
#include <stdlib.h>

enum { TAG_TASK = 1, TAG_RESULT, TAG_HALVE, TAG_ROUND_OVER };
enum { MASTER = 0 };

static const struct workload_spec spec = {
    .name = "master",
    .purpose = "master and workers with dynamic load balance: adaptive integration of sharp peaks",
    .size_meaning = "intervals at the start of a round",
    .size = 50,
    .size_minimum = 1,
    .size_maximum = 10000000,
    .iteration_meaning = "rounds, each with other peaks",
    .iterations = 10,
    .ranks = WORKLOAD_ANY,
};

struct reply {
    struct interval part;
    double integral;
};
#define INTERVAL_DOUBLES 2
#define REPLY_DOUBLES 3

struct farm {
    const struct workload *w;
    struct pool pool;
    int *idle, n_idle;
    double integral;
    long tasks;
};

static void halve(struct pool *pool, struct interval part) {
    double middle = (part.begin + part.end) / 2;
    pool_put(pool, (struct interval){middle, part.end});
    pool_put(pool, (struct interval){part.begin, middle});
}

static void hand_out(struct farm *f) {
    while (f->n_idle > 0 && f->pool.n > 0) {
        struct interval task = pool_take(&f->pool);
        MPI_Send(&task, INTERVAL_DOUBLES, MPI_DOUBLE, f->idle[--f->n_idle], TAG_TASK, MPI_COMM_WORLD);
        f->tasks++;
    }
}

static void take_reply(struct farm *f) {
    struct reply reply;
    MPI_Status status;
    MPI_Recv(&reply, REPLY_DOUBLES, MPI_DOUBLE, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
    f->idle[f->n_idle++] = status.MPI_SOURCE;
    switch (status.MPI_TAG) {
    case TAG_RESULT:
        f->integral += reply.integral;
        break;
    case TAG_HALVE:
        halve(&f->pool, reply.part);
        break;
    }
}

static void work_alone(struct farm *f, const struct peaks *peaks) {
    while (f->pool.n > 0) {
        struct interval part = pool_take(&f->pool);
        double integral;
        f->tasks++;
        if (peaks_try(peaks, part, &integral))
            f->integral += integral;
        else
            halve(&f->pool, part);
    }
}

static void lead(struct farm *f, const struct peaks *peaks) {
    int workers = f->w->ranks - 1;
    f->integral = 0;
    for (long i = 0; i < f->w->size; i++)
        pool_put(&f->pool, (struct interval){(double)i / (double)f->w->size, (double)(i + 1) / (double)f->w->size});
    if (workers == 0)
        work_alone(f, peaks);
    while (f->pool.n > 0 || f->n_idle < workers) {
        hand_out(f);
        take_reply(f);
    }
    for (int worker = 1; worker <= workers; worker++)
        MPI_Send(NULL, 0, MPI_DOUBLE, worker, TAG_ROUND_OVER, MPI_COMM_WORLD);
}

static void follow(const struct peaks *peaks) {
    for (;;) {
        MPI_Status status;
        struct reply reply;
        MPI_Probe(MASTER, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        if (status.MPI_TAG == TAG_ROUND_OVER) {
            MPI_Recv(NULL, 0, MPI_DOUBLE, MASTER, TAG_ROUND_OVER, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return;
        }
        MPI_Recv(&reply.part, INTERVAL_DOUBLES, MPI_DOUBLE, MASTER, TAG_TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        int tag = peaks_try(peaks, reply.part, &reply.integral) ? TAG_RESULT : TAG_HALVE;
        MPI_Send(&reply, REPLY_DOUBLES, MPI_DOUBLE, MASTER, tag, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    struct workload w;
    bool verified = true;

    workload_begin(&w, &spec, &argc, &argv);
    struct farm farm = {.w = &w, .idle = NEW(int, w.ranks)};
    for (int worker = w.ranks - 1; worker > 0; worker--)
        farm.idle[farm.n_idle++] = worker;
    for (long round = 0; round < w.iterations; round++) {
        struct peaks peaks;
        peaks_open(&peaks, round);
        if (w.rank == MASTER) {
            lead(&farm, &peaks);
            verified = verified && workload_close(farm.integral, peaks_integral(&peaks), 1e-9);
        } else {
            follow(&peaks);
        }
        peaks_close(&peaks);
        workload_lap();
    }
    pool_free(&farm.pool);
    free(farm.idle);
    return workload_end(&w, verified, (double)farm.tasks);
}
