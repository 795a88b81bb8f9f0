/* metric_totals.h: totals of the counters that were recorded beside the time (REFRAIN_METRICS), by name, over all
 * processes (trace -> profile, stats). Processes may have different counters; a missing counter adds nothing. */
#ifndef REFRAIN_METRIC_TOTALS_H
#define REFRAIN_METRIC_TOTALS_H

#include "model/trace_read.h"

/* Totals of the metrics of the trace, trace->n_metrics of them. */
struct refrain_metric_totals {
    uint64_t value[REFRAIN_MOST_METRICS];
};

/* Adds the counters of all blocks of a place. */
void refrain_metrics_add(const struct refrain_process *process, const struct refrain_slot *slot,
                         struct refrain_metric_totals *totals);

/* Adds the counters of all MPI calls from a call site, including their operations. */
void refrain_metrics_add_call_site(const struct refrain_process *process, const struct refrain_call_site *call_site,
                                   struct refrain_metric_totals *totals);

static inline void refrain_metrics_add_up(struct refrain_metric_totals *totals,
                                          const struct refrain_metric_totals *more) {
    for (unsigned i = 0; i < REFRAIN_MOST_METRICS; i++)
        totals->value[i] += more->value[i];
}

/* Totals of the own blocks of each region (by its index), and of each process (by its index in trace->processes). */
struct refrain_metric_tables {
    struct refrain_metric_totals *regions, *processes;
};

/* Adds up all ranks, or only rank `rank` if that is >= 0. The caller closes the tables. */
enum refrain_status refrain_metric_tables_open(const struct refrain_trace *trace, int32_t rank,
                                               struct refrain_metric_tables *tables, struct refrain_error *error);
void refrain_metric_tables_close(struct refrain_metric_tables *tables);

/* True if the metric is a time in nanoseconds. */
bool refrain_metric_is_time(const char *name);

/* Status of a metric that was asked for: "counted", "counted in user mode only ...". */
const char *refrain_metric_state_text(uint32_t state);

#endif
