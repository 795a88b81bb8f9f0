/* clock.h: the probes' clock: the processor's counter where it runs at one rate in all states, else CLOCK_MONOTONIC in
 * nanoseconds. Reads cost about 10 and 100 ns on x86-64. */
#ifndef REFRAIN_CLOCK_H
#define REFRAIN_CLOCK_H

#include "arch/arch.h"
#include "visibility.h"

#include <stdint.h>

extern int refrain_clock_is_gettime; /* set once, when the trace file is opened */

/* CLOCK_MONOTONIC, read so that a probe may call it (registers.h). */
uint64_t refrain_clock_of_system(void);

static inline uint64_t refrain_clock(void) {
#if REFRAIN_ARCH_HAS_COUNTER
    if (__builtin_expect(!refrain_clock_is_gettime, 1))
        return refrain_arch_counter();
#endif
    return refrain_clock_of_system();
}

/* The probes' clock, for the MPI part. */
REFRAIN_SHARED uint64_t refrain_ticks(void);

#endif
