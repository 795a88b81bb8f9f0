/* program.h: the instrumentor as a program of its own, refrain-instrumentor, where clang's static libraries were there
 * when refrain was built (clang_interface.cpp). It lies beside refrain's libraries.
 *
 *     refrain-instrumentor WORD...     does a job (job.h) and exits with its status
 *
 * It starts in a fifteenth of the time that loading libclang takes. Where it is missing the caller goes on itself, with
 * libclang.
 */
#ifndef REFRAIN_PROGRAM_H
#define REFRAIN_PROGRAM_H

#include "job.h"
#include <sys/types.h>

#define REFRAIN_PROGRAM_CANNOT_RUN 127 /* exit status, as the dynamic linker's where it finds no library */

/* Finds it; false where there is none. */
bool refrain_program_path(struct refrain_text *path);

/* Starts it with the job. Returns the process; -1 where it cannot be started. */
pid_t refrain_program_start(const struct refrain_job *job);

#endif
