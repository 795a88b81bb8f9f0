/* mpi_idup.h: duplicates of communicators that are under way (MPI_Comm_idup), and those that have been made but not
 * named: their name is agreed upon without waiting, and may arrive later than they do. All by any thread.
 *
 *     MPI_Comm_idup -> refrain_idup_end(): begin, agree -> its request completes (mpi_requests.c) -> complete
 *     a call on the duplicate -> refrain_idup_needed (below): only here its name is waited for */
#ifndef REFRAIN_MPI_IDUP_H
#define REFRAIN_MPI_IDUP_H

#include "mpi_requests.h"

/* By all members of `parent`: PMPI_Comm_idup has returned `rc` with a request, for which `taken` was taken (null:
 * none), and will write the duplicate to *comm. Agrees upon the duplicate's name, ends the call and returns `rc`. The
 * duplicate gets no name where as many as are remembered are under way. Does not wait. */
int refrain_idup_end(struct refrain_call *call, struct refrain_request *taken, int rc, MPI_Comm parent, MPI_Comm *comm,
                     const MPI_Request *request);

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
