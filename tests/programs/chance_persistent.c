/* chance_persistent.c: random control flow until the memory is full, then persistent requests that are made and begun
 * for the first time: a message to each rank, each begun a different number of times, in a random order. All
 * ranks draw the same numbers. Usage: chance_persistent [SEED [STEPS]] */
#include "chance.h"

#include <stdlib.h>

#define RANKS 8
#define STARTS 400

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm world = MPI_COMM_WORLD;
    MPI_Request requests[2 * RANKS];
    int rank, size, out = 0, in;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &size);
    chance_begin(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, world);
    chance_spend(argc > 2 ? atol(argv[2]) : 3000);
    for (int k = 0; k < size && k < RANKS; k++) {
        MPI_Recv_init(&in, 1, MPI_INT, (rank + size - k) % size, k, world, &requests[2 * k]);
        MPI_Send_init(&out, 1, MPI_INT, (rank + k) % size, k, world, &requests[2 * k + 1]);
    }
    for (int i = 0; i < STARTS; i++) {
        unsigned one = chance((unsigned)size), other = chance((unsigned)size), k = one < other ? one : other;
        MPI_Startall(2, &requests[2 * k]);
        MPI_Waitall(2, &requests[2 * k], MPI_STATUSES_IGNORE);
    }
    for (int k = 0; k < 2 * size && k < 2 * RANKS; k++)
        MPI_Request_free(&requests[k]);
    return MPI_Finalize();
}
