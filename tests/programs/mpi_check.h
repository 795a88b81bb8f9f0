/* mpi_check.h: shared by the MPI test programs: a check that prints where it failed, and a last line that says that all
 * is well. The programs run on any number of ranks, and their output does not depend on a tracer. */
#ifndef MPI_CHECK_H
#define MPI_CHECK_H

#include <mpi.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                                               \
    do {                                                                                                               \
        if (!(condition)) {                                                                                            \
            fprintf(stderr, "%s:%d: check failed: %s\n", __FILE__, __LINE__, #condition);                              \
            MPI_Abort(MPI_COMM_WORLD, 1);                                                                              \
        }                                                                                                              \
    } while (0)

/* To be called between two tests of something that has not happened yet: others may need the processor for it. */
static inline int not_yet(int flag) {
    if (!flag)
        sched_yield();
    return !flag;
}

static inline int rank_in(MPI_Comm comm) {
    int rank;
    MPI_Comm_rank(comm, &rank);
    return rank;
}

static inline int size_of(MPI_Comm comm) {
    int size;
    MPI_Comm_size(comm, &size);
    return size;
}

/* Rank 0 prints the sum over all ranks. */
static inline void report(const char *program, long value) {
    long sum = 0;
    MPI_Reduce(&value, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank_in(MPI_COMM_WORLD) == 0)
        printf("%s: %ld\n", program, sum);
}

#endif
