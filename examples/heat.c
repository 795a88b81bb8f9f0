/* heat.c: heat flows along a rod that is divided among the ranks (mpicc or refrain-mpicc heat.c -o heat). */
#include <mpi.h>
#include <stdio.h>

enum { CELLS = 1000, STEPS = 200 };
static double rod[CELLS + 2], next[CELLS + 2];
static int rank, size;

/* Gives the neighbours the cells at this rank's ends. */
static void exchange(void) {
    if (rank > 0)
        MPI_Sendrecv(&rod[1], 1, MPI_DOUBLE, rank - 1, 1, &rod[0], 1, MPI_DOUBLE, rank - 1, 2, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    if (rank < size - 1)
        MPI_Sendrecv(&rod[CELLS], 1, MPI_DOUBLE, rank + 1, 2, &rod[CELLS + 1], 1, MPI_DOUBLE, rank + 1, 1,
                     MPI_COMM_WORLD, MPI_STATUS_IGNORE);
}

/* One step of time; returns how much the cells changed. */
static double step(void) {
    double change = 0;
    for (int i = 1; i <= CELLS; i++) {
        next[i] = rod[i] + 0.25 * (rod[i - 1] - 2 * rod[i] + rod[i + 1]);
        change += (next[i] - rod[i]) * (next[i] - rod[i]);
    }
    for (int i = 1; i <= CELLS; i++)
        rod[i] = next[i];
    return change;
}

int main(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    if (rank == 0)
        rod[0] = 100;
    for (int time = 1; time <= STEPS; time++) {
        exchange();
        double change = step(), total;
        if (time % 10 == 0) {
            MPI_Allreduce(&change, &total, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
            if (rank == 0 && time % 50 == 0)
                printf("step %d: change %g\n", time, total);
        }
    }
    return MPI_Finalize();
}
