/* late.c: random until the memory is full, then a regular phase at places that it reaches for the first time. Usage:
 * late [STEPS] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
static unsigned long s = 88172645463325252ul;
static unsigned chance(unsigned n) {
    s ^= s << 13;
    s ^= s >> 7;
    s ^= s << 17;
    return (unsigned)((s >> 11) % n);
}
static char out[4096], in[4096];
static void send(int tag, int bytes) {
    MPI_Sendrecv(out, bytes, MPI_CHAR, 0, tag, in, 4096, MPI_CHAR, 0, tag, MPI_COMM_SELF, MPI_STATUS_IGNORE);
}
static void regular(long n) {
    for (long i = 0; i < n; i++) {
        if (i % 3 == 0)
            MPI_Sendrecv(out, 8 * (int)(i % 2), MPI_CHAR, 0, 5, in, 4096, MPI_CHAR, 0, 5, MPI_COMM_SELF,
                         MPI_STATUS_IGNORE);
        else if (i % 3 == 1)
            MPI_Barrier(MPI_COMM_SELF);
        for (int k = 0; k < i % 4; k++)
            MPI_Bcast(in, k, MPI_CHAR, 0, MPI_COMM_SELF);
    }
}
int main(int argc, char **argv) {
    int r;
    long steps = argc > 1 ? atol(argv[1]) : 100000;
    MPI_Init(&argc, &argv);
    for (long i = 0; i < steps; i++) {
        if (chance(2))
            send((int)chance(1000), (int)chance(4096));
        if (chance(3))
            MPI_Comm_rank(MPI_COMM_WORLD, &r);
        else
            MPI_Comm_size(MPI_COMM_WORLD, &r);
        for (unsigned k = chance(5); k > 0; k--)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    regular(3000);
    MPI_Finalize();
    return 0;
}
