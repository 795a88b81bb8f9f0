/* sites.c: calls of one MPI function from several functions, by two threads. Without debug information only their
 * addresses differ. For test_view.sh, compiled with and without -g, and stripped. */
#include <mpi.h>
#include <pthread.h>

#define ROUNDS 3

__attribute__((noinline)) static void first(MPI_Comm comm) {
    MPI_Barrier(comm);
}

__attribute__((noinline)) static void second(MPI_Comm comm) {
    MPI_Barrier(comm);
    __asm__ volatile("" ::: "memory"); /* no tail call */
}

__attribute__((noinline)) static void exchange(MPI_Comm comm, int rank) {
    int value = rank;
    MPI_Sendrecv_replace(&value, 1, MPI_INT, 1 - rank, 0, 1 - rank, 0, comm, MPI_STATUS_IGNORE);
}

static void *rounds(void *argument) {
    MPI_Comm comm = *(MPI_Comm *)argument;
    int rank;
    MPI_Comm_rank(comm, &rank);
    for (int i = 0; i < ROUNDS; i++) {
        first(comm);
        exchange(comm, rank);
        second(comm);
    }
    return NULL;
}

int main(int argc, char **argv) {
    int provided, value = 1, sum;
    pthread_t thread;
    MPI_Comm comms[2];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    for (int i = 0; i < 2; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    if (provided != MPI_THREAD_MULTIPLE || pthread_create(&thread, NULL, rounds, &comms[1]) != 0)
        MPI_Abort(MPI_COMM_WORLD, 1);
    rounds(&comms[0]);
    pthread_join(thread, NULL);
    MPI_Allreduce(&value, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalize();
    return sum == 2 ? 0 : 1;
}
