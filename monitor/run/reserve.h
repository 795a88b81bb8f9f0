/* reserve.h: reserves disk space before the monitor writes (own_files.c, events.c). */
#ifndef REFRAIN_RESERVE_H
#define REFRAIN_RESERVE_H

#include "visibility.h"
#include <stdbool.h>
#include <stdint.h>

/* Reserves the disk space of a part of a file. So a full disk is an error here, and not a signal at a store into the
 * mapping. If the file system cannot reserve, it writes zeros instead, and prints a message once. Returns 0 or an error
 * number: EFBIG if the process may not write files of that size (without the signal that would end it). */
REFRAIN_HIDDEN int refrain_reserve(int fd, uint64_t offset, uint64_t bytes);

/* The size of the largest file that this process may write (ulimit -f). UINT64_MAX without a limit. */
REFRAIN_HIDDEN uint64_t refrain_reserve_limit_bytes(void);

/* Makes the directory and all missing ones above it. False with errno set if it does not exist afterwards. Other
 * processes may do the same at the same time. `path` has at most REFRAIN_PATH_BYTES bytes. */
REFRAIN_HIDDEN bool refrain_reserve_directory(const char *path);

#endif
