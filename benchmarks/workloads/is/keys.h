/* keys.h: the keys of the kernel IS (RNR-94-007, section 2.2.5) and what has been published about their ranks. */
#ifndef KEYS_H
#define KEYS_H

#include <stdbool.h>

#define KEYS_PROBES 5
#define KEYS_CHANGES 10 /* places that the iterations change, twice */

struct keys_class {
    int size; /* binary logarithm of the number of keys */
    int largest_log2;
    long probe[KEYS_PROBES];           /* places in the whole sequence */
    long probe_rank[KEYS_PROBES];      /* rank, before the change with the iteration */
    int rising;                        /* so many of the ranks rise by one with each iteration, the others fall */
    int rising_offset, falling_offset; /* iteration at which their ranks are as listed */
};

/* The published class of this size, or null. */
const struct keys_class *keys_class_of(long size);

/* Binary logarithm of the bound of the keys. */
int keys_bound_log2(long size);

/* Keys `first` .. `first + count` - 1, approximately Gaussian in [0, bound). */
void keys_make(int *keys, long first, long count, long bound);

#endif
