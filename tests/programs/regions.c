/* regions.c: regions by hand, also one left open by a return. Usage: regions [N] */
#include <mpi.h>
#include <refrain/refrain.h>
#include <stdio.h>
#include <stdlib.h>

static int step(int n) {
    refrain_region_begin("step");
    if (n % 3 == 0)
        return n; /* ends the region too */
    MPI_Barrier(MPI_COMM_WORLD);
    refrain_region_end();
    return -n;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 4, sum = 0;
    MPI_Init(&argc, &argv);
    refrain_region_begin("all steps");
    for (int i = 0; i < n; i++)
        sum += step(i);
    refrain_region_end();
    refrain_region_end(); /* one too many */
    printf("%d\n", sum);
    MPI_Finalize();
    return 0;
}
