/* warn.h: prints warnings on standard error: losses, and events that a format cannot represent (formats, commands ->
 * standard error). */
#ifndef REFRAIN_WARN_H
#define REFRAIN_WARN_H

#include <stdbool.h>

/* --quiet: no warnings are printed. Errors are not warnings. */
extern bool refrain_warn_quiet;

/* Prints a line "refrain: ..." on standard error, unless quiet. The format has no newline. */
void refrain_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
