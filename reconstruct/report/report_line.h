/* report_line.h: the first finding of a run in a line, where that takes little time (refrain record -> report). */
#ifndef REFRAIN_REPORT_LINE_H
#define REFRAIN_REPORT_LINE_H

/* "25 % of the run: rank 2 computes ..."; or that nothing was found. Malloced. Null where the trace is large, or has no
 * report. Names of code are those stored with it. */
char *refrain_report_line(const char *path);

#endif
