/* quiet_threads.c: what quiet.c does, by several threads at once, each with communicators of its own: sites become
 * quiet and come back while other threads are between a site and its call. Prints how many are quiet in the middle and
 * at the end.
 */
#include "count_quiet.h"
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>

#define THREADS 4
#define TIMES 3000
#define LATE (TIMES / 2)
#define MIDDLE (LATE - 100)

struct thread {
    pthread_t id;
    MPI_Comm comm, other;
    unsigned quiet; /* sites in the middle */
};

static pthread_barrier_t all, begun;

/* Two calls, or one, made of three, of which the third is come to when the others are quiet. */
static __attribute__((noinline)) void alike(MPI_Comm comm, int i) {
    int data[2] = {0, 0};
    if (i & 4)
        MPI_Bcast(data, 1, MPI_INT, 0, comm);
    else if (i < LATE)
        MPI_Bcast(data, 2, MPI_INT, 0, comm);
    else
        MPI_Bcast(data, 1, MPI_INT, 0, comm);
}

static __attribute__((noinline)) int tail(const struct thread *thread, int i) {
    return i % 2 ? MPI_Barrier(thread->comm) : MPI_Barrier(thread->other);
}

static __attribute__((noinline)) int size_of(MPI_Comm comm) {
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

/* Calls without a place, which return to addresses that are new while sites are quiet. */
static __attribute__((noinline)) void call_unknown(MPI_Comm comm, int which) {
    int (*volatile barrier)(MPI_Comm) = MPI_Barrier, (*volatile ask)(MPI_Comm, int *) = MPI_Comm_rank, unused;
    if (which == 0)
        barrier(comm);
    else if (which % 2)
        ask(comm, &unused);
    else
        barrier(comm), ask(comm, &unused);
}

static void *work(void *data) {
    struct thread *thread = data;
    int word = 0;
    MPI_Barrier(thread->comm);
    pthread_barrier_wait(&begun); /* threads are numbered in the order of their first events */
    pthread_barrier_wait(&all);
    for (int i = 0; i < TIMES; i++) {
        if (i == MIDDLE) {
            pthread_barrier_wait(&all);
            thread->quiet = count_quiet();
            pthread_barrier_wait(&all);
        }
        alike(thread->comm, i);
        tail(thread, i);
        MPI_Bcast(&word, i % 3 ? size_of(thread->comm) : 1, MPI_INT, 0, thread->comm);
        if (i % 500 == 499)
            call_unknown(thread->comm, i / 500);
    }
    return NULL;
}

int main(int argc, char **argv) {
    struct thread threads[THREADS];
    int provided;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (provided < MPI_THREAD_MULTIPLE) {
        fputs("no MPI_THREAD_MULTIPLE here\n", stderr);
        MPI_Abort(MPI_COMM_WORLD, 1);
    }
    pthread_barrier_init(&all, NULL, THREADS);
    pthread_barrier_init(&begun, NULL, 2);
    for (int t = 0; t < THREADS; t++) {
        MPI_Comm_dup(MPI_COMM_SELF, &threads[t].comm);
        MPI_Comm_dup(MPI_COMM_SELF, &threads[t].other);
    }
    for (int t = 0; t < THREADS; t++) {
        pthread_create(&threads[t].id, NULL, work, &threads[t]);
        pthread_barrier_wait(&begun);
    }
    for (int t = 0; t < THREADS; t++)
        pthread_join(threads[t].id, NULL);
    fprintf(stderr, "quiet %u %u\n", threads[0].quiet, count_quiet());
    for (int t = 0; t < THREADS; t++) {
        MPI_Comm_free(&threads[t].comm);
        MPI_Comm_free(&threads[t].other);
    }
    pthread_barrier_destroy(&begun);
    pthread_barrier_destroy(&all);
    MPI_Finalize();
    return 0;
}
