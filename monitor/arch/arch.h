/* arch.h: the interface to the processor. The monitor outside of arch/ is plain C.
 *
 *     arch.h           order of stores, and the functions that each processor's header defines
 *     clock.h          the probes' clock
 *     system_call.h    system calls that change no register and not errno
 *     registers.h      calls of other libraries from probes, with all registers saved
 *     caller.h         frames above a return address
 *     x86_64/          all functions, and the entry of sites (probes that are instructions in the program's code)
 *     aarch64/         counter and frames; everything else as in generic/
 *     generic/         any other processor: the system's clock, no sites, no frames above that of a wrapper
 *
 * A processor's header defines, all inline and without other registers than the general ones:
 *
 *     REFRAIN_FRAME_ADDRESS       In a function that the program calls: two words below the frame of its caller, and
 *                                 above all that it calls itself.
 *     REFRAIN_ARCH_HAS_COUNTER    1 if the processor has a time counter.
 *     refrain_arch_counter()      Ticks now. May be read before earlier instructions have ended.
 *     refrain_arch_counter_is_steady()  True if its rate never changes and a tick is shorter than a probe.
 *     refrain_arch_wait()         Waits until all earlier instructions have ended.
 *     refrain_arch_displace()     Removes bytes from the caches. False if the processor cannot.
 *     refrain_arch_copy_long()    Copies with the processor's instruction, upwards. False if it has none.
 *     refrain_arch_read_metric()  Reads the hardware counter with this index, from 1 on. False if it cannot.
 *     refrain_arch_call_system()  A system call with three arguments. Its result, or -errno. Keeps errno.
 */
#ifndef REFRAIN_ARCH_H
#define REFRAIN_ARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#if defined(REFRAIN_ARCH_GENERIC) /* for tests: what any processor has */
#include "arch/generic/arch_generic.h"
#elif defined(__x86_64__)
#include "arch/x86_64/arch_x86_64.h"
#elif defined(__aarch64__)
#include "arch/aarch64/arch_aarch64.h"
#else
#include "arch/generic/arch_generic.h"
#endif

/* Distance from the thread pointer to refrain_place (refrain/unit.h), to which inserted code stores on x86-64. 0
 * elsewhere. */
static inline long refrain_arch_place_distance(void) {
    long distance = 0;
#ifdef __x86_64__
    __asm__("mov refrain_place_10@gottpoff(%%rip), %0" : "=r"(distance));
#endif
    return distance;
}

/* ---- the order of stores ----
 *
 *     who sees the stores                            what keeps their order
 *     a signal handler of the same thread            refrain_keep_order(): the compiler keeps the order
 *     a reader of the file of an ended process       the same: a process ends between two of its instructions
 *     another thread; a reader while it runs         refrain_publish() or refrain_commit(): the processor keeps it, too
 */

/* Stores `value`. A thread or process that reads it with ACQUIRE order sees all earlier stores. */
#define refrain_publish(place, value) __atomic_store_n((place), (value), __ATOMIC_RELEASE)

/* Orders all earlier stores before all later ones, as other threads and processes see them. Costs nothing on x86-64, a
 * barrier elsewhere. */
static inline void refrain_commit(void) {
    __atomic_thread_fence(__ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static inline void refrain_keep_order(void) {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

#endif
