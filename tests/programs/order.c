/* order.c: the order of messages at receives from any source (tests/test_order.sh).
 *
 *     order race ROUNDS STEPS
 *                           rank 0 gives ranks 1 and 2 a task each, and prints who answered first. Rank 1 needs less
 *                           time, but executes many probes. Its processor time for them is printed, too
 *     order deadlock        figure 4 of Li and Zhang: rank 1 may take the message of rank 0 before rank 3 has come as
 *                           far in time, since rank 3 waits for rank 2, and rank 2 for rank 1 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static volatile int odd;

__attribute__((noinline)) static void step(int i) {
    if (i % 3)
        odd++;
}

static double seconds(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static double wall, processor; /* time that rank 1 took for its steps */

static void task(int rank, int steps) {
    wall -= seconds(CLOCK_MONOTONIC);
    processor -= seconds(CLOCK_PROCESS_CPUTIME_ID);
    for (int i = 0; rank == 1 && i < steps; i++)
        step(i);
    wall += seconds(CLOCK_MONOTONIC);
    processor += seconds(CLOCK_PROCESS_CPUTIME_ID);
    usleep(rank == 1 ? 1000 : 14000);
}

static void race(int rank, int rounds, int steps) {
    int first = 0, value = 0;
    MPI_Status status;
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            for (int worker = 1; worker <= 2; worker++)
                MPI_Send(&i, 1, MPI_INT, worker, 1, MPI_COMM_WORLD);
            usleep(1000); /* does not take a processor from them */
            for (int worker = 1; worker <= 2; worker++) {
                MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &status);
                first += worker == 1 && status.MPI_SOURCE == 1;
            }
        } else if (rank <= 2) {
            MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            task(rank, steps);
            MPI_Send(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD);
        }
    }
    if (rank == 0)
        printf("rank 1 first: %d of %d\n", first, rounds);
    if (rank == 1)
        printf("processor: %.0f %%\n", 100 * processor / wall);
}

static void deadlock(int rank) {
    int value = 0, order[2] = {-1, -1};
    MPI_Status status;
    switch (rank) {
    case 0:
        usleep(30000);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        break;
    case 1:
        for (int i = 0; i < 2; i++) {
            MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 0, MPI_COMM_WORLD, &status);
            order[i] = status.MPI_SOURCE;
            if (i == 0)
                MPI_Send(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD);
        }
        printf("from %d, then %d\n", order[0], order[1]);
        break;
    case 2:
        MPI_Recv(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 3, 0, MPI_COMM_WORLD);
        break;
    case 3:
        MPI_Recv(&value, 1, MPI_INT, 2, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        MPI_Send(&value, 1, MPI_INT, 1, 0, MPI_COMM_WORLD);
        break;
    default:
        break;
    }
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc > 3 && strcmp(argv[1], "race") == 0)
        race(rank, atoi(argv[2]), atoi(argv[3]));
    else
        deadlock(rank);
    MPI_Finalize();
    return 0;
}
