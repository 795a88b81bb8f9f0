/* report_load.h: what each rank did over the run, as a picture (delays -> SVG). */
#ifndef REFRAIN_REPORT_LOAD_H
#define REFRAIN_REPORT_LOAD_H

#include "report/report.h"

/* Draws a row for each rank, or for so many neighbours together that there are at most 64: computing from below, then
 * MPI, waiting on top. */
void refrain_report_draw_load(const struct refrain_report *report, FILE *file);

#endif
