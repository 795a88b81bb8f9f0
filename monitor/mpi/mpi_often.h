/* mpi_often.h: what most wrappers look at, in one cache line, as the program has mostly had the caches to itself since
 * the last call. Elsewhere each of it has its owner. */
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
    _Alignas(REFRAIN_LINE_BYTES) const struct refrain_communicator *world; /* of MPI_COMM_WORLD (mpi_communicators.c) */
    struct refrain_order_rank *order; /* null: messages come as MPI has them (mpi_order.c) */
    int64_t type_bytes; /* of a datatype that was asked for; -1: of none. Not where several threads may ask */
    MPI_Datatype type;  /* (mpi_types.c) */
    /* Of another communicator that was asked for; null: of none. Not where several threads may ask. */
    MPI_Comm latest;
    const struct refrain_communicator *latest_record;
};
extern struct refrain_mpi_often refrain_mpi_often;

#endif
