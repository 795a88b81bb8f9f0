/* refrain_mpifort.c: refrain-mpifort ARGS... */
#include "wrapper.h"

int main(int argc, char **argv) {
    return refrain_wrapper(argc, argv, REFRAIN_WRAPPER_MPI_FORTRAN);
}
