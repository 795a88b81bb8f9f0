/* view_about.h: what the page says of a trace besides its picture (trace -> JSON that page/protocol.ts describes). */
#ifndef REFRAIN_VIEW_ABOUT_H
#define REFRAIN_VIEW_ABOUT_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* Program, losses, findings, tree with times, formulas; regions and communicators are the engine's (engine.c). The
 * caller releases *about. */
enum refrain_status refrain_view_about(struct refrain_trace *trace, struct json_t **about, struct refrain_error *error);

#endif
