/* mpi_hang.c: programs that hang, for refrain top. Usage: mpi_hang KIND; on 3 ranks. A rank that is to be busy sleeps
 * until the test ends it. */
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BUSY_S 60

static int rank, size, value, right, left;

/* Each sends to the next one and waits for it to receive. */
static void ring(void) {
    MPI_Ssend(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
    MPI_Recv(&value, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Each receives before it sends. */
static void receive(void) {
    MPI_Recv(&value, 1, MPI_INT, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Send(&value, 1, MPI_INT, right, 3, MPI_COMM_WORLD);
}

/* Sent with one tag, received with another; rank 2 has nothing to do with it. */
static void tags(void) {
    if (rank == 0)
        MPI_Ssend(&value, 1, MPI_INT, 1, 1, MPI_COMM_WORLD);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        sleep(BUSY_S);
}

/* Sent in one communicator, received in another of the same members. */
static void comms(void) {
    MPI_Comm other;
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    MPI_Comm_set_name(other, "halo");
    if (rank == 0) {
        MPI_Send(&value, 1, MPI_INT, 1, 3, other);
        MPI_Recv(&value, 1, MPI_INT, 1, 4, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        sleep(BUSY_S);
}

/* One is not in the barrier, but waits for a message of one that is. */
static void mixed(void) {
    if (rank == 2)
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* One is in another collective than the others, as the same collective of the communicator. */
static void mismatch(void) {
    if (rank == 1)
        MPI_Bcast(&value, 1, MPI_INT, 2, MPI_COMM_WORLD);
    else
        MPI_Barrier(MPI_COMM_WORLD);
}

/* All ranks wait for a message from any source. */
static void anybody(void) {
    MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* Requests that wait for each other, in a communicator whose ranks are not those of MPI_COMM_WORLD. */
static void requests(void) {
    MPI_Comm turned;
    MPI_Request request;
    int own;
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
    MPI_Comm_rank(turned, &own);
    MPI_Irecv(&value, 1, MPI_INT, (own + 1) % size, 3, turned, &request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* Rank 0 waits for one that will not send any more. */
static void ended(void) {
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, 1, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* No deadlock: rank 1 is late for a barrier. */
static void late(void) {
    if (rank == 1)
        sleep(BUSY_S);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* No deadlock: messages go round all the time. */
static void busy(void) {
    for (double start = MPI_Wtime(); MPI_Wtime() - start < BUSY_S;) {
        MPI_Sendrecv_replace(&value, 1, MPI_INT, right, 3, left, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        usleep(1000);
    }
}

/* No deadlock: a receive whose message comes late. */
static void slow(void) {
    if (rank == 0)
        MPI_Recv(&value, 1, MPI_INT, MPI_ANY_SOURCE, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 1)
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (rank == 2)
        sleep(BUSY_S);
}

/* Each receives from both others and sends to both, but for rank 2, which does not send to rank 0. */
static void waitall(void) {
    int values[4] = {0};
    MPI_Request requests[4] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL, MPI_REQUEST_NULL};
    MPI_Irecv(&values[0], 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
    MPI_Isend(&values[2], 1, MPI_INT, left, 3, MPI_COMM_WORLD, &requests[2]);
    if (rank != 2)
        MPI_Isend(&values[3], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[3]);
    MPI_Waitall(4, requests, MPI_STATUSES_IGNORE);
    MPI_Barrier(MPI_COMM_WORLD);
}

/* Each starts a receive from the next one, again and again, and waits for any of them. */
static void waitany(void) {
    MPI_Request requests[2];
    int index;
    MPI_Recv_init(&value, 1, MPI_INT, right, 5, MPI_COMM_WORLD, &requests[0]);
    MPI_Issend(&value, 1, MPI_INT, left, 4, MPI_COMM_WORLD, &requests[1]);
    MPI_Start(&requests[0]);
    if (rank == 0)
        MPI_Waitsome(2, requests, &index, (int[2]){0}, MPI_STATUSES_IGNORE);
    else
        MPI_Waitany(2, requests, &index, MPI_STATUS_IGNORE);
}

/* Each receives from the next one in one communicator and from the last in another, whose ranks are turned round. */
static void several(void) {
    MPI_Comm turned;
    MPI_Request requests[2];
    int own, values[2];
    MPI_Comm_split(MPI_COMM_WORLD, 0, size - rank, &turned);
    MPI_Comm_rank(turned, &own);
    MPI_Irecv(&values[0], 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, (own + 1) % size, 4, turned, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

/* No deadlock: the same of rank 0 alone, and rank 1 waits for that with a message in the other communicator. */
static void apart(void) {
    MPI_Comm other;
    MPI_Request requests[2];
    int values[2];
    MPI_Comm_dup(MPI_COMM_WORLD, &other);
    if (rank == 2)
        sleep(BUSY_S);
    if (rank == 1)
        MPI_Ssend(&value, 1, MPI_INT, 0, 3, other);
    if (rank != 0)
        return;
    MPI_Irecv(&values[0], 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &requests[0]);
    MPI_Irecv(&values[1], 1, MPI_INT, 1, 3, other, &requests[1]);
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

static void be_busy(int signal) {
    (void)signal;
    sleep(BUSY_S);
}

/* No deadlock: both have posted what the other sends, but rank 1 is held up in its call. */
static void posted(void) {
    MPI_Request request;
    int received, other = 1 - rank;
    if (rank == 2)
        sleep(BUSY_S);
    if (rank == 2)
        return;
    MPI_Irecv(&received, 1, MPI_INT, other, 3, MPI_COMM_WORLD, &request);
    if (rank == 0)
        sleep(3);
    signal(SIGALRM, be_busy);
    if (rank == 1)
        alarm(1);
    MPI_Ssend(&value, 1, MPI_INT, other, 3, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

/* No deadlock: rank 0 has what rank 1 sent, which waits for it; what is missing comes late. */
static void partly(void) {
    MPI_Request requests[2];
    int values[2];
    if (rank == 0) {
        MPI_Irecv(&values[0], 1, MPI_INT, 1, 3, MPI_COMM_WORLD, &requests[0]);
        MPI_Irecv(&values[1], 1, MPI_INT, 2, 3, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    if (rank == 1) {
        MPI_Send(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD);
        MPI_Recv(&value, 1, MPI_INT, 0, 3, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    if (rank == 2)
        sleep(BUSY_S);
}

int main(int argc, char **argv) {
    static const struct {
        const char *name;
        void (*run)(void);
    } kinds[] = {{"ring", ring},       {"receive", receive},   {"tags", tags},       {"mixed", mixed},
                 {"comms", comms},     {"mismatch", mismatch},
                 {"anybody", anybody}, {"requests", requests}, {"ended", ended},     {"late", late},
                 {"busy", busy},       {"slow", slow},         {"waitall", waitall}, {"waitany", waitany},
                 {"partly", partly},   {"several", several},   {"apart", apart},
                 {"posted", posted}};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    right = (rank + 1) % size;
    left = (rank + size - 1) % size;
    for (int i = 0; i < 5; i++)
        MPI_Barrier(MPI_COMM_WORLD);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
        if (argc > 1 && strcmp(argv[1], kinds[k].name) == 0)
            kinds[k].run();
    MPI_Finalize();
    return 0;
}
