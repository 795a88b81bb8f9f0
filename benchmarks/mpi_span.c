/* mpi_span.c: preloaded; rank 0 prints the nanoseconds from the end of its first MPI_Barrier to the beginning of its
 * MPI_Finalize ("span 123456789" on standard error). For programs that are not traced (compensate.sh).
 */
#define _GNU_SOURCE
#include <mpi.h>
#include <stdio.h>
#include <time.h>

static struct timespec begun;

int MPI_Barrier(MPI_Comm comm) {
    int status = PMPI_Barrier(comm);
    if (begun.tv_sec == 0)
        clock_gettime(CLOCK_MONOTONIC, &begun);
    return status;
}

int MPI_Finalize(void) {
    struct timespec ended;
    int rank;
    clock_gettime(CLOCK_MONOTONIC, &ended);
    PMPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        fprintf(stderr, "span %lld\n", (ended.tv_sec - begun.tv_sec) * 1000000000LL + (ended.tv_nsec - begun.tv_nsec));
    return PMPI_Finalize();
}
