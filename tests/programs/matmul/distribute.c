/* distribute.c: node 0 sends rows to the other ranks and collects their results. */
#include "matmul.h"

#include <mpi.h>

void rows_of(int node, int nodes, int n, int *first, int *count) {
    *first = node * n / nodes;
    *count = (node + 1) * n / nodes - *first;
}

void distribute(double *a, double *b, int n, int node, int nodes) {
    int first, count;
    CHECKED(MPI_Bcast(b, n * n, MPI_DOUBLE, 0, MPI_COMM_WORLD));
    if (node == 0) {
        for (int other = 1; other < nodes; other++) {
            rows_of(other, nodes, n, &first, &count);
            MPI_Send(a + (long)first * n, count * n, MPI_DOUBLE, other, TAG_ROWS, MPI_COMM_WORLD);
        }
    } else {
        rows_of(node, nodes, n, &first, &count);
        MPI_Recv(a, count * n, MPI_DOUBLE, 0, TAG_ROWS, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
}

void collect(double *c, int n, int node, int nodes) {
    int first, count;
    if (node == 0) {
        for (int other = 1; other < nodes; other++) {
            rows_of(other, nodes, n, &first, &count);
            MPI_Recv(c + (long)first * n, count * n, MPI_DOUBLE, other, TAG_RESULT, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        }
    } else {
        rows_of(node, nodes, n, &first, &count);
        MPI_Send(c, count * n, MPI_DOUBLE, 0, TAG_RESULT, MPI_COMM_WORLD);
    }
}
