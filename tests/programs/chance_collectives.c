/* chance_collectives.c: random collectives on three communicators, until the memory is full. Then broadcasts and
 * reductions on one of them that can be recognised by their sizes, from 1000 bytes on. All ranks draw the same numbers.
 * Usage: chance_collectives SEED STEPS */
#include "chance.h"

#include <stdlib.h>

#define LATE 300
#define COMMS 3

static char out[4096], in[4096];

int main(int argc, char **argv) {
    MPI_Comm comms[COMMS] = {MPI_COMM_WORLD};
    MPI_Init(&argc, &argv);
    chance_begin(argc > 1 ? strtoull(argv[1], NULL, 0) : 1, MPI_COMM_WORLD);
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_dup(MPI_COMM_WORLD, &comms[i]);
    for (long steps = argc > 2 ? atol(argv[2]) : 3000; steps > 0; steps--) {
        chance_spend(1);
        int bytes = (int)chance(900), root = (int)chance((unsigned)chance_ranks.size);
        MPI_Comm comm = comms[chance(COMMS)];
        if (chance(2))
            MPI_Bcast(out, bytes, MPI_CHAR, root, comm);
        else if (chance(3))
            MPI_Allreduce(out, in, bytes, MPI_CHAR, MPI_MAX, comm);
        else
            MPI_Reduce(out, in, bytes, MPI_CHAR, MPI_MAX, root, comm);
    }
    for (int i = 0; i < LATE; i++) {
        MPI_Bcast(out, 1000 + i, MPI_CHAR, 0, comms[1]);
        MPI_Allreduce(out, in, 2000 + i, MPI_CHAR, MPI_MAX, comms[1]);
    }
    for (int i = 1; i < COMMS; i++)
        MPI_Comm_free(&comms[i]);
    return MPI_Finalize();
}
