/* cells.c: layout of the multi-partition, face exchange, pipelined sweeps. */
#include "cells.h"

#include <math.h>
#include <stdlib.h>

#define TAG_FACE(axis, side) (100 + 2 * (axis) + (side))
#define TAG_SWEEP(axis, forward) (200 + 2 * (axis) + (forward))
enum { BELOW, ABOVE };
enum { OUT, IN };

static int rank_at(int q, int column, int row) {
    return (column + q) % q + (row + q) % q * q;
}

static void lay_out(struct cells *c) {
    int q = c->q, column = c->w->rank % q, row = c->w->rank / q;
    for (int cell = 0; cell < q; cell++) {
        int place[AXES] = {(column + cell) % q, (row - cell + q) % q, cell}, start[AXES], n[AXES];
        for (int axis = 0; axis < AXES; axis++) {
            c->place[cell][axis] = place[axis];
            c->at_stage[axis][place[axis]] = cell;
            start[axis] = (int)workload_split(c->fluid.n, q, place[axis]);
            n[axis] = (int)workload_split(c->fluid.n, q, place[axis] + 1) - start[axis];
        }
        box_open(&c->boxes[cell], &c->fluid, start, n);
    }
    int step[AXES][2] = {{1, 0}, {0, 1}, {-1, 1}}; /* columns and rows from a cell to the next along each axis */
    for (int axis = 0; axis < AXES; axis++) {
        c->after[axis] = rank_at(q, column + step[axis][0], row + step[axis][1]);
        c->before[axis] = rank_at(q, column - step[axis][0], row - step[axis][1]);
    }
}

/* Copies the layers next to one side of a box out of it, or those beyond the side into its halo; returns the doubles.
 */
static int copy_layers(struct box *b, int axis, int side, int direction, double *buffer) {
    int p = (axis + 1) % AXES, q = (axis + 2) % AXES, n = 0;
    int first = side == BELOW ? (direction == OUT ? 0 : -HALO) : (direction == OUT ? b->n[axis] - HALO : b->n[axis]);
    for (int layer = first; layer < first + HALO; layer++)
        for (int j = 0; j < b->n[q]; j++)
            for (int i = 0; i < b->n[p]; i++) {
                int place[AXES];
                place[axis] = layer;
                place[p] = i;
                place[q] = j;
                double *u = b->u[BOX_AT(b, place[0], place[1], place[2])];
                FOR_UNKNOWNS(m) {
                    if (buffer && direction == OUT)
                        buffer[n] = u[m];
                    else if (buffer)
                        u[m] = buffer[n];
                    n++;
                }
            }
    return n;
}

/* All own cells that have a cell beyond this side, one after the other. */
static int copy_faces(struct cells *c, int axis, int side, int direction, double *buffer) {
    int n = 0, edge = side == BELOW ? 0 : c->q - 1;
    for (int cell = 0; cell < c->q; cell++)
        if (c->place[cell][axis] != edge)
            n += copy_layers(&c->boxes[cell], axis, side, direction, buffer ? buffer + n : NULL);
    return n;
}

static void exchange_faces(struct cells *c) {
    MPI_Request requests[4 * AXES];
    MPI_Status statuses[4 * AXES];
    int n = 0;
    if (c->q == 1)
        return;
    for (int axis = 0; axis < AXES; axis++)
        for (int side = BELOW; side <= ABOVE; side++) {
            int face = 2 * axis + side, partner = side == BELOW ? c->before[axis] : c->after[axis];
            MPI_Irecv(c->faces[face][IN], c->face_doubles[face][IN], MPI_DOUBLE, partner, TAG_FACE(axis, !side),
                      MPI_COMM_WORLD, &requests[n++]);
        }
    for (int axis = 0; axis < AXES; axis++)
        for (int side = BELOW; side <= ABOVE; side++) {
            int face = 2 * axis + side, partner = side == BELOW ? c->before[axis] : c->after[axis];
            copy_faces(c, axis, side, OUT, c->faces[face][OUT]);
            MPI_Isend(c->faces[face][OUT], c->face_doubles[face][OUT], MPI_DOUBLE, partner, TAG_FACE(axis, side),
                      MPI_COMM_WORLD, &requests[n++]);
        }
    MPI_Waitall(n, requests, statuses);
    for (int axis = 0; axis < AXES; axis++)
        for (int side = BELOW; side <= ABOVE; side++)
            copy_faces(c, axis, side, IN, c->faces[2 * axis + side][IN]);
}

/* rhs of all cells: exchanges the faces of all cells in six messages and evaluates the equations. */
static void right_hand_side(struct cells *c) {
    exchange_faces(c);
    for (int cell = 0; cell < c->q; cell++)
        box_right_hand_side(&c->boxes[cell], &c->fluid);
}

/* Lays out the cells and sets u to its start; ends the program when a cell would be too small. */
static void open_cells(struct cells *c, const struct workload *w, double dt) {
    c->w = w;
    c->q = (int)lround(sqrt(w->ranks));
    workload_require(w, w->size / c->q >= HALO,
                     "--size %ld makes cells of less than %d points on %d ranks: take at least %d", w->size, HALO,
                     w->ranks, HALO * c->q);
    fluid_set(&c->fluid, w->size, dt);
    lay_out(c);
    for (int face = 0; face < 2 * AXES; face++)
        for (int direction = OUT; direction <= IN; direction++) {
            c->face_doubles[face][direction] = copy_faces(c, face / 2, face % 2, direction, NULL);
            c->faces[face][direction] = NEW(double, c->face_doubles[face][direction]);
        }
    for (int cell = 0; cell < c->q; cell++) {
        box_set_exact(&c->boxes[cell], &c->fluid);
        box_right_hand_side(&c->boxes[cell], &c->fluid);
        box_set_forcing(&c->boxes[cell]);
        box_set_start(&c->boxes[cell], &c->fluid);
    }
}

static void close_cells(struct cells *c) {
    for (int cell = 0; cell < c->q; cell++) {
        box_close(&c->boxes[cell]);
        free(c->above[cell]);
    }
    for (int face = 0; face < 2 * AXES; face++) {
        free(c->faces[face][OUT]);
        free(c->faces[face][IN]);
    }
}

void cells_sweep(struct cells *c, int axis, bool forward, int doubles, cells_stage *work) {
    int from = forward ? c->before[axis] : c->after[axis], to = forward ? c->after[axis] : c->before[axis];
    double *in = NULL, *out = NULL, *on_the_way = NULL;
    MPI_Request sending = MPI_REQUEST_NULL;
    for (int step = 0; step < c->q; step++) {
        int stage = forward ? step : c->q - 1 - step;
        const struct box *b = &c->boxes[c->at_stage[axis][stage]];
        int n = doubles * b->n[(axis + 1) % AXES] * b->n[(axis + 2) % AXES];
        if (step > 0) {
            MPI_Request receiving;
            in = NEW(double, n);
            MPI_Irecv(in, n, MPI_DOUBLE, from, TAG_SWEEP(axis, forward), MPI_COMM_WORLD, &receiving);
            MPI_Wait(&receiving, MPI_STATUS_IGNORE);
        }
        if (step < c->q - 1)
            out = NEW(double, n);
        work(c, axis, stage, in, out);
        free(in);
        MPI_Wait(&sending, MPI_STATUS_IGNORE);
        free(on_the_way);
        on_the_way = out;
        out = NULL;
        if (step < c->q - 1)
            MPI_Isend(on_the_way, n, MPI_DOUBLE, to, TAG_SWEEP(axis, forward), MPI_COMM_WORLD, &sending);
    }
    free(on_the_way);
}

int cells_run(int argc, char **argv, const struct workload_spec *spec, const struct cells_solver *solver) {
    struct workload w;
    struct cells c;

    workload_begin(&w, spec, &argc, &argv);
    open_cells(&c, &w,
               w.size <= FLUID_KNOWN_SIZE ? solver->small_step : solver->step_at_36 * SQUARE(36.0 / UPPER(36, w.size)));
    for (int cell = 0; cell < c.q; cell++) {
        const struct box *b = &c.boxes[cell];
        c.above[cell] = workload_new((size_t)(b->stride[2] * (b->n[2] + 2 * HALO)), solver->above_bytes);
    }
    right_hand_side(&c);
    struct fluid_norms before = fluid_norms_of(c.boxes, c.q, &c.fluid);
    workload_start(&w);

    for (long step = 0; step < w.iterations; step++) {
        right_hand_side(&c);
        for (int axis = 0; axis < AXES; axis++)
            solver->solve_axis(&c, axis);
        for (int cell = 0; cell < c.q; cell++)
            box_update(&c.boxes[cell], 1);
        workload_lap();
    }
    right_hand_side(&c);
    struct fluid_norms after = fluid_norms_of(c.boxes, c.q, &c.fluid);
    close_cells(&c);
    return workload_end(&w, fluid_verify(&w, &before, &after, solver->known_residual), after.residual);
}
