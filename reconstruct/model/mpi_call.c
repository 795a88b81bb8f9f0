/* mpi_call.c: the table of MPI functions (mpi_call.h). */
#include "model/mpi_call.h"

#include <string.h>

/* The regions of calls, by the class of the function in mpi_calls.def. */
enum {
    REGION_OWN = REFRAIN_REGION_MPI,
    REGION_DOES = REFRAIN_REGION_MPI,
    REGION_PLAIN = REFRAIN_REGION_MPI,
    REGION_FORTRAN = REFRAIN_REGION_MPI,
    REGION_POSIX = REFRAIN_REGION_IO
};

static const struct refrain_mpi_call calls[] = {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...)                                                 \
    {#name,                                                                                                            \
     REFRAIN_COLLECTIVE_##collective,                                                                                  \
     REFRAIN_OWN_TIME_##own_time,                                                                                      \
     REFRAIN_MPI_KIND_OF(REFRAIN_MPI_##kind),                                                                          \
     REFRAIN_MPI_POINTER_OF(REFRAIN_MPI_##kind),                                                                       \
     (enum refrain_region_kind)REGION_##class},
#include <refrain/mpi_calls.def>
#undef REFRAIN_MPI_CALL
};
#define CALLS (sizeof calls / sizeof *calls)

const struct refrain_mpi_call *refrain_mpi_call(uint32_t number) {
    static const struct refrain_mpi_call unknown = {
        "MPI_?",           REFRAIN_COLLECTIVE_NONE, REFRAIN_OWN_TIME_TRANSMISSION,
        REFRAIN_MPI_OTHER, REFRAIN_MPI_OWN_POINTER, REFRAIN_REGION_MPI};
    return number < CALLS ? &calls[number] : &unknown;
}

int32_t refrain_mpi_call_named(const char *name) {
    for (size_t i = 0; i < CALLS; i++)
        if (strcmp(calls[i].name, name) == 0)
            return (int32_t)i;
    return -1;
}

int32_t refrain_mpi_call_of_role(enum refrain_collective role) {
    size_t i = 0;
    while (i < CALLS && calls[i].collective != role)
        i++;
    return (int32_t)i;
}

static const struct refrain_mpi_call *call_of(const struct refrain_region_info *region) {
    return refrain_region_is_call(region) && region->mpi ? refrain_mpi_call(region->mpi - 1) : NULL;
}

enum refrain_mpi_kind refrain_mpi_kind(const struct refrain_region_info *region) {
    const struct refrain_mpi_call *call = call_of(region);
    return call ? call->kind : REFRAIN_MPI_OTHER;
}

enum refrain_mpi_pointer refrain_mpi_pointer(const struct refrain_region_info *region) {
    const struct refrain_mpi_call *call = call_of(region);
    return call ? call->pointer : REFRAIN_MPI_OWN_POINTER;
}
