/* report_line.c: the first finding in a line (report_line.h). */
#include "report/report_line.h"
#include "match/replayable.h"
#include "report/report.h"
#include "times/block_times.h"

#include <stdlib.h>

#define MOST_BLOCKS 2000000u /* that are replayed without being asked to: some tenths of a second */

static char *line_of(struct refrain_report *report) {
    if (report->run_ns <= 0)
        return NULL;
    if (report->hung || refrain_report_is_short(report))
        return refrain_report_text(report, "%s", report->remark ? report->remark : "");
    if (report->n == 0)
        return refrain_report_text(report, "nothing that costs %s of the run or more was found",
                                   refrain_report_percent(report->least));
    return refrain_report_text(report, "%s%s of the run: %s", report->findings[0].at_most ? "at most " : "",
                               refrain_report_percent(report->findings[0].cost_ns / report->run_ns),
                               report->findings[0].sentence);
}

char *refrain_report_line(const char *path) {
    struct refrain_trace *trace;
    struct refrain_report report = {0};
    struct refrain_report_request request = {.least = REFRAIN_REPORT_LEAST};
    char *line = NULL;
    if (refrain_trace_open(path, true, &trace, NULL) != REFRAIN_OK)
        return NULL;
    if (refrain_replayable(trace, false, NULL) == REFRAIN_OK && refrain_trace_times(trace).blocks <= MOST_BLOCKS &&
        refrain_report_make(trace, &request, &report, NULL) == REFRAIN_OK)
        line = line_of(&report);
    refrain_report_close(&report);
    refrain_trace_close(trace);
    return line;
}
