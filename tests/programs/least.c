/* least.c: uses up all memory, and then does things for the first time, on two ranks. "least communicators": 600
 * communicators of both ranks in the reverse order, which exist at the same time, with a message on each. "least
 * threads": calls functions that were not called before, in three threads at once, each to itself. */
#include "mpi_check.h"
#include <pthread.h>
#include <string.h>

#define COMMS 600
#define THREADS 3
#define ROUNDS 5
#define SPENDING 6000

static int rank;
static MPI_Comm own[THREADS];
static pthread_barrier_t all_are_done;

/* Sizes that follow no rule, until formulas have no room. */
static void spend(void) {
    static char out[1024], in[1024];
    unsigned state = 12345;
    for (int i = 0; i < SPENDING; i++) {
        state = state * 1664525u + 1013904223u;
        MPI_Sendrecv(out, (int)(state >> 22), MPI_CHAR, 0, 0, in, 1024, MPI_CHAR, 0, 0, MPI_COMM_SELF,
                     MPI_STATUS_IGNORE);
        if (state >> 31)
            MPI_Barrier(MPI_COMM_SELF);
    }
}

static void communicators(void) {
    static MPI_Comm comms[COMMS];
    int value = rank;
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[i]);
    for (int i = 0; i < COMMS; i++)
        if (rank == 0) /* which is 1 there */
            MPI_Send(&value, 1, MPI_INT, 0, i, comms[i]);
        else
            MPI_Recv(&value, 1, MPI_INT, 1, i, comms[i], MPI_STATUS_IGNORE);
    for (int i = 0; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
}

static void *late(void *argument) {
    MPI_Comm comm = own[(long)argument];
    MPI_Request request;
    int one = 1, got, flag;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Bcast(&one, 1, MPI_INT, 0, comm);
        MPI_Allreduce(&one, &got, 1, MPI_INT, MPI_SUM, comm);
        MPI_Irecv(&got, 1, MPI_INT, 0, 1, comm, &request);
        MPI_Ssend(&one, 1, MPI_INT, 0, 1, comm);
        MPI_Wait(&request, MPI_STATUS_IGNORE);
        MPI_Isend(&one, 1, MPI_INT, 0, 2, comm, &request);
        MPI_Recv(&got, 1, MPI_INT, 0, 2, comm, MPI_STATUS_IGNORE);
        MPI_Waitall(1, &request, MPI_STATUSES_IGNORE);
        MPI_Iprobe(0, 3, comm, &flag, MPI_STATUS_IGNORE);
    }
    pthread_barrier_wait(&all_are_done); /* one that ends earlier hands its place in the trace on */
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[THREADS];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    CHECK(argc > 1);
    spend();
    if (strcmp(argv[1], "communicators") == 0) {
        communicators();
    } else {
        pthread_barrier_init(&all_are_done, NULL, THREADS);
        for (long i = 0; i < THREADS; i++)
            MPI_Comm_dup(MPI_COMM_SELF, &own[i]);
        for (long i = 1; i < THREADS; i++)
            CHECK(pthread_create(&threads[i], NULL, late, (void *)i) == 0);
        late(NULL);
        for (long i = 1; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    MPI_Finalize();
    return 0;
}
