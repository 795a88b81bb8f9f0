/* mpi_state.h: the state of MPI, the lock of the tables of MPI's objects, and the directory of the trace. */
#ifndef REFRAIN_MPI_STATE_H
#define REFRAIN_MPI_STATE_H

#include "mpi_wrap.h"

/* ---- mpi_state.c ---- */

/* MPI is initialised and some process is traced, so objects are recorded and members agree on names */
extern bool refrain_mpi_active;
extern bool refrain_mpi_multiple; /* the thread level is MPI_THREAD_MULTIPLE */
extern bool refrain_mpi_world;    /* there is an MPI_COMM_WORLD */
extern bool refrain_mpi_packs;    /* all ranks have REFRAIN_PACK=on */

/* ---- mpi_lock.c ---- */

/* The lock of the tables of MPI's objects, used if several threads may call MPI. A thread that waits for long takes it
 * from an owner that no longer exists. */
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

/* All processes take the directory that rank 0 of `comm` proposes. Called by all members of `comm`, which are all
 * processes of the run. `rank` and `size`: in MPI_COMM_WORLD. Does something only the first time. */
void refrain_mpi_choose_directory(MPI_Comm comm, int rank, int size);
/* Writes the MPI library's name, version and thread level to the trace. */
void refrain_mpi_describe(int thread_level);

#endif
