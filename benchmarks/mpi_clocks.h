/* mpi_clocks.h: preloaded, does of what a tracer does at an MPI call only what none can do without: the call goes
 * through a function of its own; with CLOCKS, that also reads the clock before and after and adds up, for the thread,
 * what lay between. The functions themselves are made from mpi.h (mpi_clocks.sh). */
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

/* What the functions say: at the beginning, of a window or file that they use, at the end. */
#define REFRAIN_MPI_BEGIN(name) add(&times.outside)
#define refrain_window_used(call, window, rank, lock) (void)0
#define refrain_file_used(call, file) (void)0
#define refrain_call_end(call) add(&times.inside)

#endif
