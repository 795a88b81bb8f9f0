/* generator.c: numbers that look random. */
#include "oddeven.h"

void oddeven_generate(unsigned seed, int count, int (*take)(int number, void *data), void *data) {
    unsigned state = seed * 2654435769u + 1;
    while (count-- > 0) {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        if (take((int)(state % 1000), data))
            return;
    }
}
