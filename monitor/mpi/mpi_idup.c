/* mpi_idup.c: see mpi_idup.h. */
#include "mpi_idup.h"
#include "mpi_objects.h"

#define IDUPS 64 /* duplicates under way at a time that get a name */

/* Members may not wait for each other when they ask for a duplicate, but they ask for duplicates and other collectives
 * of the parent in the same order: the ordinal is broadcast in the parent, without blocking. */
static struct idup {
    MPI_Comm parent, *comm;
    MPI_Request agreement;
    uint32_t ordinal;
    bool used;
} idups[IDUPS];

static uint32_t ordinal_beyond; /* received for duplicates beyond the table */

int refrain_idup_begin(MPI_Comm parent, MPI_Comm *comm) {
    int n = 0;
    refrain_mpi_lock();
    while (n < IDUPS && idups[n].used)
        n++;
    if (n < IDUPS)
        idups[n] = (struct idup){parent, comm, MPI_REQUEST_NULL, REFRAIN_ORDINAL_NONE, true};
    refrain_mpi_unlock();
    return n < IDUPS ? n : REFRAIN_IDUP_NONE;
}

void refrain_idup_agree(int n, MPI_Comm parent) {
    MPI_Request forgotten;
    struct idup *idup = n == REFRAIN_IDUP_NONE ? NULL : &idups[n];
    uint32_t *ordinal = idup ? &idup->ordinal : &ordinal_beyond;
    if (refrain_communicator_reserve(parent, ordinal, idup != NULL))
        PMPI_Ibcast(ordinal, 1, MPI_UNSIGNED, 0, parent, idup ? &idup->agreement : &forgotten);
}

void refrain_idup_complete(unsigned n) {
    struct idup *idup = &idups[n];
    PMPI_Wait(&idup->agreement, MPI_STATUS_IGNORE);
    refrain_communicator_duplicated(idup->parent, *idup->comm, idup->ordinal);
    refrain_mpi_lock();
    idup->used = false;
    refrain_mpi_unlock();
}
