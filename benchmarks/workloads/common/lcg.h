/* lcg.h: the random numbers of the NAS Parallel Benchmarks (RNR-94-007, section 2.3): x' = a x mod 2^46, as x' / 2^46.
 *
 * Any place of the sequence can be reached in logarithmic time, so that each rank makes its own part of the data and
 * the data do not depend on the number of ranks.
 */
#ifndef LCG_H
#define LCG_H

#include <stdint.h>

#define LCG_SEED UINT64_C(314159265)
#define LCG_A UINT64_C(1220703125) /* 5^13 */
#define LCG_MASK ((UINT64_C(1) << 46) - 1)

/* The next number, in (0, 1). The product is taken mod 2^64, of which 2^46 is a divisor. */
static inline double lcg_next(uint64_t *state) {
    *state = (*state * LCG_A) & LCG_MASK;
    return (double)*state * 0x1p-46;
}

/* State after `steps` numbers from `seed`. */
uint64_t lcg_skip(uint64_t seed, uint64_t steps);

#endif
