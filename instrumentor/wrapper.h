/* wrapper.h: the compiler wrappers refrain-cc and refrain-mpicc. */
#ifndef REFRAIN_WRAPPER_H
#define REFRAIN_WRAPPER_H

/* Runs the command line of refrain-cc (mpi 0: the first argument is the compiler) or refrain-mpicc (mpi 1). Returns the
 * exit status, if it returns. */
int refrain_wrapper(int argc, char **argv, int mpi);

#endif
