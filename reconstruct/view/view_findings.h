/* view_findings.h: what a page says of the losses of its run (trace -> JSON). The report lies behind the view on the
 * data's path and draws with it; so this is declared here and defined in report/report_view.c. */
#ifndef REFRAIN_VIEW_FINDINGS_H
#define REFRAIN_VIEW_FINDINGS_H

#include "model/trace_read.h"

struct json_t; /* jansson */

/* What refrain report --json prints of the trace; JSON's null where its events cannot be read. Replays the trace. Never
 * null; the caller releases it. */
struct json_t *refrain_view_findings(struct refrain_trace *trace);

#endif
