/* pencil.c: layout, face exchange, and the lines that the wavefront hands on. */
#include "pencil.h"

#include <stdlib.h>

enum { TAG_FACE_UP = 1, TAG_FACE_DOWN, TAG_LINE_X, TAG_LINE_Y };

/* Copies points [x0, x1) x [y0, y1) of plane k between an array of states and a buffer; returns the doubles. */
static int copy_points(const struct box *b, state *array, int x0, int x1, int y0, int y1, int k, double *buffer,
                       bool in) {
    int n = 0;
    for (int y = y0; y < y1; y++)
        for (int x = x0; x < x1; x++)
            FOR_UNKNOWNS(m) {
                double *point = &array[BOX_AT(b, x, y, k)][m];
                if (in)
                    *point = buffer[n++];
                else
                    buffer[n++] = *point;
            }
    return n;
}

/* Sends HALO layers of u to one neighbour while it gets those of the other. */
static void shift_faces(struct pencil *p, int axis, int to, int from, bool upward) {
    struct box *b = &p->box;
    int give = upward ? b->n[axis] - HALO : 0, take = upward ? -HALO : b->n[axis], n = 0, got = 0;
    int other = b->n[!axis];
    for (int k = 0; k < b->n[2]; k++)
        n += axis == 0 ? copy_points(b, b->u, give, give + HALO, 0, other, k, p->faces[0] + n, false)
                       : copy_points(b, b->u, 0, other, give, give + HALO, k, p->faces[0] + n, false);
    MPI_Sendrecv(p->faces[0], n, MPI_DOUBLE, to, upward ? TAG_FACE_UP : TAG_FACE_DOWN, p->faces[1], n, MPI_DOUBLE, from,
                 upward ? TAG_FACE_UP : TAG_FACE_DOWN, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    if (from == MPI_PROC_NULL)
        return;
    for (int k = 0; k < b->n[2]; k++)
        got += axis == 0 ? copy_points(b, b->u, take, take + HALO, 0, other, k, p->faces[1] + got, true)
                         : copy_points(b, b->u, 0, other, take, take + HALO, k, p->faces[1] + got, true);
}

void pencil_right_hand_side(struct pencil *p) {
    shift_faces(p, 0, p->east, p->west, true);
    shift_faces(p, 0, p->west, p->east, false);
    shift_faces(p, 1, p->north, p->south, true);
    shift_faces(p, 1, p->south, p->north, false);
    box_right_hand_side(&p->box, &p->fluid);
}

void pencil_open(struct pencil *p, const struct workload *w, double dt) {
    int columns = 1, rows = 1;
    while (columns * rows < w->ranks) {
        if (columns == rows)
            columns *= 2;
        else
            rows *= 2;
    }
    workload_require(w, w->size / columns >= HALO,
                     "--size %ld makes pencils of less than %d points on %d ranks: take at least %d", w->size, HALO,
                     w->ranks, HALO * columns);
    int column = w->rank % columns, row = w->rank / columns;
    p->w = w;
    p->west = column > 0 ? w->rank - 1 : MPI_PROC_NULL;
    p->east = column < columns - 1 ? w->rank + 1 : MPI_PROC_NULL;
    p->south = row > 0 ? w->rank - columns : MPI_PROC_NULL;
    p->north = row < rows - 1 ? w->rank + columns : MPI_PROC_NULL;
    int start[AXES] = {(int)workload_split(w->size, columns, column), (int)workload_split(w->size, rows, row), 0};
    int n[AXES] = {(int)workload_split(w->size, columns, column + 1) - start[0],
                   (int)workload_split(w->size, rows, row + 1) - start[1], (int)w->size};
    fluid_set(&p->fluid, w->size, dt);
    box_open(&p->box, &p->fluid, start, n);
    long side = UPPER(n[0], n[1]);
    p->line = NEW(double, side *UNKNOWNS);
    for (int i = 0; i < 2; i++)
        p->faces[i] = NEW(double, HALO *side *n[2] * UNKNOWNS);
    box_set_exact(&p->box, &p->fluid);
    box_right_hand_side(&p->box, &p->fluid);
    box_set_forcing(&p->box);
    box_set_start(&p->box, &p->fluid);
}

void pencil_close(struct pencil *p) {
    box_close(&p->box);
    free(p->line);
    free(p->faces[0]);
    free(p->faces[1]);
}

void pencil_wait(struct pencil *p, int k, bool lower) {
    struct box *b = &p->box;
    int from_x = lower ? p->west : p->east, from_y = lower ? p->south : p->north;
    int x = lower ? -1 : b->n[0], y = lower ? -1 : b->n[1];
    if (from_x != MPI_PROC_NULL) {
        MPI_Recv(p->line, b->n[1] * UNKNOWNS, MPI_DOUBLE, from_x, TAG_LINE_X, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        copy_points(b, b->rhs, x, x + 1, 0, b->n[1], k, p->line, true);
    }
    if (from_y != MPI_PROC_NULL) {
        MPI_Recv(p->line, b->n[0] * UNKNOWNS, MPI_DOUBLE, from_y, TAG_LINE_Y, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        copy_points(b, b->rhs, 0, b->n[0], y, y + 1, k, p->line, true);
    }
}

void pencil_pass_on(struct pencil *p, int k, bool lower) {
    struct box *b = &p->box;
    int to_x = lower ? p->east : p->west, to_y = lower ? p->north : p->south;
    int x = lower ? b->n[0] - 1 : 0, y = lower ? b->n[1] - 1 : 0;
    if (to_x != MPI_PROC_NULL) {
        int n = copy_points(b, b->rhs, x, x + 1, 0, b->n[1], k, p->line, false);
        MPI_Send(p->line, n, MPI_DOUBLE, to_x, TAG_LINE_X, MPI_COMM_WORLD);
    }
    if (to_y != MPI_PROC_NULL) {
        int n = copy_points(b, b->rhs, 0, b->n[0], y, y + 1, k, p->line, false);
        MPI_Send(p->line, n, MPI_DOUBLE, to_y, TAG_LINE_Y, MPI_COMM_WORLD);
    }
}
