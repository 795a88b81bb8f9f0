/* scaled.c: what a program of many numbers of ranks does: a ring, a tree of exchanges, a grid with edges, blocks of
 * unequal size, messages to rank 0. With an argument, one rank also sends an amount that follows no rule. */
#include <mpi.h>
#include <stdlib.h>

static int rank, ranks;
static char out[1 << 16], in[4][1 << 16];

static void ring(void) {
    MPI_Request requests[2];
    MPI_Irecv(in[0], 1 << 16, MPI_CHAR, (rank + ranks - 1) % ranks, 1, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, 4096 / ranks, MPI_CHAR, (rank + 1) % ranks, 1, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void exchange(void) {
    for (int distance = 1; distance < ranks; distance *= 2)
        MPI_Sendrecv(out, 100, MPI_CHAR, rank ^ distance, 2, in[1], 100, MPI_CHAR, rank ^ distance, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
}

static void grid(void) {
    MPI_Comm made, row;
    int sizes[2] = {0}, periods[2] = {1, 0}, kept[2] = {0, 1}, before, after;
    MPI_Dims_create(ranks, 2, sizes);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &made);
    MPI_Cart_sub(made, kept, &row);
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 2; k++) {
            MPI_Cart_shift(made, k, 1, &before, &after);
            MPI_Sendrecv(out, k ? 64 : 800 / sizes[1], MPI_CHAR, after, k, in[2], 1 << 16, MPI_CHAR, before, k, made,
                         MPI_STATUS_IGNORE);
        }
    MPI_Barrier(row);
    MPI_Comm_free(&row);
    MPI_Comm_free(&made);
}

static void blocks(void) {
    int counts[64], offsets[64];
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        counts[i] = 1003 / ranks + (i < 1003 % ranks);
        offsets[i] = at;
    }
    MPI_Gatherv(out, counts[rank], MPI_CHAR, in[3], counts, offsets, MPI_CHAR, 0, MPI_COMM_WORLD);
    if (rank)
        MPI_Send(out, 8, MPI_CHAR, 0, 4, MPI_COMM_WORLD);
    for (int i = 1; i < ranks && !rank; i++)
        MPI_Recv(in[3], 1 << 16, MPI_CHAR, i, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 5; i++)
        ring();
    exchange();
    grid();
    blocks();
    if (argc > 1 && ranks > 1 && rank < 2)
        MPI_Sendrecv(out, ranks * ranks % 11 + 3, MPI_CHAR, 1 - rank, 5, in[0], 1 << 16, MPI_CHAR, 1 - rank, 5,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    for (int i = 0; argc > 1 && i < 6; i++)
        MPI_Sendrecv(out, 1 + (rank * rank * 7 + i * i * i * (3 + rank) + ranks * i) % 29, MPI_CHAR, rank ^ 1, 6, in[0],
                     1 << 16, MPI_CHAR, rank ^ 1, 6, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
