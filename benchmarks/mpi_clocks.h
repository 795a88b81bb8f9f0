/* mpi_clocks.h: a preloaded library that does the least that any tracer does in an MPI call: the call goes through a
 * function of its own. With CLOCKS this function also reads the clock before and after the call, and adds up the time
 * for the thread. The functions are generated from mpi.h (mpi_clocks.sh). */
#ifndef MPI_CLOCKS_H
#define MPI_CLOCKS_H

#include <mpi.h>
#include <stdint.h>

struct times {
    uint64_t latest, outside, inside;
};
static __thread struct times times;

static inline void add(uint64_t *sum) {
#ifdef CLOCKS
    uint64_t now = __builtin_ia32_rdtsc();
    *sum += now - times.latest;
    times.latest = now;
#else
    ++*(volatile uint64_t *)sum; /* so that it is no tail call */
#endif
}

/* Used in the generated functions: at the beginning, for a window or file that the call uses, and at the end. */
#define REFRAIN_MPI_BEGIN(name) add(&times.outside)
#define refrain_window_used(call, window, rank, lock) (void)0
#define refrain_file_used(call, file) (void)0
#define refrain_call_end(call) add(&times.inside)

#endif
