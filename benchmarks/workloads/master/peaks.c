/* peaks.c: sums of Lorentz curves. */
#include "peaks.h"
#include "../common/lcg.h"
#include "../common/workload.h"

#include <math.h>
#include <stdlib.h>

#define PEAKS 24
#define SAMPLES 256      /* of the coarse rule; the fine one takes twice as many */
#define TOLERANCE 1e-10  /* of the result, for an interval of length 1 */
#define SHORTEST 0x1p-30 /* not halved any further */

void peaks_open(struct peaks *p, long round) {
    uint64_t random = lcg_skip(LCG_SEED, (uint64_t)round * 2 * PEAKS);
    p->n = PEAKS;
    p->place = NEW(double, PEAKS);
    p->width = NEW(double, PEAKS);
    for (int i = 0; i < PEAKS; i++) {
        p->place[i] = lcg_next(&random);
        p->width[i] = pow(10, -1 - 3 * lcg_next(&random));
    }
}

void peaks_close(struct peaks *p) {
    free(p->place);
    free(p->width);
}

static double value(const struct peaks *p, double x) {
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += p->width[i] / (SQUARE(x - p->place[i]) + SQUARE(p->width[i]));
    return sum;
}

double peaks_integral(const struct peaks *p) {
    double sum = 0;
    for (int i = 0; i < p->n; i++)
        sum += atan((1 - p->place[i]) / p->width[i]) + atan(p->place[i] / p->width[i]);
    return sum;
}

static double simpson(const struct peaks *p, struct interval part, int samples) {
    double h = (part.end - part.begin) / samples, sum = value(p, part.begin) + value(p, part.end);
    for (int i = 1; i < samples; i++)
        sum += (i % 2 ? 4 : 2) * value(p, part.begin + i * h);
    return sum * h / 3;
}

bool peaks_try(const struct peaks *p, struct interval part, double *integral) {
    double coarse = simpson(p, part, SAMPLES), fine = simpson(p, part, 2 * SAMPLES), length = part.end - part.begin;
    *integral = fine;
    return fabs(fine - coarse) <= TOLERANCE * length || length < SHORTEST;
}
