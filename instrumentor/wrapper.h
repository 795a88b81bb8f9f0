/* wrapper.h: the compiler wrappers refrain-cc, refrain-mpicc, refrain-mpicxx and refrain-mpifort. */
#ifndef REFRAIN_WRAPPER_H
#define REFRAIN_WRAPPER_H

#include "wrapper_names.h"

/* Runs the command line. Returns the exit status, if it returns. */
int refrain_wrapper(int argc, char **argv, enum refrain_wrapper_kind kind);

#endif
