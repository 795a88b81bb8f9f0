/* keys.c: making keys. */
#include "keys.h"
#include "../common/lcg.h"

#include <stddef.h>

static const struct keys_class published[] = {
    {16, 11, {48427, 17148, 23627, 62548, 4431}, {0, 18, 346, 64917, 65463}, 3, 0, 0},
    {20, 16, {357773, 934767, 875723, 898999, 404505}, {1249, 11698, 1039987, 1043896, 1048018}, 2, 2, 0},
    {23, 19, {2112377, 662041, 5336171, 3642833, 4250760}, {104, 17523, 123928, 8288932, 8388264}, 3, 1, 1},
};

const struct keys_class *keys_class_of(long size) {
    for (unsigned i = 0; i < sizeof published / sizeof *published; i++)
        if (published[i].size == size)
            return &published[i];
    return NULL;
}

int keys_bound_log2(long size) {
    const struct keys_class *class = keys_class_of(size);
    return class ? class->largest_log2 : (int)size - 4;
}

void keys_make(int *keys, long first, long count, long bound) {
    uint64_t random = lcg_skip(LCG_SEED, 4 * (uint64_t)first);
    for (long i = 0; i < count; i++) {
        double sum = 0;
        for (int k = 0; k < 4; k++)
            sum += lcg_next(&random);
        keys[i] = (int)((double)(bound / 4) * sum);
    }
}
