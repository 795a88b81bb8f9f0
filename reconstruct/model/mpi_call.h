/* mpi_call.h: properties of each MPI function, and of those of the C library for files (refrain/mpi_calls.def ->
 * regions and their users). */
#ifndef REFRAIN_MPI_CALL_H
#define REFRAIN_MPI_CALL_H

#include <refrain/mpi_kinds.h>
#include <refrain/read.h>

struct refrain_mpi_call {
    const char *name;
    enum refrain_collective collective;
    enum refrain_own_time own_time;
    enum refrain_mpi_kind kind;
    enum refrain_mpi_pointer pointer; /* of an access to a file */
    enum refrain_region_kind region;  /* MPI, or IO for functions of the C library */
};

/* The function with this number in traces. An unknown function has the name "MPI_?". */
const struct refrain_mpi_call *refrain_mpi_call(uint32_t number);

/* The number of the function with this name; -1 if MPI has none. */
int32_t refrain_mpi_call_named(const char *name);

/* The number of the first function with that role; the number of all functions if there is none. */
int32_t refrain_mpi_call_of_role(enum refrain_collective role);

/* True if the region is a call that may name files, messages and the like: of MPI, or of the C library for files. */
static inline bool refrain_region_is_call(const struct refrain_region_info *region) {
    return region->kind == REFRAIN_REGION_MPI || region->kind == REFRAIN_REGION_IO;
}

/* What the calls of a region do; OTHER if it is no call of MPI or of the C library for files. */
enum refrain_mpi_kind refrain_mpi_kind(const struct refrain_region_info *region);

/* Which place of the file the accesses of a region are for; OWN_POINTER if it is no access. */
enum refrain_mpi_pointer refrain_mpi_pointer(const struct refrain_region_info *region);

#endif
