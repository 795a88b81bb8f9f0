/* late_sender.c: rank 0 prepares a block of work for each other rank, one after the other, so that the last one waits
 * for all of them, in each step. That is the fault, built in on purpose (docs/view.md). */
#include <mpi.h>
#include <stdio.h>
#include <time.h>

enum { STEPS = 6, BLOCK = 10000 };

static double block[BLOCK];

/* A pause stands for computing, as it takes as long on a machine that is busy with other programs. */
static const struct timespec preparing = {0, 60000000}, working = {0, 90000000};

static void prepare(int rank) {
    nanosleep(&preparing, NULL);
    for (int i = 0; i < BLOCK; i++)
        block[i] = rank + i;
}

static double work(void) {
    double sum = 0;
    nanosleep(&working, NULL);
    for (int i = 0; i < BLOCK; i++)
        sum += block[i];
    return sum;
}

static void distribute(int ranks) {
    for (int to = 1; to < ranks; to++) {
        prepare(to);
        MPI_Send(block, BLOCK, MPI_DOUBLE, to, 0, MPI_COMM_WORLD);
    }
}

static double step(int rank, int ranks) {
    double sum = 0, total;
    if (rank == 0) {
        distribute(ranks);
    } else {
        MPI_Recv(block, BLOCK, MPI_DOUBLE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        sum = work();
    }
    MPI_Allreduce(&sum, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return total;
}

int main(int argc, char **argv) {
    int rank, ranks;
    double total = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < STEPS; i++)
        total += step(rank, ranks);
    if (rank == 0)
        printf("%g\n", total);
    return MPI_Finalize();
}
