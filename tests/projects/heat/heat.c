/* heat: how a plate with one warm edge warms up. Usage: heat [ROWS COLUMNS] */
#include "config.h"
#include "heat/grid.h"
#include "heat/norms.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double advance(void *data) {
    return grid_step(data);
}

static int report(int step, double norm, void *data) {
    struct grid *grid = data;
    double warmest = 0;
    for (int row = 0; row < grid->count; row++)
        if (grid_row(grid->now, grid, row)[grid->columns / 2] > warmest)
            warmest = grid_row(grid->now, grid, row)[grid->columns / 2];
    warmest = norms_largest(warmest);
    int rank;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0)
        printf("step %d: change %.3f, warmest in the middle %.3f\n", step, norm, warmest);
    return warmest > 40;
}

int main(int argc, char *argv[]) {
    struct grid grid;
    MPI_Init(&argc, &argv);
    int rows = argc > 2 ? atoi(argv[1]) : 32, columns = argc > 2 ? atoi(argv[2]) : 24;
    if (grid_make(&grid, rows, columns) != 0)
        MPI_Abort(MPI_COMM_WORLD, 2);
    int steps = norms_settle(advance, &grid, 1.5, 500, report);
    if (grid.first == 0)
        printf(HEAT_TITLE ": %d steps, version " HEAT_VERSION "\n", steps);
    grid_free(&grid);
    MPI_Finalize();
    return 0;
}
