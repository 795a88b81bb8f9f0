/* mpi_unequal.c: ranks that do different things a different number of times, and one that does nothing. */
#include "mpi_check.h"

int main(int argc, char **argv) {
    long total = 0;
    MPI_Init(&argc, &argv);
    int rank = rank_in(MPI_COMM_WORLD), size = size_of(MPI_COMM_WORLD);
    /* rank r sends r * r messages to rank 0, of r numbers each; the last rank none */
    if (rank == 0) {
        for (int source = 1; source < size - 1; source++)
            for (int i = 0; i < source * source; i++) {
                int in[64];
                MPI_Recv(in, source, MPI_INT, source, i, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
                total += in[source - 1];
            }
    } else if (rank < size - 1) {
        int out[64];
        volatile double x = 0;
        CHECK(rank < 64);
        for (int i = 0; i < rank * rank; i++) {
            for (int k = 0; k < rank * 1000; k++)
                x += k;
            for (int k = 0; k < rank; k++)
                out[k] = i;
            MPI_Send(out, rank, MPI_INT, 0, i, MPI_COMM_WORLD);
        }
    }
    report("mpi_unequal", total);
    MPI_Finalize();
    return 0;
}
