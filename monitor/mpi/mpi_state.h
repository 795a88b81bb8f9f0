/* mpi_state.h: what is known of MPI itself, the lock over what is remembered of its objects, and where the trace lies.
 */
#ifndef REFRAIN_MPI_STATE_H
#define REFRAIN_MPI_STATE_H

#include "mpi_wrap.h"

/* ---- mpi_state.c ---- */

/* MPI is initialised and traced by somebody, so that objects are remembered and agreed upon. */
extern bool refrain_mpi_active;
extern bool refrain_mpi_multiple; /* MPI_THREAD_MULTIPLE */
extern bool refrain_mpi_world;    /* there is an MPI_COMM_WORLD */
extern bool refrain_mpi_packs;    /* all ranks want REFRAIN_PACK */

/* ---- mpi_lock.c ---- */

/* The lock over what is remembered of MPI's objects, where several threads may call MPI. Who waits takes it from a
 * thread that has gone away with it. */
void refrain_mpi_lock_wait(void);
void refrain_mpi_lock_give(void);
static inline void refrain_mpi_lock(void) {
    if (refrain_mpi_multiple)
        refrain_mpi_lock_wait();
}
static inline void refrain_mpi_unlock(void) {
    if (refrain_mpi_multiple)
        refrain_mpi_lock_give();
}

/* ---- mpi_directory.c ---- */

/* By all members of `comm`, which are all processes of the run: the directory that its rank 0 proposes is everybody's.
 * `rank` and `size` are those in MPI_COMM_WORLD. Only the first time. */
void refrain_mpi_choose_directory(MPI_Comm comm, int rank, int size);
/* What the trace says of the MPI library. */
void refrain_mpi_describe(int thread_level);

#endif
