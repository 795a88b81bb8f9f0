/* library.c: the library that host.c loads, with an `act` of its own. */
#include "sites.h"
#include <refrain/refrain.h>

int beyond(int n) __attribute__((weak, visibility("hidden")));

__attribute__((visibility("default"), noinline)) int act(int n) {
    int sum = n;
    refrain_region_begin("act");
    for (int i = 0; i < n; i++)
        sum ^= sum << i;
    refrain_region_end();
    return sum;
}

static __attribute__((noinline)) int own(int n) {
    int sum = 0;
    for (int i = 0; i < n; i++)
        sum += beyond ? beyond(i) : i;
    return sum;
}

__attribute__((visibility("default"))) int enact(int n) {
    refrain_region_begin("enact");
    for (int i = 0; i < 3; i++)
        n += own(n);
    refrain_region_end();
    return act(n);
}

__attribute__((visibility("default"))) void report(void) {
    sites_print("library");
}
