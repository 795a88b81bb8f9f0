/* amounts.h: the smaller of two amounts, and a sum that saturates, since a damaged trace may contain any number. */
#ifndef REFRAIN_AMOUNTS_H
#define REFRAIN_AMOUNTS_H

#include <stdint.h>

static inline uint64_t refrain_least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static inline uint64_t refrain_sum(uint64_t a, uint64_t b) {
    return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

#endif
