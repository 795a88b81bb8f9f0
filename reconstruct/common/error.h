/* error.h: how functions of the offline tools fail: with a status and a message of one line (reconstruct/ -> main).
 *
 * The function that finds a failure fills in the error and returns a status. Its callers pass both on. Only main
 * prints the message and exits. A message says what was read, where, what is wrong and what to do. */
#ifndef REFRAIN_ERROR_H
#define REFRAIN_ERROR_H

#include <refrain/read.h>

/* Fills in the error, unless it is null or already holds one. Returns `code`. */
enum refrain_status refrain_error_set(struct refrain_error *error, enum refrain_status code, const char *file, int line,
                                      const char *format, ...) __attribute__((format(printf, 5, 6)));

#define REFRAIN_FAIL(error, ...) refrain_error_set((error), REFRAIN_ERROR, __FILE__, __LINE__, __VA_ARGS__)
#define REFRAIN_FAIL_USAGE(error, ...) refrain_error_set((error), REFRAIN_USAGE, __FILE__, __LINE__, __VA_ARGS__)
#define REFRAIN_FAIL_MEMORY(error) REFRAIN_FAIL((error), "out of memory")

#endif
