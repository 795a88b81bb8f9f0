/* records.c: keys of several shapes. */
#include "records.h"
#include "../common/lcg.h"

void records_make(sort_key *keys, enum shape shape, long first, long count, long total, long round) {
    uint64_t random = lcg_skip(LCG_SEED, (uint64_t)(first + round * total));
    for (long i = 0; i < count; i++) {
        double r = lcg_next(&random);
        switch (shape) {
        case SHAPE_SKEWED:
            r = r * r * r * r;
            break;
        case SHAPE_SORTED:
            r = ((double)(first + i) + r) / (double)total;
            break;
        case SHAPE_FEW:
            r = (double)(int)(r * 37) / 37;
            break;
        default:
            break;
        }
        keys[i] = (sort_key)(r * 0x1p46);
    }
}

struct digest records_digest(const sort_key *keys, long count) {
    struct digest d = {.count = (uint64_t)count};
    for (long i = 0; i < count; i++) {
        d.sum += keys[i];
        d.squares += keys[i] * keys[i];
    }
    return d;
}

int records_compare(const void *a, const void *b) {
    sort_key x = *(const sort_key *)a, y = *(const sort_key *)b;
    return (x > y) - (x < y);
}
