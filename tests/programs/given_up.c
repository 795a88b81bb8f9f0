/* given_up.c: on two ranks, frees pending receives with MPI_Request_free. They take their messages, and nobody learns
 * which. Each message of a round has a length of its own. Other receives are cancelled, and take none. */
#include <mpi.h>

#define ROUNDS 3

static char in[64], out[64];

static void give_up(int source, int tag) {
    MPI_Request request;
    MPI_Irecv(in, 64, MPI_CHAR, source, tag, MPI_COMM_WORLD, &request);
    MPI_Request_free(&request);
}

static void cancel(int tag) {
    MPI_Request request;
    MPI_Irecv(in, 64, MPI_CHAR, 0, tag, MPI_COMM_WORLD, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* A receive from anyone, given up once its message is there. */
static void give_up_wildcard(void) {
    MPI_Request request;
    int done = 0;
    MPI_Irecv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 7, MPI_COMM_WORLD, &request);
    while (!done)
        MPI_Request_get_status(request, &done, MPI_STATUS_IGNORE);
    MPI_Request_free(&request);
}

int main(int argc, char **argv) {
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        if (rank == 1) {
            give_up(0, 5);
            cancel(6);
        }
        MPI_Barrier(MPI_COMM_WORLD);
        for (int n = 1; n <= 4; n++)
            if (rank == 0)
                MPI_Send(out, 10 * i + n, MPI_CHAR, 1, 5, MPI_COMM_WORLD);
            else if (n > 1)
                MPI_Recv(in, 64, MPI_CHAR, 0, 5, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (rank == 0) {
            MPI_Send(out, 50 + i, MPI_CHAR, 1, 6, MPI_COMM_WORLD);
            MPI_Send(out, 40 + i, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
            MPI_Send(out, 45 + i, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
        } else {
            MPI_Recv(in, 64, MPI_CHAR, 0, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
            give_up_wildcard();
            MPI_Recv(in, 64, MPI_CHAR, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
