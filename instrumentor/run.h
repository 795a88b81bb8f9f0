/* run.h: runs the compiler of the user, and keeps the temporary files of one call of the wrapper. */
#ifndef REFRAIN_RUN_H
#define REFRAIN_RUN_H

#include "text.h"

/* Makes a directory for this call below TMPDIR. Its name is derived from `seed` if that is free, so that repeated
 * builds see the same names. False with errno set after a failure. refrain_run_clean() removes the directory, also
 * after signals. */
bool refrain_run_directory(struct refrain_text *path, const char *seed);
void refrain_run_clean(void);

/* For a child of the wrapper: the directory belongs to the parent. */
void refrain_run_forget(void);

/* Runs a command, with standard error to `stderr_path` unless that is null. Returns its exit status; 128 + n if
 * signal n ended it; 127 if it could not be started. */
int refrain_run(char *const *arguments, const char *stderr_path);

/* Becomes the command. Returns only if that fails, after a message, with status 127. */
int refrain_run_become(char *const *arguments);

/* If a signal has asked the wrapper to stop: cleans up and dies of this signal. */
void refrain_run_check_signal(void);

#endif
