/* view_findings.h: the losses of a run for its page (trace -> JSON). Defined in report/report_view.c: a report uses
 * this folder to draw, so this folder must not include report/. */
#ifndef REFRAIN_VIEW_FINDINGS_H
#define REFRAIN_VIEW_FINDINGS_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* The JSON of refrain report --json; null of JSON if the events cannot be read. Replays the trace. Never NULL; the
 * caller releases it. */
struct json_t *refrain_view_findings(struct refrain_trace *trace);

#endif
