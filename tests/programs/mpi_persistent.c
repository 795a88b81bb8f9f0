/* mpi_persistent.c: persistent and partitioned messages, started one by one and all at once, and freed. */
#include "mpi_check.h"

#define ROUNDS 12

int main(int argc, char **argv) {
    static char buffer[1 << 16];
    int out[4], in[4];
    void *detached;
    int bytes;
    long total = 0;
    MPI_Request requests[8];
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    int left = (rank + size - 1) % size, right = (rank + 1) % size;
    MPI_Buffer_attach(buffer, sizeof buffer);
    for (int i = 0; i < 4; i++)
        MPI_Recv_init(&in[i], 1, MPI_INT, i == 3 ? MPI_ANY_SOURCE : left, i, MPI_COMM_WORLD, &requests[i]);
    MPI_Send_init(&out[0], 1, MPI_INT, right, 0, MPI_COMM_WORLD, &requests[4]);
    MPI_Ssend_init(&out[1], 1, MPI_INT, right, 1, MPI_COMM_WORLD, &requests[5]);
    MPI_Bsend_init(&out[2], 1, MPI_INT, right, 2, MPI_COMM_WORLD, &requests[6]);
    MPI_Rsend_init(&out[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[7]);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < 4; i++)
            out[i] = rank * 100 + round + i;
        MPI_Startall(4, requests);
        MPI_Barrier(MPI_COMM_WORLD); /* the ready send needs its receive posted */
        for (int i = 4; i < 8; i++)
            MPI_Start(&requests[i]);
        if (round % 3 == 0) {
            for (int i = 0; i < 8; i++)
                MPI_Wait(&requests[i], MPI_STATUS_IGNORE);
        } else {
            MPI_Waitall(8, requests, MPI_STATUSES_IGNORE);
        }
        for (int i = 0; i < 4; i++) {
            CHECK(in[i] == left * 100 + round + i);
            total += in[i];
        }
    }
    MPI_Wait(&requests[0], MPI_STATUS_IGNORE); /* inactive: returns at once */
    for (int i = 0; i < 8; i++)
        MPI_Request_free(&requests[i]);
    /* the ends of a chain are persistent to nobody */
    int up = rank + 1 < size ? rank + 1 : MPI_PROC_NULL, down = rank > 0 ? rank - 1 : MPI_PROC_NULL;
    MPI_Send_init(&out[0], 1, MPI_INT, up, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Recv_init(&in[0], 1, MPI_INT, down, 5, MPI_COMM_WORLD, &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, requests);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#if MPI_VERSION >= 4
    double parts_out[4][8], parts_in[4][8];
    MPI_Psend_init(parts_out, 4, 8, MPI_DOUBLE, right, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[0]);
    MPI_Precv_init(parts_in, 4, 8, MPI_DOUBLE, left, 9, MPI_COMM_WORLD, MPI_INFO_NULL, &requests[1]);
    for (int round = 0; round < 3; round++) {
        MPI_Startall(2, requests);
        for (int part = 0; part < 4; part++) {
            for (int i = 0; i < 8; i++)
                parts_out[part][i] = rank + part;
            if (round == 0)
                MPI_Pready(part, requests[0]);
        }
        if (round == 1)
            MPI_Pready_range(0, 3, requests[0]);
        if (round == 2)
            MPI_Pready_list(4, (int[]){2, 0, 3, 1}, requests[0]);
        int arrived;
        MPI_Parrived(requests[1], 3, &arrived);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(parts_in[3][7] == left + 3);
        total += (long)parts_in[3][7];
    }
    MPI_Request_free(&requests[0]);
    MPI_Request_free(&requests[1]);
#endif
    MPI_Buffer_detach(&detached, &bytes);
    report("mpi_persistent", total);
    MPI_Finalize();
    return 0;
}
