/* random.c: nothing repeats: partners of messages to oneself, tags, sizes, branches and loop counts are random, by seed.
 * Usage: random [STEPS] */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

static uint64_t state = 88172645463325252u;

static unsigned below(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

static long messages;

static void message(void) {
    messages++;
    static char data[1000], got[1000];
    int tag = (int)below(30000);
    MPI_Sendrecv(data, (int)below(1000), MPI_CHAR, 0, tag, got, 1000, MPI_CHAR, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}

static void either(void) {
    if (below(2))
        message();
    else
        for (unsigned i = below(8); i > 0; i--)
            MPI_Barrier(MPI_COMM_SELF);
}

int main(int argc, char **argv) {
    long steps = argc > 1 ? atol(argv[1]) : 20000;
    MPI_Init(&argc, &argv);
    for (long i = 0; i < steps; i++) {
        if (below(3))
            message();
        else
            either();
    }
    printf("%ld messages and %u\n", messages, below(1000));
    MPI_Finalize();
    return 0;
}
