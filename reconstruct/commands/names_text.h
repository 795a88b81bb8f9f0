/* names_text.h: what became of the names of code addresses, and what brings those that are missing (trace->names ->
 * standard output, JSON, standard error). */
#ifndef REFRAIN_NAMES_TEXT_H
#define REFRAIN_NAMES_TEXT_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Says on standard error where names are missing since a file is not the one that ran, and where debuginfod did not
 * answer. */
void refrain_warn_names(const struct refrain_trace *trace);

/* How many places in code have names. For `all` files with places without a line, or the one with most of them: why
 * that is, and what to do. Prints nothing of a trace without places in code. */
void refrain_info_print_names(const struct refrain_trace *trace, bool all);

/* The same as JSON. */
struct json_t *refrain_info_names_json(const struct refrain_trace *trace);

/* package_of.c: sets packages[i] to the Debian package that the file of the full path paths[i] is from, malloced; to
 * null where that is null, or there is no package or no dpkg. Reads dpkg's lists (DPKG_ADMINDIR) once for all n. */
void refrain_packages_of(const char *const *paths, char **packages, size_t n);

#endif
