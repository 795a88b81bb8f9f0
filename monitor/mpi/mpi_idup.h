/* mpi_idup.h: between the request table and MPI_Comm_idup: a duplicate is known once its request has completed. */
#ifndef REFRAIN_MPI_IDUP_H
#define REFRAIN_MPI_IDUP_H

/* The request of duplicate number `n` (refrain_request.parameters[0]) has completed. */
void refrain_idup_complete(unsigned n);

#endif
