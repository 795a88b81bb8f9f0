/* mpi_state.c: the state of MPI. */
#include "mpi_state.h"
#include "run/tracing.h"

struct refrain_mpi_often refrain_mpi_often = {.type_bytes = -1};
bool refrain_mpi_active, refrain_mpi_multiple, refrain_mpi_world, refrain_mpi_packs;

/* The rank is unknown before MPI is initialised. */
static __attribute__((constructor)) void announce(void) {
    refrain_mpi_linked = 1;
}
