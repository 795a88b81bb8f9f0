/* grid.c: the strip of one rank (grid.h). */
#include "heat/grid.h"
#include "heat/halo.h"
#include <stdlib.h>

int grid_make(struct grid *grid, int rows, int columns) {
    int rank, ranks;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    grid->rows = rows;
    grid->columns = columns;
    grid->first = rows * rank / ranks;
    grid->count = rows * (rank + 1) / ranks - grid->first;
    grid->now = calloc((size_t)(grid->count + 2) * (size_t)columns, sizeof *grid->now);
    grid->next = calloc((size_t)(grid->count + 2) * (size_t)columns, sizeof *grid->next);
    if (!grid->now || !grid->next)
        return -1;
    for (int row = 0; row < grid->count; row++) /* warm at the left edge */
        grid_row(grid->now, grid, row)[0] = grid_row(grid->next, grid, row)[0] = 100;
    return 0;
}

void grid_free(struct grid *grid) {
    free(grid->now);
    free(grid->next);
}

double grid_step(struct grid *grid) {
    double changed = 0, *swap;
    if (grid->count > 0)
        halo_exchange(grid_row(grid->now, grid, 0), grid_row(grid->now, grid, grid->count - 1), grid->columns);
    for (int row = 0; row < grid->count; row++) {
        double *above = grid_row(grid->now, grid, row - 1), *here = grid_row(grid->now, grid, row);
        double *below = grid_row(grid->now, grid, row + 1), *new = grid_row(grid->next, grid, row);
        if (grid->first + row == 0 || grid->first + row == grid->rows - 1)
            continue;
        for (int column = 1; column < grid->columns - 1; column++) {
            new[column] = (above[column] + below[column] + here[column - 1] + here[column + 1]) / 4;
            changed += new[column] > here[column] ? new[column] - here[column] : here[column] - new[column];
        }
    }
    swap = grid->now;
    grid->now = grid->next;
    grid->next = swap;
    return changed;
}
