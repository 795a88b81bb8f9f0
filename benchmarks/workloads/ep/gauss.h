/* gauss.h: Gaussian deviates by the polar method, counted by annulus (RNR-94-007, section 2.2.1). */
#ifndef GAUSS_H
#define GAUSS_H

#include <stdint.h>

#define ANNULI 10

struct gauss_sums {
    double x, y;           /* sums of the deviates */
    double counts[ANNULI]; /* pairs with the larger deviate in [l, l + 1) */
};

/* Adds the accepted ones of `pairs` pairs of random numbers, from pair number `first` of the sequence. */
void gauss_pairs(struct gauss_sums *sums, uint64_t first, uint64_t pairs);

#endif
