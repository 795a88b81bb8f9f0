/* object_name.h: the names of executables, libraries and Python files, each once in the trace file. */
#ifndef REFRAIN_OBJECT_NAME_H
#define REFRAIN_OBJECT_NAME_H

#include "visibility.h"
#include <stdint.h>

/* The reference of the object's name; the executable's where the path is empty or null, 0 when the pool is spent. */
REFRAIN_HIDDEN uint32_t refrain_object_name(const char *path);

#endif
