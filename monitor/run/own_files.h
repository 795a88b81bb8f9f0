/* own_files.h: the files of this process: made in a directory of their own before the rank is known, moved to the
 * run's directory once it is (refrain_directory_propose(), refrain_trace_file_move()), gone when a file
 * of all ranks takes their place. One thread at a time. */
#ifndef REFRAIN_OWN_FILES_H
#define REFRAIN_OWN_FILES_H

#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

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

/* Called by MPI_Init[_thread] after PMPI_Init: rank and size are known and `directory` (absolute or relative to the
 * start directory), the same on all ranks, is where the trace file belongs; rank 0 has proposed it with
 * refrain_directory_propose(). Moves the files there. */
REFRAIN_SHARED void refrain_trace_file_move(int rank, int size, const char *directory);

/* Rank 0: chooses the run's directory (never an existing one), creates it, writes its path to `path`. */
REFRAIN_SHARED void refrain_directory_propose(char *path, size_t path_bytes);

/* Called by MPI_Abort before PMPI_Abort, of which no process returns to say that it has ended: the trace ends here, and
 * says so, and its file is packed. The process is not traced any more. */
REFRAIN_SHARED void refrain_trace_file_abort(int32_t code);

#endif
