/* square.c: sums along rows and the transpose exchange. */
#include "square.h"

#include <stdlib.h>
#include <string.h>

enum { TAG_SCALAR = 1, TAG_VECTOR, TAG_TRANSPOSE };

void square_open(struct square *q, const struct workload *w) {
    q->rows = q->columns = 1;
    while (q->rows * q->columns < w->ranks) {
        if (q->columns == q->rows)
            q->columns *= 2;
        else
            q->rows *= 2;
    }
    q->row = w->rank / q->columns;
    q->column = w->rank % q->columns;
    int wide = q->columns / q->rows; /* 1 or 2 */
    int other_row = q->column / wide, other_column = wide * q->row + q->column % wide;
    q->transposed = other_row * q->columns + other_column;
    q->column_begin = workload_split(w->size, q->columns, q->column);
    q->column_end = workload_split(w->size, q->columns, q->column + 1);
    q->row_begin = workload_split(w->size, q->columns, q->row * wide);
    q->row_end = workload_split(w->size, q->columns, (q->row + 1) * wide);
    q->give_begin = (int)(workload_split(w->size, q->columns, other_column) - q->row_begin);
    q->give = (int)(workload_split(w->size, q->columns, other_column + 1) - q->row_begin) - q->give_begin;
    q->buffer = NEW(double, q->row_end - q->row_begin);
}

void square_close(struct square *q) {
    free(q->buffer);
}

/* Sends `n` values to the rank `distance` columns away and gets its own. */
static void exchange_along_row(const struct square *q, int distance, const double *out, double *in, int n, int tag) {
    MPI_Request request;
    int partner = q->row * q->columns + (q->column ^ distance);
    MPI_Irecv(in, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD, &request);
    MPI_Send(out, n, MPI_DOUBLE, partner, tag, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}

double square_sum(const struct square *q, double x) {
    for (int distance = 1; distance < q->columns; distance *= 2) {
        double other;
        exchange_along_row(q, distance, &x, &other, 1, TAG_SCALAR);
        x += other;
    }
    return x;
}

void square_reduce(const struct square *q, double *partial, double *result) {
    int n = (int)(q->row_end - q->row_begin), kept = (int)(q->column_end - q->column_begin);
    for (int distance = 1; distance < q->columns; distance *= 2) {
        exchange_along_row(q, distance, partial, q->buffer, n, TAG_VECTOR);
        for (int i = 0; i < n; i++)
            partial[i] += q->buffer[i];
    }
    if (q->transposed == q->row * q->columns + q->column) {
        memcpy(result, partial + q->give_begin, (size_t)kept * sizeof *result);
        return;
    }
    MPI_Request request;
    MPI_Irecv(result, kept, MPI_DOUBLE, q->transposed, TAG_TRANSPOSE, MPI_COMM_WORLD, &request);
    MPI_Send(partial + q->give_begin, q->give, MPI_DOUBLE, q->transposed, TAG_TRANSPOSE, MPI_COMM_WORLD);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
}
