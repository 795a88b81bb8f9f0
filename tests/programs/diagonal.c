/* diagonal.c: cells of a grid that lie on a diagonal: on each axis one of a rank's cells has no neighbour, another one
 * on each rank. diagonal [STEPS] */
#include <mpi.h>
#include <stdlib.h>

enum { CELLS = 16, AXES = 3 };

int main(int argc, char **argv) {
    int rank, size, steps = argc > 1 ? atoi(argv[1]) : 4, flag;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int step = 0; step < steps; step++)
        for (int axis = 0; axis < AXES; axis++) {
            int without = (rank * (axis + 1) + 3 * axis + (step == 0)) % CELLS;
            for (int cell = 0; cell < CELLS; cell++) {
                MPI_Initialized(&flag);
                if (cell != without)
                    MPI_Comm_size(MPI_COMM_WORLD, &size);
            }
        }
    MPI_Finalize();
    return 0;
}
