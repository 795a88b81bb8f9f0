/* reduce.c: a loop of reductions of one number, a few microseconds each, with a dot product of a few elements before
 * each. */
#include "../common/workload.h"

#define ELEMENTS 64

static const struct workload_spec spec = {
    .name = "reduce",
    .purpose = "dot products of a few elements and their reductions",
    .size_meaning = "reductions in an iteration",
    .size = 2000,
    .size_minimum = 1,
    .size_maximum = 10000000,
    .iteration_meaning = "rounds",
    .iterations = 20,
    .ranks = WORKLOAD_ANY,
};

static double product(const double *a, const double *b) {
    double sum = 0, all;
    for (int i = 0; i < ELEMENTS; i++)
        sum += a[i] * b[i];
    MPI_Allreduce(&sum, &all, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return all;
}

int main(int argc, char **argv) {
    struct workload w;
    double a[ELEMENTS], b[ELEMENTS], sum = 0, expected;
    workload_begin(&w, &spec, &argc, &argv);
    for (int i = 0; i < ELEMENTS; i++) {
        a[i] = i + 1;
        b[i] = w.rank + 1;
    }
    workload_start(&w);
    for (long i = 0; i < w.iterations; i++) {
        for (long j = 0; j < w.size; j++)
            sum += product(a, b);
        workload_lap();
    }
    expected = (double)(w.iterations * w.size) * ELEMENTS * (ELEMENTS + 1) / 2 * w.ranks * (w.ranks + 1) / 2;
    return workload_end(&w, workload_close(sum, expected, 1e-12), sum);
}
