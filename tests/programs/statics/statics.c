/* statics.c: calls one.c and two.c in turn. Usage: statics [N] */
#include "statics.h"
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n = argc > 1 ? atoi(argv[1]) : 5, sum = 0;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < n; i++)
        sum += i % 2 ? work_of_one(i) : work_of_two(i);
    printf("rank %d: %d\n", rank, sum);
    return MPI_Finalize();
}
