/* test_heat: tests the plate, its halo and its norms, on any number of ranks. */
#include "heat/grid.h"
#include "heat/halo.h"
#include "heat/norms.h"
#include <assert.h>
#include <stdio.h>
#undef NDEBUG

#define EXPECT(condition) ((condition) ? (void)0 : (void)(fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition), failed++))

static int failed;

static double shrink(void *data) {
    double *value = data;
    return *value /= 4;
}

static int stop(int step, double norm, void *data) {
    (void)norm;
    (void)data;
    return step >= 16;
}

int main(void) {
    struct grid grid;
    int ranks;
    MPI_Init(NULL, NULL);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    EXPECT(halo_sum(1) == ranks);
    EXPECT(norms_largest(halo_peer(-1) == MPI_PROC_NULL ? 7 : 3) == 7);
    double value = 1e6;
    EXPECT(norms_settle(shrink, &value, 1e-30, 100, stop) == 16);
    value = 4;
    EXPECT(norms_settle(shrink, &value, 1e-3 * ranks, 100, NULL) < 100);
    EXPECT(grid_make(&grid, 12, 9) == 0);
    EXPECT(halo_sum(grid.count) == 12);
    double first = halo_sum(grid_step(&grid)), last = first;
    for (int i = 0; i < 40; i++)
        last = halo_sum(grid_step(&grid));
    EXPECT(first > 0 && last > 0 && last < first / 4);
    grid_free(&grid);
    MPI_Finalize();
    return failed != 0;
}
