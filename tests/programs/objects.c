/* objects.c: communicators by dup and split, requests, all collectives of everyday use. Usage: objects [N] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, size, n = argc > 1 ? atoi(argv[1]) : 4, sum = 0, data[64], more[64];
    MPI_Comm twin, half;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_dup(MPI_COMM_WORLD, &twin);
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, -rank, &half);
    int half_rank, half_size;
    MPI_Comm_rank(half, &half_rank);
    MPI_Comm_size(half, &half_size);
    for (int i = 0; i < 64; i++)
        data[i] = rank * 64 + i;
    for (int i = 0; i < n; i++) {
        MPI_Request requests[4];
        MPI_Irecv(more, 8, MPI_INT, (rank + 1) % size, i, twin, &requests[0]);
        MPI_Irecv(more + 8, 8, MPI_INT, (half_rank + 1) % half_size, 3, half, &requests[1]);
        MPI_Isend(data, 1 + i % 8, MPI_INT, (rank + size - 1) % size, i, twin, &requests[2]);
        MPI_Isend(data + 8, 4, MPI_INT, (half_rank + half_size - 1) % half_size, 3, half, &requests[3]);
        MPI_Wait(&requests[1], MPI_STATUS_IGNORE);
        requests[1] = MPI_REQUEST_NULL;
        MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
        MPI_Gather(data, 2, MPI_INT, more, 2, MPI_INT, i % size, twin);
        MPI_Scatter(data, 2, MPI_INT, more, 2, MPI_INT, i % half_size, half);
        MPI_Allgather(data, 1, MPI_INT, more, 1, MPI_INT, half);
        MPI_Alltoall(data, 3, MPI_INT, more, 3, MPI_INT, twin);
        MPI_Allreduce(data, more, 5, MPI_INT, MPI_MAX, half);
        MPI_Reduce(data, more, 5, MPI_INT, MPI_SUM, (i + 1) % size, MPI_COMM_WORLD);
        MPI_Bcast(more, 6, MPI_INT, 0, half);
        if (rank % 2 == 0 && rank + 1 < size)
            MPI_Ssend(data, 7, MPI_INT, rank + 1, 9, twin);
        else if (rank % 2)
            MPI_Recv(more, 64, MPI_INT, rank - 1, MPI_ANY_TAG, twin, MPI_STATUS_IGNORE);
        MPI_Send(data, 1, MPI_INT, MPI_PROC_NULL, 0, twin);
        sum += more[i % 5];
    }
    MPI_Comm_free(&half);
    MPI_Comm_free(&twin);
    printf("rank %d: %d\n", rank, sum);
    MPI_Finalize();
    return 0;
}
