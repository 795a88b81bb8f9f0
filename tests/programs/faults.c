/* faults.c: one fault, by sleeps that are long against noise: faults WHICH. For test_report.sh. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int rank, size;

static void burn(int ms) {
    struct timespec left = {ms / 1000, ms % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0)
        ;
}

static void even(void) {
    for (int step = 0; step < 4; step++) {
        burn(60);
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

static void imbalance(void) {
    int one = 1, sum;
    for (int step = 0; step < 4; step++) {
        burn(rank == 2 ? 80 : 20);
        MPI_Allreduce(&one, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD); /* IMBALANCE */
    }
}

static void pass_on(void) {
    int token = 0;
    if (rank > 0)
        MPI_Recv(&token, 1, MPI_INT, rank - 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank + 1 < size)
        MPI_Send(&token, 1, MPI_INT, rank + 1, 0, MPI_COMM_WORLD); /* CHAIN */
}

static void chain(void) {
    if (rank == 0)
        burn(250);
    for (int step = 0; step < 3; step++) {
        burn(10);
        pass_on();
    }
}

static void serial(void) {
    int input = 0;
    if (rank == 0)
        burn(250);
    MPI_Bcast(&input, 1, MPI_INT, 0, MPI_COMM_WORLD); /* SERIAL */
    burn(30);
}

/* Rank 1 is killed while the others wait for it. */
static void killed(void) {
    imbalance();
    if (rank == 1) {
        burn(100);
        raise(9);
    }
    MPI_Barrier(MPI_COMM_WORLD);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } cases[] = {{"even", even}, {"imbalance", imbalance}, {"chain", chain}, {"serial", serial}, {"killed", killed}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        if (argc > 1 && strcmp(argv[1], cases[i].name) == 0)
            cases[i].run();
    MPI_Finalize();
    return 0;
}
