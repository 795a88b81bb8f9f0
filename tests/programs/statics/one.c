/* one.c: has a static function exchange, as two.c has, and a function that others call. */
#include "statics.h"
#include <mpi.h>

static int exchange(int n) {
    int sum;
    MPI_Allreduce(&n, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

int work_of_one(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += exchange(i);
    return sum;
}
