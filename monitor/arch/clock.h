/* clock.h: the probes' clock. It is the processor's counter if this runs at a constant rate in all states, else
 * CLOCK_MONOTONIC in nanoseconds. On x86-64 a read of the counter takes about 10 ns, one of CLOCK_MONOTONIC up to 100.
 */
#ifndef REFRAIN_CLOCK_H
#define REFRAIN_CLOCK_H

#include "arch/arch.h"
#include "visibility.h"

#include <stdint.h>

extern int refrain_clock_is_gettime; /* set once, when the trace file is opened: the clock is CLOCK_MONOTONIC */

/* CLOCK_MONOTONIC, in a form that a probe may call (registers.h). */
uint64_t refrain_clock_of_system(void);

static inline uint64_t refrain_clock(void) {
#if REFRAIN_ARCH_HAS_COUNTER
    if (__builtin_expect(!refrain_clock_is_gettime, 1))
        return refrain_arch_counter();
#endif
    return refrain_clock_of_system();
}

/* The probes' clock, for wrappers of MPI. */
REFRAIN_SHARED uint64_t refrain_ticks(void);

#endif
