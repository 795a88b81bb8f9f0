/* mpi_turns.c: messages in a ring whose tags and sizes take turns, in cycles of 2 to 8, posted from one line and
 * completed in every way; also persistent ones, receives that are cancelled by turns, probed ones, and handles that
 * take turns. Each is repeated often enough to be predicted. */
#include "mpi_check.h"

#define MOST 8      /* in a cycle */
#define REPEATED 50 /* with each cycle */
#define ITEMS 32

static int rank, size, next, previous;
static int out[ITEMS], in[MOST][ITEMS];

static void complete(int way, int n, MPI_Request *requests) {
    MPI_Status status[2];
    int which[2], count, flag;
    for (int done = 0; done < n;) {
        switch (way) {
        case 0:
            MPI_Waitall(n, requests, status);
            done = n;
            break;
        case 1:
            MPI_Waitany(n, requests, &count, status);
            done++;
            break;
        case 2:
            MPI_Waitsome(n, requests, &count, which, status);
            done += count;
            break;
        case 3:
            MPI_Test(&requests[done], &flag, status);
            done += !not_yet(flag);
            break;
        case 4:
            MPI_Testall(n, requests, &flag, status);
            done = not_yet(flag) ? 0 : n;
            break;
        case 5:
            MPI_Testany(n, requests, &count, &flag, status);
            done += !not_yet(flag);
            break;
        case 6:
            MPI_Testsome(n, requests, &count, which, status);
            done += not_yet(count > 0) ? 0 : count;
            break;
        default:
            MPI_Wait(&requests[done], done ? status : MPI_STATUS_IGNORE);
            done++;
        }
    }
}

static void exchange(int turn, int way, MPI_Comm comm) {
    MPI_Request requests[2];
    MPI_Irecv(in[0], ITEMS, MPI_INT, previous, turn, comm, &requests[0]);
    MPI_Isend(out, 1 + 3 * turn, MPI_INT, next, turn, comm, &requests[1]);
    complete(way, 2, requests);
}

/* One way for long, then the ways take turns, then cycles that change after a number of turns of chance. */
static void ways(MPI_Comm comm) {
    unsigned random = 1;
    for (int cycle = 2; cycle <= MOST; cycle += 3)
        for (int way = 0; way < MOST; way++)
            for (int i = 0; i < REPEATED; i++)
                exchange(i % cycle, way, comm);
    for (int cycle = 2; cycle <= MOST; cycle++)
        for (int i = 0; i < 4 * REPEATED; i++)
            exchange(i % cycle, i % cycle, comm);
    for (int i = 0, cycle = 2; i < 20 * REPEATED; i++) {
        random = random * 1103515245u + 12345u;
        if (random >> 16 & 63)
            exchange(i % cycle, cycle % MOST, comm);
        else
            cycle = 2 + (int)(random >> 22) % (MOST - 1);
    }
}

static void cancel(MPI_Comm comm) {
    MPI_Request request;
    MPI_Status status;
    int flag;
    MPI_Irecv(in[0], ITEMS, MPI_INT, previous, MOST, comm, &request);
    MPI_Cancel(&request);
    MPI_Wait(&request, &status);
    MPI_Test_cancelled(&status, &flag);
    CHECK(flag);
}

static void probe(int turn, MPI_Comm comm) {
    MPI_Request request;
    MPI_Status status;
    MPI_Message message;
    int flag, count;
    MPI_Isend(out, 1 + turn, MPI_INT, next, turn, comm, &request);
    switch (turn % 4) {
    case 0:
        MPI_Probe(previous, MPI_ANY_TAG, comm, &status);
        MPI_Get_count(&status, MPI_INT, &count);
        MPI_Recv(in[0], count, MPI_INT, previous, status.MPI_TAG, comm, &status);
        break;
    case 1:
        MPI_Mprobe(MPI_ANY_SOURCE, turn, comm, &message, &status);
        MPI_Mrecv(in[0], ITEMS, MPI_INT, &message, &status);
        break;
    case 2:
        do
            MPI_Iprobe(previous, turn, comm, &flag, &status);
        while (not_yet(flag));
        MPI_Recv(in[0], ITEMS, MPI_INT, previous, turn, comm, &status);
        break;
    default:
        MPI_Recv(in[0], ITEMS, MPI_INT, previous, turn, comm, MPI_STATUS_IGNORE);
    }
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

static void others(MPI_Comm comm) {
    MPI_Request requests[2 * MOST];
    for (int k = 0; k < MOST; k++) {
        MPI_Recv_init(in[k], ITEMS, MPI_INT, previous, k, comm, &requests[2 * k]);
        MPI_Send_init(out, 1 + k, MPI_INT, next, k, comm, &requests[2 * k + 1]);
    }
    for (int cycle = 2; cycle <= MOST; cycle++)
        for (int i = 0; i < 4 * REPEATED; i++) {
            MPI_Startall(2, &requests[i % cycle * 2]);
            complete(cycle % 2 * 7, 2, &requests[i % cycle * 2]);
            if (i % cycle == 0)
                cancel(comm);
            else
                exchange(i % cycle, 0, comm);
            probe(i % cycle, comm);
            MPI_Sendrecv(out, i % cycle, MPI_INT, i % cycle ? next : previous, 0, in[0], ITEMS, MPI_INT,
                         i % cycle ? previous : next, 0, comm, MPI_STATUS_IGNORE);
            MPI_Allreduce(out, in[0], 1 + i % cycle, MPI_INT, MPI_SUM, comm);
        }
    for (int k = 0; k < 2 * MOST; k++)
        MPI_Request_free(&requests[k]);
}

/* Alternating communicators, one with the ranks in reverse, and datatypes. One handle gets another meaning. */
static void handles(MPI_Comm comm) {
    MPI_Comm comms[2];
    MPI_Datatype types[2];
    MPI_Request requests[3];
    MPI_Comm_dup(comm, &comms[0]);
    MPI_Comm_split(comm, 0, -rank, &comms[1]);
    for (int k = 0; k < 2; k++) {
        MPI_Type_contiguous(k + 1, MPI_INT, &types[k]);
        MPI_Type_commit(&types[k]);
    }
    for (int cycle = 2; cycle <= MOST; cycle++) {
        for (int i = 0; i < 4 * REPEATED; i++) {
            int turn = i % cycle, own = turn % 2 ? size - 1 - rank : rank;
            int to = turn == 3 ? MPI_PROC_NULL : (own + 1) % size,
                from = turn == 3 ? MPI_PROC_NULL : (own + size - 1) % size;
            MPI_Irecv(in[0], ITEMS, MPI_INT, from, cycle, comms[turn % 2], &requests[0]);
            MPI_Isend(out, 1 + turn, types[turn / 2 % 2], to, cycle, comms[turn % 2], &requests[1]);
            if (turn == 1)
                MPI_Ibarrier(comms[1], &requests[2]);
            else
                MPI_Iallreduce(out, in[1], 1 + turn, MPI_INT, MPI_SUM, comms[turn % 2], &requests[2]);
            MPI_Waitall(3, requests, MPI_STATUSES_IGNORE);
        }
        MPI_Type_free(&types[0]);
        MPI_Type_contiguous(1 + cycle % 3, MPI_INT, &types[0]);
        MPI_Type_commit(&types[0]);
    }
    MPI_Type_free(&types[0]);
    MPI_Type_free(&types[1]);
    MPI_Comm_free(&comms[0]);
    MPI_Comm_free(&comms[1]);
}

int main(int argc, char **argv) {
    MPI_Comm comm;
    MPI_Init(&argc, &argv);
    rank = rank_in(MPI_COMM_WORLD);
    size = size_of(MPI_COMM_WORLD);
    if (size > 4) { /* more ranks poll for longer, and do nothing that four do not */
        if (rank == 0)
            printf("skipped: a ring of more than four\n");
        MPI_Finalize();
        return 0;
    }
    next = (rank + 1) % size;
    previous = (rank + size - 1) % size;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm);
    ways(comm);
    others(comm);
    handles(comm);
    MPI_Comm_free(&comm);
    report("mpi_turns", in[0][0]);
    MPI_Finalize();
    return 0;
}
