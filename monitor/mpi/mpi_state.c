/* mpi_state.c: what is known of MPI itself, and the lock over what is remembered of its objects. */
#include "mpi_objects.h"

#include <sched.h>

bool refrain_mpi_active, refrain_mpi_multiple, refrain_mpi_world, refrain_mpi_packs;

static int lock;

void refrain_mpi_lock_wait(void) {
    for (unsigned n = 1; __atomic_exchange_n(&lock, 1, __ATOMIC_ACQUIRE); n++)
        if (n % 64 == 0)
            sched_yield();
}

void refrain_mpi_lock_give(void) {
    __atomic_store_n(&lock, 0, __ATOMIC_RELEASE);
}

/* The rank is not known before MPI is initialised. */
static __attribute__((constructor)) void announce(void) {
    refrain_mpi_linked = 1;
}
