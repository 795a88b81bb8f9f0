/* peaks.h: an integrand that costs more in some places than in others, with a known integral. */
#ifndef PEAKS_H
#define PEAKS_H

#include <stdbool.h>

struct interval {
    double begin, end;
};

/* Sharp peaks at random places of (0, 1); which ones depends on `round`. */
struct peaks {
    int n;
    double *place, *width;
};

void peaks_open(struct peaks *p, long round);
void peaks_close(struct peaks *p);

/* The integral over (0, 1), from its formula. */
double peaks_integral(const struct peaks *p);

/* Tries the interval: true with its integral, or false when it has to be halved. */
bool peaks_try(const struct peaks *p, struct interval part, double *integral);

#endif
