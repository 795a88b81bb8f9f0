/* short_threads.c THREADS AT_ONCE [leave]: many threads, AT_ONCE of them at a time. Each makes one or two MPI calls.
 * Every third one ends by pthread_exit() in the middle of a function. With `leave` the main thread ends before the last
 * one, which then ends the program. */
#include "mpi_check.h"
#include <pthread.h>
#include <string.h>

#define MOST_AT_ONCE 16

static pthread_t first;
static long at_once = 1;

/* Threads that run at the same time have tags of their own, or one would receive what another one sent. */
static void exchange(long i, long thread) {
    int out = (int)i, got = -1, tag = (int)(thread % at_once * 5 + i % 5);
    MPI_Sendrecv(&out, 1, MPI_INT, 0, tag, &got, 1, MPI_INT, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
    CHECK(got == out);
    if (i % 3 == 0)
        pthread_exit(NULL);
}

static void *work(void *argument) {
    long i = (long)argument;
    if (i % 2)
        exchange(3 * i + 1, i);
    exchange(i, i);
    return NULL;
}

static void *end(void *argument) {
    (void)argument;
    pthread_join(first, NULL);
    exchange(1, 0);
    MPI_Finalize();
    printf("short_threads: left\n");
    return NULL;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t threads[MOST_AT_ONCE];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    CHECK(argc > 2);
    long n = atol(argv[1]);
    at_once = atol(argv[2]);
    for (long i = 0; i < n; i += at_once) {
        for (long k = 0; k < at_once; k++)
            CHECK(pthread_create(&threads[k], NULL, work, (void *)(i + k)) == 0);
        for (long k = 0; k < at_once; k++)
            pthread_join(threads[k], NULL);
    }
    if (argc > 3 && strcmp(argv[3], "leave") == 0) {
        first = pthread_self();
        pthread_create(&threads[0], NULL, end, NULL);
        pthread_exit(NULL);
    }
    MPI_Finalize();
    printf("short_threads: %ld\n", n);
    return 0;
}
