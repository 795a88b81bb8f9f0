/* records.h: the keys that are sorted, and what is known about them beforehand. */
#ifndef RECORDS_H
#define RECORDS_H

#include <stdint.h>

/* How the keys lie before sorting; rounds take them in turn. */
enum shape { SHAPE_UNIFORM, SHAPE_SKEWED, SHAPE_SORTED, SHAPE_FEW, SHAPES };

typedef uint64_t sort_key;

struct digest {
    uint64_t count, sum, squares; /* independent of the order; arithmetic mod 2^64 */
};

/* Keys number `first` .. `first + count` - 1 of `total`, of the given round. */
void records_make(sort_key *keys, enum shape shape, long first, long count, long total, long round);

struct digest records_digest(const sort_key *keys, long count);

int records_compare(const void *a, const void *b);

#endif
