/* cell.c: a limited upwind scheme, one small function for each of its notions (cell.h). */
#include "cell.h"

#include <math.h>

#define SMALL __attribute__((noinline)) /* as in codes whose small functions lie in many files */

static SMALL double at(const double *middle, long stride, int offset) {
    return middle[offset * stride];
}

static SMALL double difference(const double *middle, long stride, int offset) {
    return at(middle, stride, offset + 1) - at(middle, stride, offset);
}

static SMALL double ratio(double above, double below) {
    return fabs(below) < 1e-300 ? 0 : above / below;
}

/* Van Leer's. */
static SMALL double limiter(double r) {
    return (r + fabs(r)) / (1 + fabs(r));
}

static SMALL double slope(const double *middle, long stride, int offset) {
    double ahead = difference(middle, stride, offset);
    return limiter(ratio(difference(middle, stride, offset - 1), ahead)) * ahead;
}

/* Through the face behind the cell, for a wind along the axis. */
static SMALL double face(const double *middle, long stride, int offset, double courant) {
    return courant * (at(middle, stride, offset) + 0.5 * (1 - courant) * slope(middle, stride, offset));
}

double cell_change(const double *middle, long stride, double courant) {
    return face(middle, stride, -1, courant) - face(middle, stride, 0, courant);
}
