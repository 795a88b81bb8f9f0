/* mpi_probe.c: messages of unknown size: probed, and matched and received later, in another order. */
#include "mpi_check.h"

#define MOST 40

int main(int argc, char **argv) {
    int out[MOST], in[MOST], n, flag;
    long total = 0;
    MPI_Status status;
    MPI_Message message, later;
    MPI_Request request, sends[2];
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (int i = 0; i < MOST; i++)
        out[i] = rank + i;
    for (int round = 0; round < 10; round++) {
        int bytes_varies = (rank + round * 3) % MOST + 1, expected = (left + round * 3) % MOST + 1;
        MPI_Isend(out, bytes_varies, MPI_INT, right, round, MPI_COMM_WORLD, &sends[0]);
        MPI_Probe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        CHECK(n == expected);
        MPI_Recv(in, n, MPI_INT, left, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        total += in[n - 1];
        MPI_Wait(&sends[0], MPI_STATUS_IGNORE);

        MPI_Isend(out, bytes_varies, MPI_INT, right, 50, MPI_COMM_WORLD, &sends[0]);
        MPI_Isend(out, 1, MPI_INT, right, 50, MPI_COMM_WORLD, &sends[1]);
        do
            MPI_Iprobe(MPI_ANY_SOURCE, 50, MPI_COMM_WORLD, &flag, &status);
        while (not_yet(flag));
        MPI_Mprobe(left, 50, MPI_COMM_WORLD, &message, &status);
        do
            MPI_Improbe(left, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, &later, MPI_STATUS_IGNORE);
        while (not_yet(flag));
        /* the second message is received before the first */
        MPI_Imrecv(in, MOST, MPI_INT, &later, &request);
        MPI_Wait(&request, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        CHECK(n == 1 && in[0] == left);
        MPI_Mrecv(in, MOST, MPI_INT, &message, &status);
        MPI_Get_count(&status, MPI_INT, &n);
        CHECK(n == expected && in[n - 1] == left + n - 1);
        total += in[n - 1];
        MPI_Waitall(2, sends, MPI_STATUSES_IGNORE);
    }
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    CHECK(message == MPI_MESSAGE_NO_PROC);
    MPI_Mrecv(in, 1, MPI_INT, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(MPI_PROC_NULL, 0, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in, 1, MPI_INT, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    report("mpi_probe", total);
    MPI_Finalize();
    return 0;
}
