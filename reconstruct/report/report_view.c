/* report_view.c: the report of a trace for its page (view_findings.h). */
#include "report/report.h"
#include "view/view_findings.h"

#include <jansson.h>

struct json_t *refrain_view_findings(struct refrain_trace *trace) {
    struct refrain_report report = {0};
    struct refrain_report_request request = {.least = REFRAIN_REPORT_LEAST,
                                             .recorded = trace->processes[0].header->mode == REFRAIN_MODE_EVENTS};
    /* Of a damaged trace there is a report up to the damage, which the page shows as well. */
    refrain_report_make(trace, &request, &report, NULL);
    json_t *object = report.activity && !report.no_memory ? refrain_report_json(&report) : json_null();
    refrain_report_close(&report);
    return object;
}
