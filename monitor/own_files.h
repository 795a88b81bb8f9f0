/* own_files.h: the files of this process: made in a directory of their own before the rank is known, moved to the
 * run's directory once it is (refrain_directory_propose(), refrain_trace_file_move() in monitor.h), gone when a file
 * of all ranks takes their place. One thread at a time. */
#ifndef REFRAIN_OWN_FILES_H
#define REFRAIN_OWN_FILES_H

#include "monitor.h"

/* Makes the directory and the trace file, of `bytes` bytes that are reserved on the disk, and maps it; the first
 * `at_once` bytes are used soon. Prints a message and returns null where that fails. */
REFRAIN_HIDDEN void *refrain_own_files_make(uint64_t bytes, uint64_t at_once);

/* Makes the file of recorded events beside it; null with errno set. */
REFRAIN_HIDDEN struct refrain_events *refrain_own_files_events(void);

/* Removes the files and their directory, before the rank is known. */
REFRAIN_HIDDEN void refrain_own_files_remove(void);

/* A pack now holds this process's trace: removes its own file and, with `last`, the directory. */
REFRAIN_HIDDEN void refrain_own_files_drop(bool last);

/* Where the files are now, absolute; and the trace file. */
REFRAIN_HIDDEN const char *refrain_own_files_directory(void);
REFRAIN_HIDDEN const char *refrain_own_files_trace_file(void);

/* Says what cannot be done with `path`, and that the program runs untraced. `error` as errno. */
REFRAIN_HIDDEN void refrain_say_untraced(const char *what, const char *path, int error);

#endif
