/* small_stack.c: a thread with a stack of 64 KiB waits for 4,000 requests at a time and polls as many, without
 * statuses of its own. A tracer that takes them from the thread's stack overflows it. */
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MESSAGES 4000 /* half of them receives */
#define STACK_BYTES (64 << 10)

static MPI_Request requests[MESSAGES];
static int in[MESSAGES / 2], out[MESSAGES / 2];

static void post(void) {
    for (int i = 0; i < MESSAGES / 2; i++)
        MPI_Irecv(&in[i], 1, MPI_INT, 0, i % 7, MPI_COMM_SELF, &requests[i]);
    for (int i = 0; i < MESSAGES / 2; i++)
        MPI_Isend(&out[i], 1, MPI_INT, 0, i % 7, MPI_COMM_SELF, &requests[MESSAGES / 2 + i]);
}

static void *communicate(void *unused) {
    int done = 0, index, n = 0, indices[64];
    post();
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    post();
    while (!done)
        MPI_Testall(MESSAGES, requests, &done, MPI_STATUSES_IGNORE);
    post();
    MPI_Waitany(MESSAGES, requests, &index, MPI_STATUS_IGNORE);
    MPI_Testsome(64, requests, &n, indices, MPI_STATUSES_IGNORE);
    MPI_Waitall(MESSAGES, requests, MPI_STATUSES_IGNORE);
    return unused;
}

int main(int argc, char **argv) {
    int provided;
    pthread_t thread;
    pthread_attr_t attributes;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_SERIALIZED, &provided);
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, STACK_BYTES);
    if (pthread_create(&thread, &attributes, communicate, NULL) != 0 || pthread_join(thread, NULL) != 0)
        return 1;
    puts("done");
    MPI_Finalize();
    return 0;
}
