/* report_load.h: draws what each rank did over the run (delays -> SVG). */
#ifndef REFRAIN_REPORT_LOAD_H
#define REFRAIN_REPORT_LOAD_H

#include "report/report.h"

/* Draws a row for each rank; with more than 64 ranks, neighbours share a row. Computing is at the bottom, then MPI,
 * then waiting. */
void refrain_report_draw_load(const struct refrain_report *report, FILE *file);

#endif
