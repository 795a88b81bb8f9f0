/* mpi_leave.c: programs that end otherwise than they should. Usage: mpi_leave finalize|return|exit|abort|signal
 *     finalize  as it should be
 *     return    from main without MPI_Finalize
 *     exit      in the middle of a function, without MPI_Finalize
 *     abort     rank 0 calls MPI_Abort while the others wait
 *     signal    rank 0 is killed by a signal while the others wait */
#include "mpi_check.h"

#include <signal.h>
#include <string.h>

static void deep(int depth, const char *how) {
    int value = depth;
    if (depth > 0) {
        MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        deep(depth - 1, how);
        return;
    }
    if (strcmp(how, "exit") == 0)
        exit(0);
    if (strcmp(how, "abort") == 0 && rank_in(MPI_COMM_WORLD) == 0)
        MPI_Abort(MPI_COMM_WORLD, 3);
    if (strcmp(how, "signal") == 0 && rank_in(MPI_COMM_WORLD) == 0)
        raise(SIGKILL);
    if (strcmp(how, "abort") == 0 || strcmp(how, "signal") == 0)
        MPI_Recv(&value, 1, MPI_INT, 0, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    const char *how = argc > 1 ? argv[1] : "finalize";
    MPI_Init(&argc, &argv);
    report("mpi_leave", 1);
    fflush(stdout);
    deep(10, how);
    if (strcmp(how, "finalize") == 0)
        MPI_Finalize();
    return 0;
}
