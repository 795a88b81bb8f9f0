/* given_up_late.c: on two ranks, a receive is overtaken by one that was posted after it, and then freed. So it has the
 * first message, and the other receive has the second. With tags 9 and 10 this takes longer than a reader looks ahead.
 * The receive with tag 10 is not freed. */
#include <mpi.h>

#define LONG 300

static char in[64], other[64], out[64];
static int rank;

static void overtaken(int source, int tag, int first, int barriers, int give_up) {
    MPI_Request request;
    int done = 0;
    if (rank == 0)
        MPI_Irecv(in, 64, MPI_CHAR, source, tag, MPI_COMM_WORLD, &request);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3 && rank == 1; i++)
        MPI_Send(out, first + i, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
    if (rank == 0)
        MPI_Recv(other, 64, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; i < barriers; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    while (rank == 0 && !done)
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    if (rank == 0 && give_up)
        MPI_Request_free(&request);
    if (rank == 0 && !give_up)
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    if (rank == 0)
        MPI_Recv(other, 64, MPI_CHAR, 1, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    overtaken(MPI_ANY_SOURCE, 7, 1, 0, 1);
    overtaken(1, 8, 11, 0, 1);
    overtaken(MPI_ANY_SOURCE, 9, 21, LONG, 1);
    overtaken(MPI_ANY_SOURCE, 10, 31, LONG, 0);
    MPI_Finalize();
    return 0;
}
