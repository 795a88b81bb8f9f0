/* grid.h: a plate of `rows` by `columns`, cut into strips of rows, one for each rank. */
#ifndef HEAT_GRID_H
#define HEAT_GRID_H

struct grid {
    int rows, columns;   /* of the whole plate */
    int first, count;    /* rows of this rank */
    double *now, *next;  /* count + 2 rows each: one more above and below */
};

int grid_make(struct grid *grid, int rows, int columns);
void grid_free(struct grid *grid);

/* One step; returns how much the cells of this rank changed, summed. */
double grid_step(struct grid *grid);

static inline double *grid_row(double *cells, const struct grid *grid, int row) {
    return cells + (long)(row + 1) * grid->columns;
}

#endif
