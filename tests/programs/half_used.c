/* half_used.c: messages of random sizes, more than a small memory holds, at a few places. The memory that is reserved
 * for further places must then be used as well. */
#include <mpi.h>

int main(int argc, char **argv) {
    static char sent[4096], received[4096];
    unsigned chance = 1;
    int rank, size;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    for (int i = 0; i < 100000; i++) {
        chance = chance * 1103515245u + 12345;
        int bytes = (int)(chance >> 20);
        MPI_Sendrecv(sent, bytes, MPI_CHAR, (rank + 1) % size, 1 + (int)(chance >> 16) % 16, received, bytes, MPI_CHAR,
                     (rank + size - 1) % size, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (chance >> 31)
            MPI_Barrier(MPI_COMM_WORLD);
    }
    MPI_Finalize();
    return 0;
}
