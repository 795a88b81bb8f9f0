/* held.c: messages to oneself, with some work between. STEPS HOLD END: at step HOLD it stops until it is continued, and
 * at step END it is killed. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int steps = atoi(argv[1]), hold = atoi(argv[2]), end = atoi(argv[3]), sent = 0, received = 0;
    volatile double work = 0;
    MPI_Init(&argc, &argv);
    for (int i = 0; i < steps; i++) {
        for (int n = 0; n < 500 + i % 7 * 300; n++)
            work += n;
        MPI_Sendrecv(&sent, 1, MPI_INT, 0, 0, &received, 1, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (i == hold)
            raise(SIGSTOP);
        if (i == end)
            raise(SIGKILL);
    }
    MPI_Finalize();
    return 0;
}
