/* run.h: running the user's compiler and keeping the temporary files of one wrapper call. */
#ifndef REFRAIN_RUN_H
#define REFRAIN_RUN_H

#include "text.h"

/* Makes a directory for this call below TMPDIR. The name follows from `seed` where it is free, so that repeated builds
 * see the same names. False with errno set when it cannot. It is removed by refrain_run_clean(), also on signals. */
bool refrain_run_directory(struct refrain_text *path, const char *seed);
void refrain_run_clean(void);

/* In a child of the wrapper: the directory is the parent's. */
void refrain_run_forget(void);

/* Runs a command, standard error into `stderr_path` unless it is null. Returns its exit status, 128 + n when signal n
 * ended it, 127 when it could not be started. */
int refrain_run(char *const *arguments, const char *stderr_path);

/* Becomes the command; returns only to report on standard error that it cannot, with status 127. */
int refrain_run_become(char *const *arguments);

/* After a signal that asked the wrapper to stop: cleans up and dies of it. Else returns. */
void refrain_run_check_signal(void);

#endif
