/* view_about.h: what the page says of a trace besides its picture (trace -> JSON that page/protocol.ts describes). */
#ifndef REFRAIN_VIEW_ABOUT_H
#define REFRAIN_VIEW_ABOUT_H

#include "trace_read.h"

struct json_t; /* jansson */

/* Program, regions by index, communicators, losses, tree with times, formulas. The caller releases *about. */
enum refrain_status refrain_view_about(const struct refrain_trace *trace, struct json_t **about,
                                       struct refrain_error *error);

/* Where calls that the source did not tell were made from, as the engine reads it (engine_symbols): lines of object,
 * return address in hexadecimal, function, file and line, by tabs. Null without memory; the caller frees it. */
char *refrain_view_symbols(const struct refrain_trace *trace);

#endif
