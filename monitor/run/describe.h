/* describe.h: what the trace says of the process: program, settings, host. */
#ifndef REFRAIN_DESCRIBE_H
#define REFRAIN_DESCRIBE_H

#include <refrain/trace.h>
#include <stddef.h>

/* The path of the program goes to `path`; returned is its name, in there. "a.out" where it is not known. */
__attribute__((visibility("hidden"))) const char *refrain_executable_name(char *path, size_t bytes);

/* Sets the fields of the header that tell of the process; the names take room of the pool. */
__attribute__((visibility("hidden"))) void refrain_describe_process(struct refrain_header *header);

#endif
