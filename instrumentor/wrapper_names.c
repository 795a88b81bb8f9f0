/* wrapper_names.c: names of the wrappers and of their compilers (wrapper_names.h). */
#include "wrapper_names.h"

#include <stddef.h>

const struct refrain_wrapper_names refrain_wrapper_names[REFRAIN_WRAPPERS] = {
    [REFRAIN_WRAPPER_ANY] = {"refrain-cc", NULL, NULL, "CC"},
    [REFRAIN_WRAPPER_MPI_C] = {"refrain-mpicc", "REFRAIN_MPICC", REFRAIN_DEFAULT_MPICC, "CC"},
    [REFRAIN_WRAPPER_MPI_CXX] = {"refrain-mpicxx", "REFRAIN_MPICXX", REFRAIN_DEFAULT_MPICXX, "CXX"},
    [REFRAIN_WRAPPER_MPI_FORTRAN] = {"refrain-mpifort", "REFRAIN_MPIFORT", REFRAIN_DEFAULT_MPIFORT, "FC"},
};
