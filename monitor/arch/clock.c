/* clock.c: the clock for machines without a usable counter (clock.h). */
#define _GNU_SOURCE
#include "arch/clock.h"
#include "arch/clock_system.h"
#include "arch/registers.h"

int refrain_clock_is_gettime;

static void read_clock(void *ns) {
    *(uint64_t *)ns = refrain_clock_gettime_ns(CLOCK_MONOTONIC);
}

uint64_t refrain_clock_of_system(void) {
    uint64_t ns;
    refrain_keep_vectors(read_clock, &ns);
    return ns;
}

uint64_t refrain_ticks(void) {
    return refrain_clock();
}
