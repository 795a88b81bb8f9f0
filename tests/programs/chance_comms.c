/* chance_comms.c: receives in two communicators of the same processes, in opposite order, from one call site and from
 * random partners: so a rank of one is another process in the other. In every Nth step it is the second
 * communicator; with N = 0 it is random, too. All ranks do the same. Usage: chance_comms [SEED [STEPS [N]]] */
#include <mpi.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t state;

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm comms[2];
    int rank, size, at, got, value = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    comms[0] = MPI_COMM_WORLD;
    MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, &comms[1]);
    state = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 0x9e3779b97f4a7c15u | 1;
    long every = argc > 3 ? atol(argv[3]) : 0;
    for (long steps = argc > 2 ? atol(argv[2]) : 1000; steps > 0; steps--) {
        unsigned which = every ? steps % every == 0 : chance(4) == 0;
        int distance = which ? 1 : (int)chance(2), tag = (int)chance(3);
        MPI_Request requests[2];
        MPI_Comm_rank(comms[which], &at);
        MPI_Irecv(&got, 1, MPI_INT, (at + distance) % size, tag, comms[which], &requests[0]);
        MPI_Isend(&value, 1, MPI_INT, (at + size - distance) % size, tag, comms[which], &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
