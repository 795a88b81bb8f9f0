/* describe.h: writes into the trace what process it is of: program, arguments, settings, host. */
#ifndef REFRAIN_DESCRIBE_H
#define REFRAIN_DESCRIBE_H

#include <refrain/trace.h>
#include <stddef.h>

/* Writes the path of the program to `path`, and returns its name, the last part of `path`. Returns "a.out" if the path
 * is unknown. */
__attribute__((visibility("hidden"))) const char *refrain_executable_name(char *path, size_t bytes);

/* Sets the fields of the header that describe the process. Their texts are taken from the pool. */
__attribute__((visibility("hidden"))) void refrain_describe_process(struct refrain_header *header);

#endif
