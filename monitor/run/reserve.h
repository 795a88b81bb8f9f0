/* reserve.h: room in the file system for what the monitor is about to write (own_files.c, events.c). */
#ifndef REFRAIN_RESERVE_H
#define REFRAIN_RESERVE_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Reserves the disk space of a part of a file, so that a full disk is an error here and not a signal at a store into
 * the mapping. Where the file system cannot reserve, zeros are written, and a message says so once. Returns 0 or an
 * error number: EFBIG where the process may not write files that long (without the signal that would end it). */
REFRAIN_HIDDEN int refrain_reserve(int fd, uint64_t offset, uint64_t bytes);

/* The longest file this process may write (ulimit -f), UINT64_MAX without a limit. */
REFRAIN_HIDDEN uint64_t refrain_reserve_limit_bytes(void);

/* Makes the directory and those above it that are not there. False with errno set where it is not there afterwards.
 * Other processes may do the same meanwhile. `path` is at most REFRAIN_PATH_BYTES long. */
REFRAIN_HIDDEN bool refrain_reserve_directory(const char *path);

#endif
