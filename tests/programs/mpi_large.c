/* mpi_large.c: the large-count forms (MPI_Send_c and so on) of point-to-point and collective communication, with small
 * counts: it is their arguments that differ. */
#include "mpi_check.h"

#if MPI_VERSION >= 4
#define MOST 64 /* ranks */

static int rank, size, left, right;
static long total;

static void messages(void) {
    MPI_Count n = 3;
    double out[3] = {rank, rank + 1, rank + 2}, in[3];
    MPI_Request requests[8];
    MPI_Message message;
    MPI_Status status;
    for (int round = 0; round < 4; round++) {
        for (int mode = 0; mode < 4; mode++) {
            MPI_Irecv_c(in, n, MPI_DOUBLE, left, mode, MPI_COMM_WORLD, &requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            if (mode == 0)
                MPI_Isend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD, &requests[1]);
            else if (mode == 1)
                MPI_Issend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD, &requests[1]);
            else if (mode == 2)
                MPI_Ibsend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD, &requests[1]);
            else
                MPI_Irsend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD, &requests[1]);
            MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
            CHECK(in[2] == left + 2);
        }
        for (int mode = 0; mode < 4; mode++) {
            MPI_Irecv_c(in, n, MPI_DOUBLE, left, mode, MPI_COMM_WORLD, &requests[0]);
            MPI_Barrier(MPI_COMM_WORLD);
            if (mode == 0)
                MPI_Send_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
            else if (mode == 1)
                MPI_Ssend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
            else if (mode == 2)
                MPI_Bsend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
            else
                MPI_Rsend_c(out, n, MPI_DOUBLE, right, mode, MPI_COMM_WORLD);
            MPI_Wait(requests, &status);
            total += status.MPI_SOURCE;
        }
        MPI_Sendrecv_c(out, n, MPI_DOUBLE, right, 5, in, n, MPI_DOUBLE, left, 5, MPI_COMM_WORLD, &status);
        MPI_Sendrecv_replace_c(in, n, MPI_DOUBLE, left, 6, right, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        CHECK(in[0] == rank);
        MPI_Isendrecv_c(out, n, MPI_DOUBLE, right, 7, in, n, MPI_DOUBLE, left, 7, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Isendrecv_replace_c(in, n, MPI_DOUBLE, left, 8, right, 8, MPI_COMM_WORLD, &requests[0]);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        CHECK(in[1] == rank + 1);
        MPI_Isend_c(out, n, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(left, 9, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Mrecv_c(in, n, MPI_DOUBLE, &message, MPI_STATUS_IGNORE);
        MPI_Wait(requests, MPI_STATUS_IGNORE);
        MPI_Isend_c(out, n, MPI_DOUBLE, right, 10, MPI_COMM_WORLD, &requests[0]);
        MPI_Mprobe(left, 10, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
        MPI_Imrecv_c(in, n, MPI_DOUBLE, &message, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(in[0] == left);
    }
    for (int mode = 0; mode < 4; mode++)
        MPI_Recv_init_c(&in[0], 1, MPI_DOUBLE, left, 20 + mode, MPI_COMM_WORLD, &requests[mode]);
    MPI_Send_init_c(out, 1, MPI_DOUBLE, right, 20, MPI_COMM_WORLD, &requests[4]);
    MPI_Ssend_init_c(out, 1, MPI_DOUBLE, right, 21, MPI_COMM_WORLD, &requests[5]);
    MPI_Bsend_init_c(out, 1, MPI_DOUBLE, right, 22, MPI_COMM_WORLD, &requests[6]);
    MPI_Rsend_init_c(out, 1, MPI_DOUBLE, right, 23, MPI_COMM_WORLD, &requests[7]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(4, requests);
        MPI_Barrier(MPI_COMM_WORLD);
        MPI_Startall(4, requests + 4);
        MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&requests[i]);
}

static void collectives(void) {
    int out[MOST * MOST], in[MOST * MOST], sum = 0, root = size - 1;
    MPI_Count one[MOST];
    MPI_Aint places[MOST], bytes[MOST];
    MPI_Datatype types[MOST];
    MPI_Request requests[12];
    for (int i = 0; i < size; i++) {
        out[i] = rank;
        one[i] = 1;
        places[i] = i;
        bytes[i] = i * (MPI_Aint)sizeof(int);
        types[i] = MPI_INT;
    }
    for (int round = 0; round < 3; round++) {
        MPI_Bcast_c(&sum, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Gather_c(out, 1, MPI_INT, in, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Gatherv_c(out, 1, MPI_INT, in, one, places, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Scatter_c(in, 1, MPI_INT, &sum, 1, MPI_INT, root, MPI_COMM_WORLD);
        CHECK(sum == rank);
        MPI_Scatterv_c(in, one, places, MPI_INT, &sum, 1, MPI_INT, root, MPI_COMM_WORLD);
        MPI_Allgather_c(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Allgatherv_c(out, 1, MPI_INT, in, one, places, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoall_c(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallv_c(out, one, places, MPI_INT, in, one, places, MPI_INT, MPI_COMM_WORLD);
        MPI_Alltoallw_c(out, one, bytes, types, in, one, bytes, types, MPI_COMM_WORLD);
        MPI_Reduce_c(out, in, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD);
        MPI_Allreduce_c(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        CHECK(in[0] == size * (size - 1) / 2);
        MPI_Scan_c(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Exscan_c(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce_scatter_c(out, in, one, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        MPI_Reduce_scatter_block_c(out, in, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
        total += in[0];
        int n = 0, results[4];
        MPI_Ibcast_c(&results[0], 1, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iallreduce_c(out, &results[1], 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD, &requests[n++]);
        MPI_Iscan_c(out, &results[2], 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &requests[n++]);
        MPI_Igather_c(out, 1, MPI_INT, in, 1, MPI_INT, root, MPI_COMM_WORLD, &requests[n++]);
        MPI_Ialltoallv_c(out, one, places, MPI_INT, in + MOST, one, places, MPI_INT, MPI_COMM_WORLD, &requests[n++]);
        MPI_Waitall(n, requests, MPI_STATUSES_IGNORE);
        CHECK(results[1] == size - 1);
    }
    MPI_Allgather_init_c(out, 1, MPI_INT, in, 1, MPI_INT, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Reduce_init_c(out, &sum, 1, MPI_INT, MPI_SUM, root, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
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
    CHECK(size <= MOST);
    MPI_Buffer_attach(buffer, sizeof buffer);
    messages();
    collectives();
    MPI_Buffer_detach(&detached, &bytes);
    report("mpi_large", total);
    MPI_Finalize();
    return 0;
}
#else
int main(void) {
    printf("skipped: this MPI has no large-count forms (MPI %d.%d)\n", MPI_VERSION, MPI_SUBVERSION);
    return 0;
}
#endif
