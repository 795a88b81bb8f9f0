/* stats_overview.h: the output of stats without --by: the whole program, balance of the ranks, waits, functions; and
 * the JSON of this and of the views (activity, profile -> stats). */
#ifndef REFRAIN_STATS_OVERVIEW_H
#define REFRAIN_STATS_OVERVIEW_H

#include "analysis/activity.h"
#include "analysis/profile.h"
#include "analysis/stats_rows.h"
#include "commands/counter_table.h"

#define REFRAIN_STATS_SCHEMA_VERSION 5 /* of stats --json; raised when a member is removed or changes its meaning */
#define REFRAIN_STATS_LINES_SHOWN 20u  /* of a table, if the user gave no number */

/* The data that stats has read from a trace. */
struct refrain_stats_read {
    struct refrain_trace *trace;
    const struct refrain_activity *activity;   /* null: the trace was not replayed */
    const struct refrain_profile_total *total; /* null: only a part of the run was read, or the trace has events only */
    const struct refrain_stats_metrics *metrics; /* null: there are no metrics */
    const struct refrain_counters *counters;
};

/* Prints to standard output. `all_ranks`: the user did not select a single rank. `most`: lines of each table; SIZE_MAX:
 * each table has its own default. */
enum refrain_status refrain_stats_overview_print(const struct refrain_stats_read *read, bool all_ranks, size_t most,
                                                 struct refrain_error *error);

/* Prints the same as JSON to standard output; with `view` >= 0 that view alone (refrain_stats_views). */
enum refrain_status refrain_stats_print_json(const struct refrain_stats_read *read, int view,
                                             struct refrain_error *error);

#endif
