/* chance_matches.c: random messages until the memory is full. Then messages of one channel that can be recognised by
 * their sizes, from 1000 bytes on. All ranks draw the same numbers. Usage: chance_matches SEED STEPS */
#include "chance.h"

#include <stdlib.h>

#define LATE 300

static char out[4096], in[4096];

int main(int argc, char **argv) {
    MPI_Request requests[2];
    MPI_Init(&argc, &argv);
    chance_begin(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, MPI_COMM_WORLD);
    int rank = chance_ranks.rank, size = chance_ranks.size, left = (rank + size - 1) % size, right = (rank + 1) % size;
    for (long steps = argc > 2 ? atol(argv[2]) : 3000; steps > 0; steps--) {
        chance_spend(1);
        int bytes = (int)chance(200), source = chance(2) ? MPI_ANY_SOURCE : left;
        MPI_Irecv(in, sizeof in, MPI_CHAR, source, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, bytes, MPI_CHAR, right, 5, MPI_COMM_WORLD, &requests[1]);
        if (chance(4) == 0)
            MPI_Request_free(&requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    for (int i = 0; i < LATE; i++) {
        MPI_Irecv(in, sizeof in, MPI_CHAR, left, 5, MPI_COMM_WORLD, &requests[0]);
        MPI_Isend(out, 1000 + i, MPI_CHAR, right, 5, MPI_COMM_WORLD, &requests[1]);
        MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    }
    return MPI_Finalize();
}
