/* farm: how many primes and how long a chain there are below a bound. Usage: farm [PIECES] */
#include "farm.h"
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv) {
    int rank, n;
    long results[8] = {0};
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    n = argc > 1 ? atoi(argv[1]) : 20;
    rank == 0 ? master(n, results) : worker();
    if (rank == 0)
        for (int i = 0; tasks[i].name; i++)
            printf("%s: %ld (%.2f)\n", tasks[i].name, results[i], sqrt((double)results[i]));
    MPI_Finalize();
    /* below 1000 there are 168 primes, and the longest chain has 178 steps */
    return rank == 0 && n == 20 && (results[0] != 168 || results[1] != 178);
}
