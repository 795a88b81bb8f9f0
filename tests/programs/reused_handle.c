/* reused_handle.c: on one rank, with MPI_THREAD_MULTIPLE: a thread waits for a request that another one has posted;
 * before its MPI_Wait is back, the other one is given the same handle for another receive and has waited for that. The
 * order is made by a PMPI_Wait of the program's own. Prints whether the handles were the same. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <mpi.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>

static MPI_Request first, second;
static sem_t over, go_on;
static _Thread_local int holds;

int PMPI_Wait(MPI_Request *request, MPI_Status *status) {
    int (*wait)(MPI_Request *, MPI_Status *) = (int (*)(MPI_Request *, MPI_Status *))dlsym(RTLD_NEXT, "PMPI_Wait");
    int rc = wait(request, status);
    if (holds) {
        sem_post(&over);
        sem_wait(&go_on);
    }
    return rc;
}

static void *wait_for_first(void *unused) {
    holds = 1;
    MPI_Wait(&first, MPI_STATUS_IGNORE);
    holds = 0;
    return unused;
}

int main(int argc, char **argv) {
    char in[2], out[2] = {0};
    int level;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &level);
    if (level < MPI_THREAD_MULTIPLE)
        return puts("no threads"), MPI_Finalize();
    sem_init(&over, 0, 0);
    sem_init(&go_on, 0, 0);
    MPI_Irecv(in, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD, &first);
    MPI_Request former = first;
    pthread_create(&thread, NULL, wait_for_first, NULL);
    MPI_Send(out, 1, MPI_CHAR, 0, 1, MPI_COMM_WORLD);
    sem_wait(&over);
    MPI_Irecv(in, 2, MPI_CHAR, 0, 2, MPI_COMM_WORLD, &second);
    puts(second == former ? "the same" : "others");
    MPI_Send(out, 2, MPI_CHAR, 0, 2, MPI_COMM_WORLD);
    MPI_Wait(&second, MPI_STATUS_IGNORE);
    sem_post(&go_on);
    pthread_join(thread, NULL);
    MPI_Finalize();
    return 0;
}
