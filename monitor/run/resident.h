/* resident.h: how much memory the process has resident, and where its high-water mark grew (struct refrain_resident).
 *
 * The kernel's figures (VmRSS and VmHWM in /proc/self/status) are read when an MPI call begins and the last reading is
 * REFRAIN_RESIDENT_NS or more ago, and when tracing ends. A reading is a point of a series of fixed size. By how much
 * the high-water mark has grown since the reading before is added to the call site: it grew before this call, in the
 * program or in a call that came before. */
#ifndef REFRAIN_RESIDENT_H
#define REFRAIN_RESIDENT_H

#include "visibility.h"
#include <refrain/trace.h>

#define REFRAIN_RESIDENT_NS 10000000u /* a reading takes about 8 us */

/* The next reading is due from this clock value on. */
extern REFRAIN_HIDDEN uint64_t refrain_resident_due_ticks;
static inline uint64_t refrain_resident_due(void) {
    return __atomic_load_n(&refrain_resident_due_ticks, __ATOMIC_RELAXED);
}

/* Makes the first reading, once the trace file is open. */
REFRAIN_HIDDEN void refrain_resident_open(uint64_t ticks_per_us);

/* Makes a reading at this time. `call_site`: that of the call that begins; null: none. Returns at once if another
 * thread makes a reading. Any thread; keeps errno. */
REFRAIN_SHARED void refrain_resident_read(struct refrain_call_site *call_site, uint64_t ticks);

#endif
