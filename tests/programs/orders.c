/* orders.c: operand order, short circuits, comma, MPI user operations. Usage: orders [N] */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static int trail, rank;

static int mark(int n) {
    MPI_Barrier(MPI_COMM_SELF);
    trail = trail * 7 + n;
    return n;
}

static int add(int a, int b, int c) {
    return mark(a + b) + c;
}

static void combine(void *in, void *inout, int *n, MPI_Datatype *type) {
    (void)type;
    for (int i = 0; i < *n; i++)
        ((int *)inout)[i] += ((int *)in)[i] + (mark(1) == 2);
}

struct pair {
    int a, b;
};

static struct pair make(int n) {
    struct pair p = {mark(n), mark(n + 1)};
    return p;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4, sum = 0, total;
    MPI_Op operation;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Op_create(combine, 1, &operation);
    for (int i = 0; i < n; i++) {
        int values[] = {mark(i), mark(i * 2), mark(3)};
        sum += add(mark(1), mark(2), mark(i)) + values[i % 3];
        sum += (mark(4), mark(5)) + make(i).b;
        sum += (mark(0) && mark(6)) + (mark(7) || mark(8)) + !mark(i % 2);
        sum += i % 2 ? mark(9) ?: mark(10) : mark(0) ?: mark(11);
        values[mark(1)] = mark(i % 3) - mark(2);
        sum += values[1];
        MPI_Reduce(&sum, &total, 1, MPI_INT, operation, 0, MPI_COMM_WORLD);
    }
    MPI_Op_free(&operation);
    if (rank == 0)
        printf("total %d\n", total);
    MPI_Finalize();
    return 0;
}
