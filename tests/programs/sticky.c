/* sticky.c: branches that mostly stay as they were, turns that alternate, partners' sizes that come in runs, and phases
 * in which they do so differently: random, but it can be learned. On one rank. Usage: sticky [SEED [STEPS]] */
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

/* One of `n` values. It differs from the last one with the probability 1 / seldom. */
static unsigned sticky(unsigned *value, unsigned n, unsigned seldom) {
    if (chance(seldom) == 0)
        *value = (*value + 1 + chance(n - 1)) % n;
    return *value;
}

int main(int argc, char **argv) {
    uint64_t seed = argc > 1 ? strtoull(argv[1], NULL, 0) : 1;
    long steps = argc > 2 ? atol(argv[2]) : 10000;
    unsigned often = 0, turns = 0, way = 0, size = 0;
    double a = 1, b;
    char out[64], in[64];
    state = seed * 0x9e3779b97f4a7c15u | 1;
    MPI_Init(&argc, &argv);
    for (long i = 0; i < steps; i++) {
        if (sticky(&often, 2, i < steps / 2 ? 10 : 30))
            MPI_Barrier(MPI_COMM_SELF);
        if (chance(8) > 0)
            turns ^= 1;
        if (turns)
            MPI_Allreduce(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        else
            MPI_Scan(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
        switch (sticky(&way, 4, i < steps / 2 ? 15 : 5)) {
        case 0:
            MPI_Bcast(out, 8, MPI_CHAR, 0, MPI_COMM_SELF);
            break;
        case 1:
            MPI_Sendrecv(out, 1 << sticky(&size, 6, 12), MPI_CHAR, 0, 1, in, 64, MPI_CHAR, 0, 1, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
            break;
        case 2:
            MPI_Exscan(&a, &b, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_SELF);
            break;
        default:
            MPI_Gather(out, 4, MPI_CHAR, in, 4, MPI_CHAR, 0, MPI_COMM_SELF);
        }
    }
    MPI_Finalize();
    return 0;
}
