/* lcg.c: reaching any place of the random sequence. */
#include "lcg.h"

uint64_t lcg_skip(uint64_t seed, uint64_t steps) {
    uint64_t x = seed & LCG_MASK;
    for (uint64_t a = LCG_A; steps; steps >>= 1, a = (a * a) & LCG_MASK)
        if (steps & 1)
            x = (x * a) & LCG_MASK;
    return x;
}
