/* mpi_idup.h: duplicates of communicators that MPI_Comm_idup makes. Their members agree on a name without waiting, so
 * it may arrive later than the duplicate. Any thread.
 *
 *     MPI_Comm_idup -> refrain_idup_end(): begin, agree -> its request completes (mpi_requests.c) -> complete
 *     a call on the duplicate -> refrain_idup_needed() (below): waits for its name */
#ifndef REFRAIN_MPI_IDUP_H
#define REFRAIN_MPI_IDUP_H

#include "mpi_requests.h"

/* Begins to agree on the name of a duplicate, ends the call, and returns `rc`. PMPI_Comm_idup has returned `rc` and a
 * request, and will write the duplicate to *comm. `taken`: the request that was taken for it; null: none. Called by all
 * members of `parent`. If too many duplicates are being made, this one gets no name. Does not wait. */
int refrain_idup_end(struct refrain_call *call, struct refrain_request *taken, int rc, MPI_Comm parent, MPI_Comm *comm,
                     const MPI_Request *request);

/* The request of duplicate number `n` has completed. Does not wait. */
void refrain_idup_complete(unsigned n);

/* A communicator has been freed; it may be a duplicate without a name. */
void refrain_idup_freed(MPI_Comm former);

/* number of duplicates that have been made and have no name yet */
extern uint32_t refrain_idups_nameless;
void refrain_idup_wait(MPI_Comm comm);

/* Called before a call uses `comm`. If it is a duplicate without a name, waits for the name for up to ten seconds.
 * After that it has no name, and a loss is counted. The caller must not hold the lock. */
static inline void refrain_idup_needed(MPI_Comm comm) {
    if (__builtin_expect(__atomic_load_n(&refrain_idups_nameless, __ATOMIC_RELAXED) != 0, 0))
        refrain_idup_wait(comm);
}

/* Gives names to all duplicates without one. Called in MPI_Finalize, by all members. */
void refrain_idups_close(void);

#endif
