/* mpi_threads.c: MPI_THREAD_MULTIPLE: threads that communicate side by side, each in a communicator of its own, and
 * requests that one thread posts and another completes, or waits for while they are cancelled. */
#include "mpi_check.h"
#include <pthread.h>
#include <unistd.h>

#define THREADS 4
#define ROUNDS 100

static MPI_Comm comms[THREADS];
static MPI_Request handed[ROUNDS][2];
static int handed_in[ROUNDS], handed_out[ROUNDS];
static long sums[THREADS];

static void *ring(void *argument) {
    long me = (long)argument;
    MPI_Comm comm = comms[me];
    int rank = rank_in(comm), size = size_of(comm), got, out;
    for (int i = 0; i < ROUNDS; i++) {
        MPI_Request requests[2];
        out = rank * 100 + i;
        MPI_Irecv(&got, 1, MPI_INT, (rank + size - 1) % size, i % 3, comm, &requests[0]);
        MPI_Isend(&out, 1, MPI_INT, (rank + 1) % size, i % 3, comm, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
        CHECK(got == (rank + size - 1) % size * 100 + i);
        sums[me] += got;
        if (i % 50 == 0)
            MPI_Barrier(comm);
    }
    return NULL;
}

/* Completes what the main thread has posted. */
static void *complete(void *argument) {
    (void)argument;
    for (int i = 0; i < ROUNDS; i++)
        MPI_Waitall(2, handed[i], MPI_STATUSES_IGNORE);
    return NULL;
}

#define LISTENED 3
static MPI_Request listened[LISTENED];
static int heard[LISTENED];

/* Waits until all receives have completed or are cancelled, as a thread that serves others does. The second one gets
 * its message. */
static void *listen_until_cancelled(void *cancelled) {
    MPI_Status statuses[LISTENED];
    int flag;
    MPI_Wait(&listened[0], &statuses[0]);
    MPI_Waitall(LISTENED - 1, &listened[1], &statuses[1]);
    for (int i = 0; i < LISTENED; i++) {
        MPI_Test_cancelled(&statuses[i], &flag);
        CHECK(flag == (i != 1));
        *(long *)cancelled += flag;
    }
    return NULL;
}

static long cancel_while_waited_for(int rank, int size) {
    long cancelled = 0;
    pthread_t thread;
    MPI_Request copies[LISTENED];
    if (size == 1) /* some MPICH does not wake who waits for itself */
        return 0;
    for (int i = 0; i < LISTENED; i++)
        MPI_Irecv(&heard[i], 1, MPI_INT, (rank + size - 1) % size, 20 + i, MPI_COMM_WORLD, &listened[i]);
    for (int i = 0; i < LISTENED; i++)
        copies[i] = listened[i];
    pthread_create(&thread, NULL, listen_until_cancelled, &cancelled);
    MPI_Send(&rank, 1, MPI_INT, (rank + 1) % size, 21, MPI_COMM_WORLD);
    for (int i = 0; i < LISTENED; i += 2) {
        usleep(20000); /* most likely it waits by then */
        MPI_Cancel(&copies[i]);
    }
    pthread_join(thread, NULL);
    CHECK(heard[1] == (rank + size - 1) % size);
    return cancelled;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[THREADS];
    long total = 0;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        printf("mpi_threads: no MPI_THREAD_MULTIPLE here\n");
        MPI_Finalize();
        return 0;
    }
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    for (int i = 0; i < THREADS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (long i = 1; i < THREADS; i++)
        pthread_create(&threads[i], NULL, ring, (void *)i);
    ring((void *)0);
    for (int i = 1; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int round = 0; round < 2; round++) {
        for (int i = 0; i < ROUNDS; i++) {
            handed_out[i] = rank + i;
            MPI_Irecv(&handed_in[i], 1, MPI_INT, (rank + size - 1) % size, 7, MPI_COMM_WORLD, &handed[i][0]);
            MPI_Isend(&handed_out[i], 1, MPI_INT, (rank + 1) % size, 7, MPI_COMM_WORLD, &handed[i][1]);
        }
        pthread_create(&threads[1], NULL, complete, NULL);
        pthread_join(threads[1], NULL);
        for (int i = 0; i < ROUNDS; i++)
            total += handed_in[i];
    }
    total += cancel_while_waited_for(rank, size);
    for (int i = 0; i < THREADS; i++) {
        total += sums[i];
        MPI_Comm_free(&comms[i]);
    }
    report("mpi_threads", total);
    MPI_Finalize();
    return 0;
}
