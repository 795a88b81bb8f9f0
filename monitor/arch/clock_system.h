/* clock_system.h: the clocks of the system in nanoseconds, for code that no probe calls (clock.h). The including file
 * has to define _GNU_SOURCE. */
#ifndef REFRAIN_CLOCK_SYSTEM_H
#define REFRAIN_CLOCK_SYSTEM_H

#include <stdint.h>
#include <time.h>

static inline uint64_t refrain_clock_gettime_ns(clockid_t id) {
    struct timespec t;
    clock_gettime(id, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

#endif
