/* mpi_threads.c: MPI_THREAD_MULTIPLE: threads that communicate side by side, each in a communicator of its own, and
 * requests that one thread posts and another completes. */
#include "mpi_check.h"
#include <pthread.h>

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
    for (int i = 0; i < THREADS; i++) {
        total += sums[i];
        MPI_Comm_free(&comms[i]);
    }
    report("mpi_threads", total);
    MPI_Finalize();
    return 0;
}
