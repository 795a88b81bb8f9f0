/* object_name.h: stores the names of executables, libraries and Python files once each in the trace file. */
#ifndef REFRAIN_OBJECT_NAME_H
#define REFRAIN_OBJECT_NAME_H

#include "visibility.h"
#include <stdint.h>

/* Returns the reference of the object's name. An empty path or null stands for the executable. 0 if the pool is full.
 */
REFRAIN_HIDDEN uint32_t refrain_object_name(const char *path);

#endif
