/* what_if.c CASE [CHANGED]: programs of known structure that can be changed in fact (what_if.sh). What is computed
 * sleeps, so that the load of the machine does not matter. CHANGED 1: as the prediction has it. */
#include <mpi.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define STEPS 20
#define LONGER 5 /* so that what the machine does besides is less of it */
#define LARGE (1 << 20)

static int rank, ranks, changed;
static char block[2][LARGE];

static void rest(double ms) {
    double ns = ms * LONGER * 1e6;
    struct timespec time = {(time_t)(ns / 1e9), (long)ns % 1000000000};
    nanosleep(&time, NULL);
}

static void burn(double ms) {
    rest(changed ? ms / 2 : ms);
}

static void step(double ms, double mean_ms) {
    rest(changed ? mean_ms : ms);
}

static void prepare(double ms) {
    rest(ms);
}

/* burn() is halved: each rank gets from the one before, in a pipeline. */
static void pipeline(void) {
    for (int i = 0; i < STEPS; i++) {
        if (rank > 0)
            MPI_Recv(block[0], 8, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        burn(rank == 1 ? 40 : 15);
        if (rank < ranks - 1)
            MPI_Send(block[0], 8, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD);
    }
}

/* step() is balanced: another rank has most to do in each step. */
static void turns(void) {
    for (int i = 0; i < STEPS; i++) {
        double value = 1, sum;
        step(i % ranks == rank ? 60 : 20, (60 + 20 * (ranks - 1.0)) / ranks);
        MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    }
}

/* MPI_Barrier is taken out: the ranks are late in turns. */
static void barriers(void) {
    for (int i = 0; i < STEPS; i++) {
        prepare(i % ranks == rank ? 60 : 20);
        if (!changed)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    double value = 1, sum;
    MPI_Allreduce(&value, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* burn() is halved: the receivers of synchronous sends are what the sender waits for. */
static void synchronous(void) {
    for (int i = 0; i < STEPS; i++)
        if (rank == 0) {
            prepare(10);
            for (int to = 1; to < ranks; to++)
                MPI_Ssend(block[0], 8, MPI_CHAR, to, 0, MPI_COMM_WORLD);
        } else {
            burn(50);
            MPI_Recv(block[0], 8, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
}

/* burn() is halved: the same of large messages, by MPI_Isend and MPI_Wait. */
static void large(void) {
    for (int i = 0; i < STEPS; i++) {
        MPI_Request request;
        if (rank % 2 == 0 && rank + 1 < ranks) {
            MPI_Isend(block[0], 8, MPI_CHAR, rank + 1, 1, MPI_COMM_WORLD, &request);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
            MPI_Isend(block[0], LARGE, MPI_CHAR, rank + 1, 0, MPI_COMM_WORLD, &request);
            prepare(10);
            MPI_Wait(&request, MPI_STATUS_IGNORE);
        } else if (rank % 2 == 1) {
            burn(50);
            MPI_Recv(block[1], 8, MPI_CHAR, rank - 1, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            MPI_Recv(block[1], LARGE, MPI_CHAR, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    }
}

/* burn() is halved: neighbours exchange by requests while they compute. */
static void halo(void) {
    for (int i = 0; i < STEPS; i++) {
        MPI_Request requests[4];
        MPI_Status statuses[4];
        int left = (rank + ranks - 1) % ranks, right = (rank + 1) % ranks;
        MPI_Irecv(block[0], 1000, MPI_CHAR, left, 0, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(block[0] + 1000, 1000, MPI_CHAR, right, 1, MPI_COMM_WORLD, &requests[1]);
        MPI_Isend(block[1], 1000, MPI_CHAR, right, 0, MPI_COMM_WORLD, &requests[2]);
        MPI_Isend(block[1], 1000, MPI_CHAR, left, 1, MPI_COMM_WORLD, &requests[3]);
        prepare(15 + 5 * (rank % 2));
        if (rank == 0)
            burn(60);
        MPI_Waitall(4, requests, statuses);
    }
}

/* burn() is halved: a root that reads, broadcasts and gathers. */
static void root(void) {
    for (int i = 0; i < STEPS; i++) {
        int n = 1, all[64];
        if (rank == 0)
            burn(40);
        MPI_Bcast(&n, 1, MPI_INT, 0, MPI_COMM_WORLD);
        prepare(rank == 0 ? 5 : 20);
        MPI_Gather(&n, 1, MPI_INT, all, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"pipeline", pipeline}, {"turns", turns}, {"barriers", barriers}, {"synchronous", synchronous},
                 {"large", large},       {"halo", halo},   {"root", root}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    changed = argc > 2 && atoi(argv[2]);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
