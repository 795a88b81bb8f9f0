// Eight messages of one channel are under way at once: each has one byte more than the one before.
#include <mpi.h>
#include <unistd.h>

int main(int argc, char **argv) {
    char bytes[8] = {0};
    int rank;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        for (int n = 1; n <= 8; n++) {
            MPI_Send(bytes, n, MPI_CHAR, 1, 0, MPI_COMM_WORLD);
            usleep(1000);
        }
    MPI_Barrier(MPI_COMM_WORLD);
    if (rank == 1)
        for (int n = 1; n <= 8; n++)
            MPI_Recv(bytes, n, MPI_CHAR, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Finalize();
    return 0;
}
