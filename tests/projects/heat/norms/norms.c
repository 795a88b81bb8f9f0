/* norms.c: the functions of norms.h. */
#include "heat/norms.h"
#include "config.h"
#include "heat/halo.h"
#ifdef HAVE_MATH_H
#include <math.h>
#endif

int norms_settle(double (*advance)(void *), void *data, double limit, int most, norms_watcher watch) {
    int step = 0;
    double norm;
    do {
        norm = sqrt(halo_sum(advance(data)));
        step++;
        if (watch && step % 8 == 0 && watch(step, norm, data))
            break;
    } while (norm > limit && step < most);
    return step;
}

double norms_largest(double value) {
    double largest = value;
    MPI_Allreduce(&value, &largest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return largest;
}
