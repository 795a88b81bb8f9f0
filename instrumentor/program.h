/* program.h: refrain-instrumentor, the instrumentor as a separate program, beside the libraries of refrain. It
 * exists if clang's static libraries were available when refrain was built (clang_interface.cpp).
 *
 *     refrain-instrumentor WORD...     does a job (job.h) and exits with its status
 *
 * It starts in a fifteenth of the time needed to load libclang. If it is missing, the caller does the job itself,
 * with libclang. */
#ifndef REFRAIN_PROGRAM_H
#define REFRAIN_PROGRAM_H

#include "job.h"
#include <sys/types.h>

#define REFRAIN_PROGRAM_CANNOT_RUN 127 /* exit status; also that of the dynamic linker if a library is missing */

/* Finds the program. False if there is none. */
bool refrain_program_path(struct refrain_text *path);

/* Starts the program with the job. Returns the process; -1 if it cannot be started. */
pid_t refrain_program_start(const struct refrain_job *job);

#endif
