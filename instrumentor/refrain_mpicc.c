/* refrain_mpicc.c: refrain-mpicc ARGS... */
#include "wrapper.h"

int main(int argc, char **argv) {
    return refrain_wrapper(argc, argv, REFRAIN_WRAPPER_MPI_C);
}
