/* plate.c: layout of the plate and halo exchange. */
#include "plate.h"

#include <stdlib.h>

enum { TAG_UP = 1, TAG_DOWN, TAG_LEFT, TAG_RIGHT };

bool plate_open(struct plate *p, const struct workload *w) {
    int sides[2] = {0, 0}, periodic[2] = {0, 0}, place[2];
    MPI_Dims_create(w->ranks, 2, sides);
    if (w->size < sides[0] || w->size < sides[1])
        return false;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, periodic, 0, &p->grid);
    MPI_Cart_coords(p->grid, w->rank, 2, place);
    MPI_Cart_shift(p->grid, 0, 1, &p->up, &p->down);
    MPI_Cart_shift(p->grid, 1, 1, &p->left, &p->right);
    p->n = w->size;
    p->first_row = workload_split(p->n, sides[0], place[0]);
    p->rows = workload_split(p->n, sides[0], place[0] + 1) - p->first_row;
    p->first_column = workload_split(p->n, sides[1], place[1]);
    p->columns = workload_split(p->n, sides[1], place[1] + 1) - p->first_column;
    MPI_Type_vector((int)p->rows, 1, (int)p->columns + 2, MPI_DOUBLE, &p->column);
    MPI_Type_commit(&p->column);
    long points = (p->rows + 2) * (p->columns + 2);
    p->now = NEW(double, points);
    p->next = NEW(double, points);
    p->before = NEW(double, points);
    return true;
}

void plate_close(struct plate *p) {
    free(p->now);
    free(p->next);
    free(p->before);
    MPI_Type_free(&p->column);
    MPI_Comm_free(&p->grid);
}

void plate_exchange(const struct plate *p, double *array) {
    MPI_Request requests[8];
    MPI_Status statuses[8];
    double *first = &PLATE_AT(p, array, 1, 1), *last_row = &PLATE_AT(p, array, p->rows, 1);
    double *last_column = &PLATE_AT(p, array, 1, p->columns);
    int columns = (int)p->columns;
    MPI_Irecv(&PLATE_AT(p, array, 0, 1), columns, MPI_DOUBLE, p->up, TAG_DOWN, p->grid, &requests[0]);
    MPI_Irecv(&PLATE_AT(p, array, p->rows + 1, 1), columns, MPI_DOUBLE, p->down, TAG_UP, p->grid, &requests[1]);
    MPI_Irecv(&PLATE_AT(p, array, 1, 0), 1, p->column, p->left, TAG_RIGHT, p->grid, &requests[2]);
    MPI_Irecv(&PLATE_AT(p, array, 1, p->columns + 1), 1, p->column, p->right, TAG_LEFT, p->grid, &requests[3]);
    MPI_Isend(first, columns, MPI_DOUBLE, p->up, TAG_UP, p->grid, &requests[4]);
    MPI_Isend(last_row, columns, MPI_DOUBLE, p->down, TAG_DOWN, p->grid, &requests[5]);
    MPI_Isend(first, 1, p->column, p->left, TAG_LEFT, p->grid, &requests[6]);
    MPI_Isend(last_column, 1, p->column, p->right, TAG_RIGHT, p->grid, &requests[7]);
    MPI_Waitall(8, requests, statuses);
}
