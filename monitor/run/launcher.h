/* launcher.h: prints a message if the launcher belongs to another MPI library than the program. */
#ifndef REFRAIN_LAUNCHER_H
#define REFRAIN_LAUNCHER_H

#include "visibility.h"

/* Prints a message if the launcher started several processes, but each process is an MPI job of its own with one rank:
 * then the launcher is that of another MPI library. One process of the job prints it. `size`: of MPI_COMM_WORLD;
 * `library`: the program's MPI. */
REFRAIN_SHARED void refrain_launcher_check(int size, const char *library);

#endif
