/* objects.h: records of windows and files in the trace file (struct refrain_object), for MPI's windows and files
 * (mpi_windows.c) and for files of the system (io/io_files.c). Any thread. A signal handler that interrupts
 * refrain_object_open() gets no record. */
#ifndef REFRAIN_OBJECTS_H
#define REFRAIN_OBJECTS_H

#include "visibility.h"
#include <refrain/trace.h>
#include <stdint.h>

/* Returns the record of a window or file that was made on a communicator (`comm`: its index + 1, 0 none), with the
 * lowest free slot. Files without a name are distinguished by their slots. `name`: of a file, else null. Null, and
 * counted as lost, without memory. */
REFRAIN_SHARED struct refrain_object *refrain_object_open(enum refrain_object_kind kind, uint32_t comm,
                                                          const char *name);

/* The window or file is gone: its record may be used again. Null: does nothing. */
REFRAIN_SHARED void refrain_object_close(struct refrain_object *object);

#endif
