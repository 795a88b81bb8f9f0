/* pauses.c: messages and collectives of which one end is in a pause. Two ranks; a message has as many bytes as no other
 * of its round, so that whoever pairs them up wrongly is found out.
 *
 *     pauses ROUNDS [many]    many: also more kinds of messages in a pause than are counted at a time */
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdlib.h>

static char out[64], in[64];
static MPI_Request kept;

/* Messages of 1 to 4 bytes; the two in the middle leave in a pause. */
static void sender(int other) {
    MPI_Request request;
    MPI_Send(out, 1, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    refrain_pause();
    MPI_Send(out, 2, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    MPI_Isend(out, 3, MPI_CHAR, other, 1, MPI_COMM_WORLD, &request);
    refrain_resume();
    MPI_Send(out, 4, MPI_CHAR, other, 1, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void plain_receiver(int other, int n, int tag) {
    for (int i = 0; i < n; i++)
        MPI_Recv(in, 64, MPI_CHAR, i % 2 ? MPI_ANY_SOURCE : other, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

static void plain_sender(int other, int n, int tag) {
    for (int i = 1; i <= n; i++)
        MPI_Send(out, i, MPI_CHAR, other, tag, MPI_COMM_WORLD);
}

/* Seven messages: 1 blocking; 2 posted before the pause and 3 in it, both completed there; 4 probed in it; 5 as well, but
 * received behind it; 6 posted in it and completed behind it; 7 blocking. */
static void receiver(int other) {
    MPI_Request requests[3];
    MPI_Message message;
    MPI_Status statuses[2];
    MPI_Recv(in, 64, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_CHAR, other, 2, MPI_COMM_WORLD, &requests[0]);
    refrain_pause();
    MPI_Irecv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[1]);
    MPI_Waitall(2, requests, statuses);
    MPI_Mprobe(other, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Mrecv(in, 64, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Mprobe(other, 2, MPI_COMM_WORLD, &message, MPI_STATUS_IGNORE);
    MPI_Irecv(in, 64, MPI_CHAR, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, &requests[2]);
    refrain_resume();
    MPI_Mrecv(in, 64, MPI_CHAR, &message, MPI_STATUS_IGNORE);
    MPI_Wait(&requests[2], MPI_STATUS_IGNORE);
    MPI_Recv(in, 64, MPI_CHAR, other, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* A request that is kept, and started before, in and behind a pause; so is one that is made in it. */
static void persistent(int other) {
    MPI_Request made;
    MPI_Start(&kept);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    refrain_pause();
    MPI_Start(&kept);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Start(&kept);
    MPI_Send_init(out, 9, MPI_CHAR, other, 3, MPI_COMM_WORLD, &made);
    refrain_resume();
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Start(&kept);
    MPI_Start(&made);
    MPI_Wait(&kept, MPI_STATUS_IGNORE);
    MPI_Wait(&made, MPI_STATUS_IGNORE);
    MPI_Request_free(&made);
}

/* One rank comes to the second and third of five broadcasts in a pause. */
static void collectives(int pauses) {
    MPI_Request request;
    for (int i = 0; i < 5; i++) {
        if (pauses && i == 1)
            refrain_pause();
        if (pauses && i == 3)
            refrain_resume();
        MPI_Bcast(in, i + 1, MPI_CHAR, 0, MPI_COMM_WORLD);
        MPI_Iallreduce(&out[i], &in[i], 1, MPI_CHAR, MPI_MAX, MPI_COMM_WORLD, &request);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
    }
}

/* More kinds of messages in a pause than are counted at a time. */
static void many(int rank, int other) {
    for (int tag = 0; tag < 150; tag++) {
        if (rank == 0 && tag == 1)
            refrain_pause();
        if (rank == 0 && tag == 149)
            refrain_resume();
        if (rank == 0)
            MPI_Send(out, tag % 60, MPI_CHAR, other, 100 + tag / 2, MPI_COMM_WORLD);
        else
            MPI_Recv(in, 64, MPI_CHAR, other, 100 + tag / 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

int main(int argc, char **argv) {
    int rank, rounds = atoi(argv[1]);
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        MPI_Send_init(out, 8, MPI_CHAR, 1, 3, MPI_COMM_WORLD, &kept);
    for (int i = 0; i < rounds; i++) {
        if (rank == 0) {
            sender(1);
            plain_sender(1, 7, 2);
            persistent(1);
        } else {
            plain_receiver(0, 4, 1);
            receiver(0);
            plain_receiver(0, 5, 3);
        }
        collectives(rank == i % 2);
        if (argc > 2)
            many(rank, 1 - rank);
    }
    if (rank == 0)
        MPI_Request_free(&kept);
    MPI_Finalize();
    return 0;
}
