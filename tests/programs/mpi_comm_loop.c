/* mpi_comm_loop.c: communicators made and freed in a loop, far more of them than are open at once. */
#include "mpi_check.h"

int main(int argc, char **argv) {
    long total = 0;
    MPI_Init(&argc, &argv);
    int rounds = argc > 1 ? atoi(argv[1]) : 10000, rank = rank_in(MPI_COMM_WORLD);
    for (int i = 0; i < rounds; i++) {
        MPI_Comm comm, part;
        int value = rank + i % 5;
        MPI_Comm_dup(MPI_COMM_WORLD, &comm);
        MPI_Comm_split(comm, (rank + i) % 2, rank, &part);
        MPI_Bcast(&value, 1, MPI_INT, 0, part);
        total += value;
        MPI_Comm_free(&comm);
        MPI_Comm_free(&part);
    }
    report("mpi_comm_loop", total);
    MPI_Finalize();
    return 0;
}
