/* view_about.h: what the page shows besides its picture (trace -> JSON, described in page/protocol.ts). */
#ifndef REFRAIN_VIEW_ABOUT_H
#define REFRAIN_VIEW_ABOUT_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Writes program, losses, findings, program tree with times, and formulas. The engine adds regions and communicators
 * (engine.c). The caller releases *about. */
enum refrain_status refrain_view_about(struct refrain_trace *trace, struct json_t **about, struct refrain_error *error);

#endif
