/* matmul.h: C = A * B, rows dealt out by node 0 (the program of Yan, Jin and Schmidt, section 2.1). */
#ifndef MATMUL_H
#define MATMUL_H

#define TAG_ROWS 1
#define TAG_RESULT 2

/* Fails loudly when an MPI call does. */
#define CHECKED(call)                                                                                                  \
    do {                                                                                                               \
        if ((call) != MPI_SUCCESS)                                                                                     \
            MPI_Abort(MPI_COMM_WORLD, 3);                                                                              \
    } while (0)

/* Rows of an n x n matrix that `node` of `nodes` works on: first one, and how many. */
void rows_of(int node, int nodes, int n, int *first, int *count);

/* Node 0 sends each node its rows of `a`, and all of `b`; the others receive theirs. */
void distribute(double *a, double *b, int n, int node, int nodes);

/* c = a * b for `rows` rows. */
void multiply(const double *a, const double *b, double *c, int rows, int n);

/* Node 0 receives the rows of `c`; the others send theirs. */
void collect(double *c, int n, int node, int nodes);

#endif
