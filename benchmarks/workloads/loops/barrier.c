/* barrier.c: a loop of barriers, a microsecond each. */
#include "../common/workload.h"

static const struct workload_spec spec = {
    .name = "barrier",
    .purpose = "barriers, one after the other",
    .size_meaning = "barriers in an iteration",
    .size = 2000,
    .size_minimum = 1,
    .size_maximum = 10000000,
    .iteration_meaning = "rounds",
    .iterations = 20,
    .ranks = WORKLOAD_ANY,
};

int main(int argc, char **argv) {
    struct workload w;
    long n = 0;
    workload_begin(&w, &spec, &argc, &argv);
    workload_start(&w);
    for (long i = 0; i < w.iterations; i++) {
        for (long j = 0; j < w.size; j++) {
            MPI_Barrier(MPI_COMM_WORLD);
            n++;
        }
        workload_lap();
    }
    return workload_end(&w, n == w.iterations * w.size, (double)n);
}
