/* own_files.h: the files of this process.
 *
 * A process makes them before its rank is known, in a directory of their own. As soon as the rank is known, they move
 * to the directory of the run (refrain_directory_propose(), refrain_trace_file_move()). They are removed if one file of
 * all ranks replaces them (pack_ranks.h). One thread at a time. */
#ifndef REFRAIN_OWN_FILES_H
#define REFRAIN_OWN_FILES_H

#include "visibility.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Makes the directory and the trace file, reserves `bytes` bytes on the disk and maps the file. The first `at_once`
 * bytes are prepared for use. Prints a message and returns null if this fails. */
REFRAIN_HIDDEN void *refrain_own_files_make(uint64_t bytes, uint64_t at_once);

/* Makes the file of recorded events in the same directory. Null with errno set. */
REFRAIN_HIDDEN struct refrain_events *refrain_own_files_events(void);

/* Removes the files and their directory. To be called before the rank is known. */
REFRAIN_HIDDEN void refrain_own_files_remove(void);

/* Removes this process's own file, since a pack holds its trace now. `last`: removes the directory, too. */
REFRAIN_HIDDEN void refrain_own_files_drop(bool last);

/* The absolute paths of the directory and of the trace file. */
REFRAIN_HIDDEN const char *refrain_own_files_directory(void);
REFRAIN_HIDDEN const char *refrain_own_files_trace_file(void);

/* Prints that something cannot be done with `path`, and that the program runs untraced. `error`: a value of errno. */
REFRAIN_HIDDEN void refrain_say_untraced(const char *what, const char *path, int error);

/* Moves the files to the directory of the run, `directory` (absolute, or relative to the start directory; the same on
 * all ranks). Rank 0 has chosen it with refrain_directory_propose(). Called by MPI_Init[_thread] after PMPI_Init. */
REFRAIN_SHARED void refrain_trace_file_move(int rank, int size, const char *directory);

/* Rank 0: creates the directory of the run, under a name that does not exist yet, and writes its path to `path`. */
REFRAIN_SHARED void refrain_directory_propose(char *path, size_t path_bytes);

/* Ends tracing in this process, records MPI_Abort as the reason, and packs the trace file. Called by MPI_Abort before
 * PMPI_Abort, which does not return. */
REFRAIN_SHARED void refrain_trace_file_abort(int32_t code);

#endif
