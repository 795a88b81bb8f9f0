/* assembly.c: puts together the stiffness matrix of the Laplacian on a square of triangles, entry by entry. */
#include "../common/workload.h"
#include "matrix.h"

#include <math.h>

static const struct workload_spec spec = {
    .name = "assembly",
    .purpose = "assembly of a sparse finite element matrix, entries of other ranks' rows exchanged",
    .size_meaning = "squares along a side",
    .size = 160,
    .size_minimum = 4,
    .size_maximum = 4000,
    .iteration_meaning = "assemblies",
    .iterations = 20,
    .ranks = WORKLOAD_ANY,
};

static long side; /* points along a side */

static long point(long x, long y) {
    return y * side + x;
}

static double stretch(long x, long y) {
    return 1 + 0.25 * (double)((x + 3 * y) % 4);
}

/* The product of two gradients on a triangle with two sides along the axes; corner 0 is between them. */
static double product(int a, int b) {
    static const double table[3][3] = {{1, -0.5, -0.5}, {-0.5, 0.5, 0}, {-0.5, 0, 0.5}};
    return table[a][b];
}

static void add_triangle(const long corner[3], double factor) {
    for (int a = 0; a < 3; a++)
        for (int b = 0; b < 3; b++)
            matrix_add(corner[a], corner[b], factor * product(a, b));
}

static void add_square(long x, long y) {
    double factor = stretch(x, y);
    add_triangle((const long[3]){point(x, y), point(x + 1, y), point(x, y + 1)}, factor);
    add_triangle((const long[3]){point(x + 1, y + 1), point(x, y + 1), point(x + 1, y)}, factor);
}

int main(int argc, char **argv) {
    struct workload w;
    workload_begin(&w, &spec, &argc, &argv);
    workload_require(&w, w.size >= w.ranks, "--size %ld is less than one row of squares per rank", w.size);
    side = w.size + 1;
    long rows = side * side, first = workload_split(rows, w.ranks, w.rank);
    long end = workload_split(rows, w.ranks, w.rank + 1), y0 = workload_split(w.size, w.ranks, w.rank);
    long y1 = workload_split(w.size, w.ranks, w.rank + 1);
    matrix_begin(first, end, rows, w.ranks);
    workload_start(&w);
    for (long i = 0; i < w.iterations; i++) {
        matrix_clear();
        for (long y = y0; y < y1; y++)
            for (long x = 0; x < w.size; x++)
                add_square(x, y);
        matrix_exchange();
        workload_lap();
    }
    /* A constant has no gradient; two triangles of a square add 2 to the diagonal each, times its factor. */
    double own[2] = {0, 0}, all[2] = {0, 0}, expected = 0;
    for (long row = first; row < end; row++) {
        own[0] = UPPER(own[0], fabs(matrix_row_sum(row)));
        own[1] += matrix_entry(row, row);
    }
    MPI_Allreduce(&own[0], &all[0], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(&own[1], &all[1], 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (long y = 0; y < w.size; y++)
        for (long x = 0; x < w.size; x++)
            expected += 2 * 2 * stretch(x, y);
    bool good = all[0] < 1e-9 && workload_close(all[1], expected, 1e-12);
    matrix_end();
    return workload_end(&w, good, all[1]);
}
