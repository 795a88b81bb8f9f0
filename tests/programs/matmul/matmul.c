/* matmul.c: usage matmul [N [ROUNDS]]: multiplies two N x N matrices ROUNDS times and checks the sum of the result. */
#include "matmul.h"

#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int node, nodes, n = argc > 1 ? atoi(argv[1]) : 60, rounds = argc > 2 ? atoi(argv[2]) : 3;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &node);
    MPI_Comm_size(MPI_COMM_WORLD, &nodes);
    if (n < nodes || rounds < 1) {
        if (node == 0)
            fprintf(stderr, "matmul: N must be at least the number of ranks, ROUNDS at least 1\n");
        MPI_Finalize();
        return 2;
    }
    double *a = malloc(sizeof *a * n * n), *b = malloc(sizeof *b * n * n), *c = malloc(sizeof *c * n * n);
    if (!a || !b || !c)
        MPI_Abort(MPI_COMM_WORLD, 3);
    double expected = 0, sum = 0;
    for (int round = 0; round < rounds; round++) {
        if (node == 0)
            for (int i = 0; i < n * n; i++) {
                a[i] = i % 7 + round;
                b[i] = i / n == i % n; /* the identity: c = a */
            }
        distribute(a, b, n, node, nodes);
        int first, count;
        rows_of(node, nodes, n, &first, &count);
        multiply(a, b, c, count, n);
        collect(c, n, node, nodes);
        if (node == 0)
            for (int i = 0; i < n * n; i++) {
                sum += c[i];
                expected += a[i];
            }
        MPI_Barrier(MPI_COMM_WORLD);
    }
    if (node == 0)
        printf("matmul: %d x %d, %d rounds, %s\n", n, n, rounds, sum == expected ? "correct" : "WRONG");
    free(a);
    free(b);
    free(c);
    MPI_Finalize();
    return node == 0 && sum != expected;
}
