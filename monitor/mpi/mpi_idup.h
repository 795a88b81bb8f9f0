/* mpi_idup.h: duplicates of communicators that are under way (MPI_Comm_idup): one is known once its request has
 * completed. All by any thread.
 *
 *     MPI_Comm_idup (mpi_comm_calls.c) -> begin, agree -> its request completes (mpi_requests.c) -> complete */
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

/* The request of duplicate number `n` has completed. */
void refrain_idup_complete(unsigned n);

#endif
