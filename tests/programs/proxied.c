/* proxied.c: a run with what refrain proxy has to repeat (test_proxy.sh): partners that are functions of the rank or
 * irregular, loops in loops, communicators of all kinds, persistent requests, wildcards, polls, collectives with
 * different amounts. Takes a number: with 1 it makes an intercommunicator, too; with 2 it ends by a signal. */
#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#define MOST 4096

static int rank, ranks;
static char in[8][MOST], out[MOST];

static void ring(int tag, int bytes) {
    MPI_Request requests[2];
    MPI_Irecv(in[0], MOST, MPI_CHAR, (rank + ranks - 1) % ranks, tag, MPI_COMM_WORLD, &requests[0]);
    MPI_Isend(out, bytes, MPI_CHAR, (rank + 1) % ranks, tag, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* Rank 0 takes what comes first, of different sizes. */
static void farm(int round) {
    for (int i = 1; i < ranks && rank == 0; i++)
        MPI_Recv(in[0], MOST, MPI_CHAR, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank > 0)
        MPI_Send(out, 1 + (rank * 7 + round * round * 13) % 100, MPI_CHAR, 0, 10 + rank, MPI_COMM_WORLD);
}

static void persistent(void) {
    MPI_Request requests[3];
    int index, n, indices[3];
    MPI_Recv_init(in[1], MOST, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Send_init(out, 40, MPI_CHAR, rank ^ 1, 5, MPI_COMM_WORLD, &requests[1]);
    MPI_Send_init(out, 0, MPI_CHAR, MPI_PROC_NULL, 5, MPI_COMM_WORLD, &requests[2]);
    for (int i = 0; i < 5; i++) {
        MPI_Startall(3, requests);
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
        for (int left = 2; left > 0; left -= n)
            MPI_Waitsome(3, requests, &n, indices, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < 3; i++)
        MPI_Request_free(&requests[i]);
}

static void polls(void) {
    MPI_Request request;
    int there = 0;
    if (rank == 0) {
        for (int i = 0; i < 3; i++)
            MPI_Test(&(MPI_Request){MPI_REQUEST_NULL}, &there, MPI_STATUS_IGNORE);
        usleep(20000);
        MPI_Ssend(out, 9, MPI_CHAR, 1, 77, MPI_COMM_WORLD);
    } else if (rank == 1) {
        MPI_Irecv(in[2], MOST, MPI_CHAR, 0, 77, MPI_COMM_WORLD, &request);
        for (there = 0; !there; usleep(1000))
            MPI_Testall(1, &request, &there, MPI_STATUSES_IGNORE);
    }
}

/* One place makes communicators of different ones, and for some ranks none. */
static void without_rank(int left_out, MPI_Comm comm) {
    MPI_Comm some;
    MPI_Comm_split(comm, rank == left_out ? MPI_UNDEFINED : 0, rank, &some);
    if (some == MPI_COMM_NULL)
        return;
    MPI_Barrier(some);
    MPI_Comm_free(&some);
}

static void communicators(void) {
    MPI_Comm dup, half, some, grid, row, made;
    MPI_Group world, first;
    int sizes[2] = {2, ranks / 2}, periods[2] = {1, 0}, kept[2] = {0, 1}, range[1][3] = {{0, ranks / 2, 1}};
    MPI_Comm_dup(MPI_COMM_WORLD, &dup);
    MPI_Comm_split(dup, rank % 2, -rank, &half);
    MPI_Comm_split(dup, rank == 0 ? MPI_UNDEFINED : 3, 0, &some);
    without_rank(1, half);
    without_rank(1, dup);
    without_rank(0, half);
    MPI_Cart_create(MPI_COMM_WORLD, 2, sizes, periods, 0, &grid);
    MPI_Cart_sub(grid, kept, &row);
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_range_incl(world, 1, range, &first);
    MPI_Comm_create(MPI_COMM_WORLD, first, &made);
    MPI_Bcast(out, 33, MPI_CHAR, 1, half);
    MPI_Barrier(row);
    if (some != MPI_COMM_NULL) {
        MPI_Reduce(out, in[0], 3, MPI_INT, MPI_SUM, 0, some);
        MPI_Comm_free(&some);
    }
    if (made != MPI_COMM_NULL) {
        MPI_Allreduce(out, in[0], 2, MPI_DOUBLE, MPI_MAX, made);
        MPI_Comm_free(&made);
    }
    MPI_Group_free(&first);
    MPI_Group_free(&world);
    MPI_Comm_free(&row);
    MPI_Comm_free(&grid);
    MPI_Comm_free(&half);
    MPI_Comm_free(&dup);
}

/* A communicator whose members alone make it, not in the order of their ranks; one of each rank alone; and another part
 * of the parent of both. */
static void groups(void) {
    MPI_Comm made, own, all;
    MPI_Group world, some;
    int members[] = {2, 0};
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_incl(world, 2, members, &some);
    if (rank == 0 || rank == 2) {
        MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &made);
        MPI_Bcast(out, 21, MPI_CHAR, 0, made);
        MPI_Comm_free(&made);
    }
    MPI_Comm_dup(MPI_COMM_SELF, &own);
    MPI_Comm_dup(MPI_COMM_WORLD, &all);
    MPI_Bcast(out, 22, MPI_CHAR, 0, own);
    MPI_Gather(out, 3, MPI_CHAR, in[3], 3, MPI_CHAR, 0, own);
    MPI_Bcast(out, 23, MPI_CHAR, 1, all);
    MPI_Comm_free(&all);
    MPI_Comm_free(&own);
    MPI_Group_free(&some);
    MPI_Group_free(&world);
}

/* Messages that are found before they are received. */
static void matched(void) {
    MPI_Message message;
    MPI_Request request;
    if (rank == 0)
        for (int i = 0; i < 2; i++)
            MPI_Send(out, 40 + i, MPI_CHAR, 1, 7, MPI_COMM_WORLD);
    if (rank != 1)
        return;
    MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in[0], MOST, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(0, 7, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Imrecv(in[0], MOST, MPI_CHAR, &message, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void amounts(int round) {
    int counts[64], offsets[64], own = 1 + (rank + round) % 3;
    MPI_Request request;
    for (int i = 0, at = 0; i < ranks; at += counts[i++]) {
        counts[i] = 1 + (i + round) % 3;
        offsets[i] = at;
    }
    MPI_Allgatherv(out, own, MPI_CHAR, in[3], counts, offsets, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Gatherv(out, own, MPI_CHAR, in[3], counts, offsets, MPI_CHAR, round % ranks, MPI_COMM_WORLD);
    for (int i = 0; i < ranks; i++) {
        counts[i] = 1 + (rank + i) % 4;
        offsets[i] = 8 * i;
    }
    MPI_Alltoallv(out, counts, offsets, MPI_CHAR, in[4], counts, offsets, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Iallreduce(out, in[5], 16, MPI_INT, MPI_SUM, MPI_COMM_WORLD, &request);
    MPI_Alltoall(out, 4, MPI_CHAR, in[6], 4, MPI_CHAR, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    MPI_Scan(out, in[7], 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
}

static void intercommunicator(void) {
    MPI_Comm half, inter;
    MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
    MPI_Intercomm_create(half, 0, MPI_COMM_WORLD, 1 - rank % 2, 1, &inter);
    MPI_Comm_free(&inter);
    MPI_Comm_free(&half);
}

int main(int argc, char **argv) {
    int also = argc > 1 ? atoi(argv[1]) : 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    for (int i = 0; i < 6; i++) {
        for (int k = 0; k <= i; k++)
            ring(k, 100 * (1 + i % 2));
        farm(i);
        amounts(i);
    }
    persistent();
    polls();
    communicators();
    communicators();
    groups();
    matched();
    if (also == 1)
        intercommunicator();
    if (also == 2)
        raise(SIGKILL);
    MPI_Finalize();
    return 0;
}
