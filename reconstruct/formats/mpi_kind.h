/* mpi_kind.h: what sort of thing an MPI call does, for formats that tell sorts of calls apart. */
#ifndef REFRAIN_MPI_KIND_H
#define REFRAIN_MPI_KIND_H

#include "match/event.h"

enum refrain_mpi_kind {
    REFRAIN_MPI_OTHER,    /* initialisation, communicators, datatypes ... */
    REFRAIN_MPI_SEND,     /* blocking */
    REFRAIN_MPI_RECV,     /* blocking */
    REFRAIN_MPI_SENDRECV, /* both in one */
    REFRAIN_MPI_ISEND,    /* nonblocking, and persistent ones made */
    REFRAIN_MPI_IRECV,
    REFRAIN_MPI_START, /* persistent ones started */
    REFRAIN_MPI_WAIT,  /* for requests to complete */
    REFRAIN_MPI_TEST,  /* whether requests are complete */
    REFRAIN_MPI_PROBE, /* for a message */
    REFRAIN_MPI_BARRIER,
    REFRAIN_MPI_COLLECTIVE, /* all other ones */
    REFRAIN_MPI_RMA,
    REFRAIN_MPI_IO,
};

/* The kind of an MPI region, by its name. */
enum refrain_mpi_kind refrain_mpi_kind(const struct refrain_region_info *region);

#endif
