/* leaving.c: exit in the middle, with functions open and a handler that communicates. Usage: leaving [N] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static void finish(void) {
    MPI_Barrier(MPI_COMM_SELF);
    MPI_Finalize();
    puts("finished");
}

static void descend(int n) {
    MPI_Barrier(MPI_COMM_SELF);
    if (n == 0)
        exit(3);
    descend(n - 1);
}

static __attribute__((constructor)) void before(void) {
    puts("constructed");
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    atexit(finish);
    descend(argc > 1 ? atoi(argv[1]) : 3);
    return 0;
}
