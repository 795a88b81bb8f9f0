/* matrix.c: rows as sorted lists of columns (matrix.h). */
#include "matrix.h"
#include "../common/workload.h"

#include <stdlib.h>
#include <string.h>

#define MOST_COLUMNS 16

struct row {
    int n;
    long column[MOST_COLUMNS];
    double value[MOST_COLUMNS];
};

struct entry {
    long row, column;
    double value;
};

static struct row *rows;
static long first_row, end_row, n_rows;
static int n_ranks;
static struct entry *waiting, *sorted;
static long n_waiting, capacity;
static int *send_counts, *send_starts, *receive_counts, *receive_starts;

void matrix_begin(long first, long end, long all_rows, int ranks) {
    first_row = first;
    end_row = end;
    n_rows = all_rows;
    n_ranks = ranks;
    rows = NEW(struct row, end - first);
    send_counts = NEW(int, ranks);
    send_starts = NEW(int, ranks + 1);
    receive_counts = NEW(int, ranks);
    receive_starts = NEW(int, ranks + 1);
}

static int is_own(long row) {
    return row >= first_row && row < end_row;
}

/* Where the column is in the row, or belongs. */
static int place(const struct row *row, long column) {
    int low = 0, high = row->n;
    while (low < high) {
        int middle = (low + high) / 2;
        if (row->column[middle] < column)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void insert(struct row *row, int at, long column) {
    if (row->n == MOST_COLUMNS)
        MPI_Abort(MPI_COMM_WORLD, 1);
    memmove(&row->column[at + 1], &row->column[at], (size_t)(row->n - at) * sizeof *row->column);
    memmove(&row->value[at + 1], &row->value[at], (size_t)(row->n - at) * sizeof *row->value);
    row->column[at] = column;
    row->value[at] = 0;
    row->n++;
}

static void add_own(long index, long column, double value) {
    struct row *row = &rows[index - first_row];
    int at = place(row, column);
    if (at == row->n || row->column[at] != column)
        insert(row, at, column);
    row->value[at] += value;
}

static void keep(long row, long column, double value) {
    if (n_waiting == capacity) {
        capacity = capacity * 2 + 64;
        waiting = realloc(waiting, (size_t)capacity * sizeof *waiting);
        sorted = realloc(sorted, (size_t)capacity * sizeof *sorted);
        if (!waiting || !sorted)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    waiting[n_waiting++] = (struct entry){row, column, value};
}

void matrix_add(long row, long column, double value) {
    if (is_own(row))
        add_own(row, column, value);
    else
        keep(row, column, value);
}

static int owner(long row) {
    return (int)workload_owner(n_rows, n_ranks, row);
}

static void sum_up(const int *counts, int *starts) {
    for (int r = 0; r < n_ranks; r++)
        starts[r + 1] = starts[r] + counts[r];
}

void matrix_exchange(void) {
    MPI_Datatype type;
    MPI_Type_contiguous((int)sizeof(struct entry), MPI_BYTE, &type);
    MPI_Type_commit(&type);
    memset(send_counts, 0, (size_t)n_ranks * sizeof *send_counts);
    for (long i = 0; i < n_waiting; i++)
        send_counts[owner(waiting[i].row)]++;
    MPI_Alltoall(send_counts, 1, MPI_INT, receive_counts, 1, MPI_INT, MPI_COMM_WORLD);
    sum_up(send_counts, send_starts);
    sum_up(receive_counts, receive_starts);
    int *next = NEW(int, n_ranks);
    for (long i = 0; i < n_waiting; i++) {
        int to = owner(waiting[i].row);
        sorted[send_starts[to] + next[to]++] = waiting[i];
    }
    struct entry *received = NEW(struct entry, receive_starts[n_ranks] + 1);
    MPI_Alltoallv(sorted, send_counts, send_starts, type, received, receive_counts, receive_starts, type,
                  MPI_COMM_WORLD);
    for (int i = 0; i < receive_starts[n_ranks]; i++)
        add_own(received[i].row, received[i].column, received[i].value);
    free(received);
    free(next);
    n_waiting = 0;
    MPI_Type_free(&type);
}

void matrix_clear(void) {
    for (long i = 0; i < end_row - first_row; i++)
        rows[i].n = 0;
}

double matrix_row_sum(long index) {
    const struct row *row = &rows[index - first_row];
    double sum = 0;
    for (int i = 0; i < row->n; i++)
        sum += row->value[i];
    return sum;
}

double matrix_entry(long index, long column) {
    const struct row *row = &rows[index - first_row];
    int at = place(row, column);
    return at < row->n && row->column[at] == column ? row->value[at] : 0;
}

void matrix_end(void) {
    free(rows);
    free(waiting);
    free(sorted);
    free(send_counts);
    free(send_starts);
    free(receive_counts);
    free(receive_starts);
}
