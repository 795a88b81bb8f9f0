/* mpi_call.h: what is known of an MPI function (refrain/mpi_calls.def -> regions -> all that asks what a call does). */
#ifndef REFRAIN_MPI_CALL_H
#define REFRAIN_MPI_CALL_H

#include <refrain/mpi_kinds.h>
#include <refrain/read.h>

struct refrain_mpi_call {
    const char *name;
    enum refrain_collective collective;
    enum refrain_own_time own_time;
    enum refrain_mpi_kind kind;
};

/* The function with that number in traces; of one that is not known the name is "MPI_?". */
const struct refrain_mpi_call *refrain_mpi_call(uint32_t number);

/* The number of the function with that name; -1 where MPI has none. */
int32_t refrain_mpi_call_named(const char *name);

/* The number of the first function of that role. */
int32_t refrain_mpi_call_of_role(enum refrain_collective role);

/* What a region does, OTHER where it is no MPI call. */
enum refrain_mpi_kind refrain_mpi_kind(const struct refrain_region_info *region);

#endif
