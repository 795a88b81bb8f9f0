/* help.h: what the tools say about themselves. */
#ifndef REFRAIN_HELP_H
#define REFRAIN_HELP_H

#include <stdio.h>

/* The wrappers' help: refrain-mpicc's when `mpi` is nonzero, else refrain-cc's. */
void refrain_help_print(const char *program, int mpi, FILE *file);

#endif
