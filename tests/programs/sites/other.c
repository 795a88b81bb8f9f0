/* other.c: what calls.c calls. */
#include <refrain/refrain.h>

__attribute__((noinline)) int square(int n) {
    return n * n;
}

__attribute__((noinline)) int loud(int n) {
    int sum = square(n);
    refrain_region_begin("loud");
    for (int i = 0; i < n; i++)
        sum ^= sum << i;
    refrain_region_end();
    return sum;
}
