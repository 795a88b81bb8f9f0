/* info_metrics.h: what refrain info says of REFRAIN_METRICS: what was counted, and why something was not. */
#ifndef REFRAIN_INFO_METRICS_H
#define REFRAIN_INFO_METRICS_H

#include "model/metric_totals.h"

struct json_t;

/* A line for what was counted, and one for each other that was asked for; nothing where nothing was. */
void refrain_info_print_metrics(const struct refrain_process *process);

/* The same for many ranks: what the first of them says, and on how many it is otherwise. */
void refrain_info_print_metrics_of_all(const struct refrain_trace *trace);

/* How much of the threads' time the counters ran, in percent. */
double refrain_info_metrics_percent(const struct refrain_process *process);

/* An array with an object for each that was asked for. */
struct json_t *refrain_info_metrics_json(const struct refrain_process *process);

#endif
