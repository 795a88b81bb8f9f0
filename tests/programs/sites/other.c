/* other.c: a function with an event and one without, which calls.c calls from another file. */
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
