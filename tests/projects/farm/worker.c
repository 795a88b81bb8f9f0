/* worker.c: does each task that the master sends, until the master stops it. */
#include "farm.h"
#include <mpi.h>

void worker(void) {
    for (;;) {
        long order[3], result[2];
        MPI_Status status;
        MPI_Probe(0, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        switch (status.MPI_TAG) {
        case TAG_TASK:
            MPI_Recv(order, 3, MPI_LONG, 0, TAG_TASK, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            result[0] = order[0];
            result[1] = tasks[order[0]].run(order[1], order[2]);
            MPI_Send(result, 2, MPI_LONG, 0, TAG_RESULT, MPI_COMM_WORLD);
            break;
        default:
            MPI_Recv(order, 0, MPI_LONG, 0, TAG_STOP, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            return;
        }
    }
}
