/* gauss.c: the work of the embarrassingly parallel kernel. */
#include "gauss.h"
#include "../common/lcg.h"
#include "../common/workload.h"

#include <math.h>

#define EP_SEED UINT64_C(271828183)

void gauss_pairs(struct gauss_sums *sums, uint64_t first, uint64_t pairs) {
    uint64_t random = lcg_skip(EP_SEED, 2 * first);
    for (uint64_t i = 0; i < pairs; i++) {
        double x = 2 * lcg_next(&random) - 1;
        double y = 2 * lcg_next(&random) - 1;
        double t = x * x + y * y;
        if (t > 1)
            continue;
        double factor = sqrt(-2 * log(t) / t);
        double gx = x * factor, gy = y * factor;
        sums->counts[(int)UPPER(fabs(gx), fabs(gy))]++;
        sums->x += gx;
        sums->y += gy;
    }
}
