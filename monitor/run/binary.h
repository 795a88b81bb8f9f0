/* binary.h: the files that the process's code is from, and what says later whether a file is the one that ran.
 *
 *     code address -> struct refrain_loaded -> struct refrain_binary of the trace file (refrain/trace.h), once each */
#ifndef REFRAIN_BINARY_H
#define REFRAIN_BINARY_H

#include "run/loaded.h"
#include "visibility.h"
#include <stdint.h>

/* The reference of the file's name. When the file is met for the first time its build id goes to the trace file; of one
 * without a build id, size and time of change. 0 when the pool is spent. Any thread. */
REFRAIN_HIDDEN uint32_t refrain_binary_name(const struct refrain_loaded *loaded);

#endif
