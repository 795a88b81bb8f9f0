/* mpi_p2p.c: blocking and nonblocking point-to-point communication in all modes, around a ring and across its ends. */
#include "mpi_check.h"

static int rank, size, left, right;
static long total;

static void blocking_modes(void) {
    int value = rank, got;
    for (int mode = 0; mode < 4; mode++) {
        /* even ranks send first, so that no mode depends on buffering */
        for (int turn = 0; turn < 2; turn++) {
            if (rank % 2 == turn && rank + 1 < size) {
                if (mode == 3)
                    MPI_Recv(NULL, 0, MPI_INT, rank + 1, 30, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* it is ready */
                switch (mode) {
                case 0:
                    MPI_Send(&value, 1, MPI_INT, rank + 1, mode, MPI_COMM_WORLD);
                    break;
                case 1:
                    MPI_Ssend(&value, 1, MPI_INT, rank + 1, mode, MPI_COMM_WORLD);
                    break;
                case 2:
                    MPI_Bsend(&value, 1, MPI_INT, rank + 1, mode, MPI_COMM_WORLD);
                    break;
                default:
                    MPI_Rsend(&value, 1, MPI_INT, rank + 1, mode, MPI_COMM_WORLD);
                }
            } else if (rank % 2 != turn && rank > 0) {
                if (mode == 3) {
                    MPI_Request request;
                    MPI_Irecv(&got, 1, MPI_INT, rank - 1, mode, MPI_COMM_WORLD, &request);
                    MPI_Send(NULL, 0, MPI_INT, rank - 1, 30, MPI_COMM_WORLD);
                    MPI_Wait(&request, MPI_STATUS_IGNORE);
                } else {
                    MPI_Status status;
                    MPI_Recv(&got, 1, MPI_INT, rank - 1, mode, MPI_COMM_WORLD, &status);
                    CHECK(status.MPI_SOURCE == rank - 1 && status.MPI_TAG == mode);
                }
                CHECK(got == rank - 1);
                total += got;
            }
        }
    }
}

static void nonblocking_modes(void) {
    double out[4][16], in[4][16];
    MPI_Request requests[8];
    for (int round = 0; round < 5; round++) {
        for (int mode = 0; mode < 4; mode++)
            MPI_Irecv(in[mode], 16, MPI_DOUBLE, left, 10 + mode, MPI_COMM_WORLD, &requests[mode]);
        MPI_Barrier(MPI_COMM_WORLD); /* all receives are posted */
        for (int mode = 0; mode < 4; mode++)
            for (int i = 0; i < 16; i++)
                out[mode][i] = rank + mode;
        MPI_Isend(out[0], 16, MPI_DOUBLE, right, 10, MPI_COMM_WORLD, &requests[4]);
        MPI_Issend(out[1], 4, MPI_DOUBLE, right, 11, MPI_COMM_WORLD, &requests[5]);
        MPI_Ibsend(out[2], 1 + round, MPI_DOUBLE, right, 12, MPI_COMM_WORLD, &requests[6]);
        MPI_Irsend(out[3], 16, MPI_DOUBLE, right, 13, MPI_COMM_WORLD, &requests[7]);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        for (int mode = 0; mode < 4; mode++) {
            CHECK(in[mode][0] == left + mode);
            total += (long)in[mode][0];
        }
    }
}

static void exchanges(void) {
    int out = rank, in = -1;
    MPI_Status status;
    MPI_Sendrecv(&out, 1, MPI_INT, right, 20, &in, 1, MPI_INT, left, 20, MPI_COMM_WORLD, &status);
    CHECK(in == left && status.MPI_SOURCE == left);
    MPI_Sendrecv_replace(&in, 1, MPI_INT, left, 21, right, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    CHECK(in == rank);
    total += in;
#if MPI_VERSION >= 4
    MPI_Request request;
    in = -1;
    MPI_Isendrecv(&out, 1, MPI_INT, right, 22, &in, 1, MPI_INT, left, 22, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == left);
    MPI_Isendrecv_replace(&in, 1, MPI_INT, left, 23, right, 23, MPI_COMM_WORLD, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    CHECK(in == rank);
#endif
}

/* An open chain: its ends talk to nobody. */
static void nobody(void) {
    int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL, in = -7;
    MPI_Request requests[2];
    MPI_Status status;
    MPI_Sendrecv(&rank, 1, MPI_INT, up, 40, &in, 1, MPI_INT, down, 40, MPI_COMM_WORLD, &status);
    CHECK(in == (rank > 0 ? rank - 1 : -7) && status.MPI_SOURCE == down);
    for (int i = 0; i < 3; i++) {
        MPI_Irecv(&in, 1, MPI_INT, down, 41, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(&rank, 1, MPI_INT, up, 41, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Send(&rank, 1, MPI_INT, MPI_PROC_NULL, 42, MPI_COMM_WORLD);
    MPI_Recv(&in, 1, MPI_INT, MPI_PROC_NULL, 42, MPI_COMM_WORLD, &status);
    CHECK(status.MPI_SOURCE == MPI_PROC_NULL);
    total += down >= 0 ? in : 0;
}

int main(int argc, char **argv) {
    static char buffer[1 << 16];
    void *detached;
    int bytes;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    left = (rank + size - 1) % size;
    right = (rank + 1) % size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    blocking_modes();
    nonblocking_modes();
    exchanges();
    nobody();
    MPI_Buffer_detach(&detached, &bytes);
    report("mpi_p2p", total);
    MPI_Finalize();
    return 0;
}
