/* told.c: regions, phases, iterations, markers, counters and pauses that a program tells by hand; built without
 * refrain.
 *
 *     told STEPS [wait]    wait: until it is told by a file "go on" in the middle, calling MPI all the time */
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int rank;

static __attribute__((noinline)) void work(int step) {
    int sum = 0, got;
    MPI_Allreduce(&step, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    refrain_counter("cells", 100 + 7 * step);
    MPI_Sendrecv(&sum, 1, MPI_INT, 1 - rank, 0, &got, 1, MPI_INT, 1 - rank, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (step % 5 == 4)
        refrain_marker("refined");
}

int main(int argc, char **argv) {
    MPI_Request late;
    int steps = atoi(argv[1]), value = 0, sent = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    refrain_phase("set up");
    MPI_Barrier(MPI_COMM_WORLD);
    refrain_phase("solve");
    refrain_region_begin("loop");
    for (int i = 0; i < steps; i++) {
        refrain_iteration("step", i);
        work(i);
    }
    refrain_region_end();
    if (argc > 2 && strcmp(argv[2], "wait") == 0)
        for (int n = 0, go = 0; !go; n++) {
            go = rank == 0 && access("go on", F_OK) == 0;
            MPI_Bcast(&go, 1, MPI_INT, 0, MPI_COMM_WORLD);
            usleep(2000);
        }
    refrain_phase("pauses");
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD, &late);
        MPI_Barrier(MPI_COMM_WORLD);
        refrain_pause();
        MPI_Send(&sent, 1, MPI_INT, 1 - rank, 9, MPI_COMM_WORLD);
        MPI_Wait(&late, MPI_STATUS_IGNORE); /* completes unseen */
        refrain_counter("cells", -1);
        MPI_Barrier(MPI_COMM_WORLD);
        refrain_resume();
        MPI_Irecv(&value, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD, &late);
        MPI_Send(&sent, 1, MPI_INT, 1 - rank, 8, MPI_COMM_WORLD);
        MPI_Wait(&late, MPI_STATUS_IGNORE);
    }
    refrain_phase(NULL);
    MPI_Finalize();
    return 0;
}
