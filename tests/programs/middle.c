/* middle.c: a recursion that is entered in its middle. Its last call begins in a pause, which ends inside it, so the
 * rest of the call belongs to main: control continues there at a place that the recursion rarely reaches. Usage: middle
 * [SEED [STEPS]] */
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdint.h>
#include <stdlib.h>

static uint64_t state;
static long steps;

static unsigned chance(unsigned n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return (unsigned)((state >> 11) % n);
}

static void calls(unsigned depth) {
    if (steps-- % 512 == 0) {
        refrain_resume();
        MPI_Barrier(MPI_COMM_SELF);
    }
    if (depth > 0 && chance(2))
        calls(depth - 1);
    if (chance(2))
        MPI_Barrier(MPI_COMM_WORLD);
    if (depth > 0 && chance(2))
        calls(depth - 1);
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    state = (argc > 1 ? strtoull(argv[1], NULL, 0) : 1) * 0x9e3779b97f4a7c15u | 1;
    steps = argc > 2 ? atol(argv[2]) : 6000;
    while (steps > 512)
        calls(20);
    steps = 0;
    refrain_pause();
    calls(0);
    MPI_Finalize();
    return 0;
}
