/* marks.c: a ring of messages. Between them each rank prints the true time, for which it asks the system, and then
 * enters the region "mark". With an argument all ranks are killed after a number of rounds. With "jump" the false
 * clocks (false_clock.c) of the last two ranks jump by a second halfway. */
#define _GNU_SOURCE
#include <mpi.h>
#include <refrain/refrain.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 150

int main(int argc, char **argv) {
    static long long marks[ROUNDS];
    int rank, size, killed = argc > 1 ? atoi(argv[1]) : 0;
    bool jumps = argc > 1 && strcmp(argv[1], "jump") == 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < ROUNDS; i++) {
        int value = i, got;
        struct timespec t;
        if (jumps && rank >= size - 2 && i == ROUNDS / 2)
            setenv("REFRAIN_FALSE_JUMP", "1000000000", 1);
        MPI_Sendrecv(&value, 1, MPI_INT, (rank + 1) % size, 1, &got, 1, MPI_INT, (rank + size - 1) % size, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
        refrain_region_begin("mark");
        refrain_region_end();
        marks[i] = t.tv_sec * 1000000000LL + t.tv_nsec;
        usleep(2000);
        if (killed && i == killed) {
            MPI_Barrier(MPI_COMM_WORLD);
            raise(SIGKILL);
        }
    }
    for (int r = 0; r < size; r++) {
        if (r == rank) {
            for (int i = 0; i < ROUNDS; i++)
                printf("%d\t%lld\n", rank, marks[i]);
            fflush(stdout);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
