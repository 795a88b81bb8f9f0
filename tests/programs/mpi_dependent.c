/* mpi_dependent.c: partners change without a rule, but each has its tag, and each tag its size. */
#include "mpi_check.h"

#define STEPS 1500
#define MOST 64

static unsigned chance(unsigned *state) {
    *state = *state * 1103515245u + 12345u;
    return *state >> 16;
}

static int tag_of(int distance) {
    return 100 + 37 * distance % 11;
}

static int longs_of(int tag) {
    return 1 + tag % 7;
}

int main(int argc, char **argv) {
    long to[MOST] = {0}, from[MOST], sum = 0;
    unsigned state = 1;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    for (int step = 0; step < STEPS; step++) {
        int distance = (int)(chance(&state) % (unsigned)size), tag = tag_of(distance), n = longs_of(tag);
        int dest = (rank + distance) % size, source = (rank - distance + size) % size, received;
        MPI_Request request;
        MPI_Status status;
        to[0] = rank + step;
        if (step % 2) {
            MPI_Sendrecv(to, n, MPI_LONG, dest, tag, from, MOST, MPI_LONG, source, MPI_ANY_TAG, MPI_COMM_WORLD, &status);
        } else {
            MPI_Irecv(from, MOST, MPI_LONG, source, tag, MPI_COMM_WORLD, &request);
            MPI_Send(to, n, MPI_LONG, dest, tag, MPI_COMM_WORLD);
            MPI_Wait(&request, &status);
        }
        MPI_Get_count(&status, MPI_LONG, &received);
        CHECK(received == n && status.MPI_TAG == tag && from[0] == source + step);
        sum += from[0] % 1000 + received;
    }
    report("mpi_dependent", sum);
    MPI_Finalize();
    return 0;
}
