/* given_up_any.c: on three ranks, frees a receive from any source before a message is there, so nobody knows whose
 * message it takes (that of rank 1). Later receives of this tag may have one of two messages, those of another tag may
 * not. */
#include <mpi.h>

static char in[64], out[64];

static void send(int bytes, int tag) {
    MPI_Send(out, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD);
}

static void receive(int source, int tag) {
    MPI_Recv(in, 64, MPI_CHAR, source, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0) {
        MPI_Irecv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
        MPI_Request_free(&request);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        send(1, 7);
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 3; i++) {
        if (rank == 1 && i < 2)
            send(2 + i, 7);
        if (rank == 2)
            send(11 + i, 7);
    }
    if (rank == 1)
        send(21, 8);
    if (rank == 0) {
        for (int i = 0; i < 5; i++)
            receive(i < 2 ? 1 : 2, 7);
        receive(1, 8);
    }
    MPI_Finalize();
    return 0;
}
