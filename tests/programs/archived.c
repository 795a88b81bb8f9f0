/* archived.c [N]: N times a loop whose count has no rule; on each rank it is larger by the rank. */
#include <mpi.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, flag;
    int steps = argc > 1 ? atoi(argv[1]) : 400;
    unsigned random = 1;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < steps; i++) {
        random = random * 1103515245u + 12345u;
        for (int n = (int)(random >> 16) % 40 + 1 + rank; n > 0; n--)
            MPI_Iprobe(MPI_ANY_SOURCE, 0, MPI_COMM_SELF, &flag, MPI_STATUS_IGNORE);
    }
    MPI_Finalize();
    return 0;
}
