/* binary.h: lists the files that the process's code was loaded from, with the data by which a reader recognises each
 * file later.
 *
 *     code address -> struct refrain_loaded -> one struct refrain_binary a file in the trace file (refrain/trace.h) */
#ifndef REFRAIN_BINARY_H
#define REFRAIN_BINARY_H

#include "run/loaded.h"
#include "visibility.h"
#include <stdint.h>

/* Returns the reference of the file's name. The first call for a file adds it to the list, with its build id, or
 * without one its size and time of change. 0 if the pool is full. Any thread. */
REFRAIN_HIDDEN uint32_t refrain_binary_name(const struct refrain_loaded *loaded);

#endif
