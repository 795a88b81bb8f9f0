/* mpi_often.h: copies of what most wrappers read, in one cache line, since the program has evicted most lines since the
 * last call. The owner of each field is another file. */
#ifndef REFRAIN_MPI_OFTEN_H
#define REFRAIN_MPI_OFTEN_H

#include "context.h"
#include <refrain/trace.h>
#include <stdint.h>
#pragma GCC visibility push(default)
#include <mpi.h>
#pragma GCC visibility pop

struct refrain_order_rank;
struct refrain_mpi_often {
    _Alignas(REFRAIN_LINE_BYTES) const
        struct refrain_communicator *world; /* the record of MPI_COMM_WORLD (mpi_communicators.c) */
    struct refrain_order_rank *order;       /* null: MPI chooses the order of messages (mpi_order.c) */
    int64_t type_bytes; /* size of the datatype used last; -1: none. Not used if several threads may call MPI */
    MPI_Datatype type;  /* the datatype used last (mpi_types.c) */
    /* The other communicator used last, and its record; null: none. Not used if several threads may call MPI. */
    MPI_Comm latest;
    const struct refrain_communicator *latest_record;
};
extern struct refrain_mpi_often refrain_mpi_often;

#endif
