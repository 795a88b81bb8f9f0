/* report_line.h: the first finding of a run in one line, if that takes little time (refrain record -> report). */
#ifndef REFRAIN_REPORT_LINE_H
#define REFRAIN_REPORT_LINE_H

/* "25 % of the run: rank 2 computes ...", or that nothing was found; malloced. Null if the trace is large or no report
 * can be made. Uses the names of code that are stored with the trace. */
char *refrain_report_line(const char *path);

#endif
