/* polls.c: a program that polls: what it sends and receives in calls that a filter leaves out. Two ranks.
 *
 *     polls ROUNDS */
#include <mpi.h>
#include <stdlib.h>

static char out[64], in[64];

__attribute__((noinline)) static void wait_for(MPI_Request *request) {
    for (int done = 0; !done;)
        MPI_Test(request, &done, MPI_STATUS_IGNORE);
}

/* Messages of 1 to 5 bytes. */
__attribute__((noinline)) static void send_some(int other) {
    MPI_Request request;
    for (int i = 1; i <= 5; i++)
        if (i % 2) {
            MPI_Send(out, i, MPI_CHAR, other, 1, MPI_COMM_WORLD);
        } else {
            MPI_Isend(out, i, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request);
            wait_for(&request);
        }
}

__attribute__((noinline)) static void receive_some(int other) {
    MPI_Request request;
    for (int i = 1; i <= 5; i++)
        if (i != 3) {
            MPI_Recv(in, 64, MPI_CHAR, other, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        } else {
            MPI_Irecv(in, 64, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request);
            wait_for(&request);
        }
}

int main(int argc, char **argv) {
    int rank, rounds = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < rounds; i++) {
        if (rank == 0)
            send_some(1);
        else
            receive_some(0);
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
