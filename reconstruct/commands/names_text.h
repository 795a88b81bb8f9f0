/* names_text.h: prints which code addresses have names, and what the user can do to get the missing ones (trace->names
 * -> standard output, JSON, standard error). */
#ifndef REFRAIN_NAMES_TEXT_H
#define REFRAIN_NAMES_TEXT_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Warns if names are missing because a file is not the one that ran, or because debuginfod did not answer. */
void refrain_warn_names(const struct refrain_trace *trace);

/* Prints how many code addresses have names and lines. Then, for the file that lacks most lines or, with `all`, for
 * each file that lacks some: the reason, and what to do. Prints nothing if the trace has no code addresses. */
void refrain_info_print_names(const struct refrain_trace *trace, bool all);

/* The same as JSON. */
struct json_t *refrain_info_names_json(const struct refrain_trace *trace);

/* package_of.c: sets packages[i] to the Debian package that has the file paths[i], malloced. Null if paths[i] is null,
 * if no package has the file, or without dpkg. Reads dpkg's lists (DPKG_ADMINDIR) once for all n files. */
void refrain_packages_of(const char *const *paths, char **packages, size_t n);

#endif
