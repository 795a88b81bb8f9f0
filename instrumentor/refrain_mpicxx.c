/* refrain_mpicxx.c: refrain-mpicxx ARGS... */
#include "wrapper.h"

int main(int argc, char **argv) {
    return refrain_wrapper(argc, argv, REFRAIN_WRAPPER_MPI_CXX);
}
