/* ep.c: the embarrassingly parallel kernel EP of the NAS Parallel Benchmarks (RNR-94-007, section 2.2).
 *
 * Each rank makes its share of the Gaussian pairs in batches that start at known places of the random sequence; nothing
 * is sent until three reductions at the end of an iteration.
 */
#include "../common/workload.h"
#include "gauss.h"

#include <math.h>
#include <stdint.h>

#define BATCH_LOG2 16

static const struct workload_spec spec = {
    .name = "ep",
    .purpose = "Gaussian deviates in independent batches, three reductions at the end (NAS EP)",
    .size_meaning = "binary logarithm of the number of pairs",
    .size = 23,
    .size_minimum = 10,
    .size_maximum = 36,
    .iteration_meaning = "times the whole is done",
    .iterations = 1,
    .ranks = WORKLOAD_ANY,
};

/* Published sums: report RNR-94-007 and the NPB 2 sources. */
static const struct {
    long size;
    double x, y;
} published[] = {
    {24, -3.247834652034740e3, -6.958407078382297e3},
    {25, -2.863319731645753e3, -6.320053679109499e3},
    {28, -4.295875165629892e3, -1.580732573678431e4},
};

static void count_share(const struct workload *w, struct gauss_sums *sums) {
    int batch_log2 = (int)LOWER(BATCH_LOG2, w->size);
    int64_t batches = INT64_C(1) << (w->size - batch_log2);
    for (int64_t batch = w->rank; batch < batches; batch += w->ranks) {
        gauss_pairs(sums, (uint64_t)batch << batch_log2, UINT64_C(1) << batch_log2);
        workload_lap();
    }
}

static void add_up(const struct gauss_sums *mine, struct gauss_sums *all) {
    MPI_Allreduce(&mine->x, &all->x, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&mine->y, &all->y, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(mine->counts, all->counts, ANNULI, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
}

/* The accepted share is pi / 4 within five standard deviations, and so are the means of the deviates 0; where the sums
 * have been published, they are those. */
static bool verify(const struct workload *w, const struct gauss_sums *all) {
    double pairs = ldexp(1, (int)w->size), accepted = 0, share = atan(1.0);
    for (int i = 0; i < ANNULI; i++)
        accepted += all->counts[i];
    bool verified = fabs(accepted - share * pairs) < 5 * sqrt(pairs * share * (1 - share)) &&
                    fabs(all->x) < 5 * sqrt(accepted) && fabs(all->y) < 5 * sqrt(accepted);
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].size == w->size)
            verified = verified && workload_close(all->x, published[i].x, 1e-8) &&
                       workload_close(all->y, published[i].y, 1e-8);
    return verified;
}

int main(int argc, char **argv) {
    struct workload w;
    struct gauss_sums all = {0};
    bool verified = true;

    workload_begin(&w, &spec, &argc, &argv);
    for (long iteration = 0; iteration < w.iterations; iteration++) {
        struct gauss_sums mine = {0};
        count_share(&w, &mine);
        add_up(&mine, &all);
        verified = verified && verify(&w, &all);
    }
    return workload_end(&w, verified, all.x);
}
