/* launcher.h: a launcher of another MPI is the user's mistake, and is told of. */
#ifndef REFRAIN_LAUNCHER_H
#define REFRAIN_LAUNCHER_H

#include "visibility.h"

/* Says in one process of the job where its launcher started several processes, but each is an MPI job of one rank: it
 * is that of another MPI. `size` of MPI_COMM_WORLD; `library` is the program's MPI. */
REFRAIN_SHARED void refrain_launcher_check(int size, const char *library);

#endif
