/* info_metrics.h: prints which counters of REFRAIN_METRICS ran, and why others did not (refrain info). */
#ifndef REFRAIN_INFO_METRICS_H
#define REFRAIN_INFO_METRICS_H

#include "model/metric_totals.h"

struct json_t;

/* Prints a line with the counters that ran, and a line for each other counter that was requested. */
void refrain_info_print_metrics(const struct refrain_process *process);

/* The same for many ranks: prints the lines of the first rank, and on how many ranks they differ. */
void refrain_info_print_metrics_of_all(const struct refrain_trace *trace);

/* The part of the threads' time in which the counters ran, in percent. */
double refrain_info_metrics_percent(const struct refrain_process *process);

/* An array with an object for each requested counter. */
struct json_t *refrain_info_metrics_json(const struct refrain_process *process);

#endif
