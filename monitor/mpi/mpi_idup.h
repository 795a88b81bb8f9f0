/* mpi_idup.h: duplicates of communicators that are under way (MPI_Comm_idup), and those that have been made but not
 * named: their name is agreed upon without waiting, and may arrive later than they do. All by any thread.
 *
 *     MPI_Comm_idup (mpi_comm_calls.c) -> begin, agree -> its request completes (mpi_request_complete.c) -> complete
 *     a call on the duplicate -> refrain_idup_needed (below): only here its name is waited for */
#ifndef REFRAIN_MPI_IDUP_H
#define REFRAIN_MPI_IDUP_H

#include "mpi_wrap.h"

#define REFRAIN_IDUP_NONE (-1)

/* A number for a duplicate of `parent` that MPI will write to *comm; REFRAIN_IDUP_NONE where as many as are remembered
 * are under way, so that it gets no name. */
int refrain_idup_begin(MPI_Comm parent, MPI_Comm *comm);

/* By all members of `parent`: agrees upon the duplicate's name, or takes part where this process does not want one
 * (REFRAIN_IDUP_NONE). Does not wait. */
void refrain_idup_agree(int n, MPI_Comm parent);

/* The request of duplicate number `n` has completed. Does not wait. */
void refrain_idup_complete(unsigned n);

/* A communicator has been freed, which may have been one without a name. */
void refrain_idup_freed(MPI_Comm former);

/* Duplicates that have been made and have no name yet. */
extern uint32_t refrain_idups_nameless;
void refrain_idup_wait(MPI_Comm comm);

/* A call names `comm`: if it is such a duplicate, waits for its name, ten seconds at most. After that it stays without
 * one, and a loss is counted. The caller does not hold the lock. */
static inline void refrain_idup_needed(MPI_Comm comm) {
    if (__builtin_expect(__atomic_load_n(&refrain_idups_nameless, __ATOMIC_RELAXED) != 0, 0))
        refrain_idup_wait(comm);
}

/* In MPI_Finalize, which all members call: those that have no name yet get it. */
void refrain_idups_close(void);

#endif
