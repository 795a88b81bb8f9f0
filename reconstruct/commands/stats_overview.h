/* stats_overview.h: what stats shows without --by: the program as a whole, how even the ranks are, waits, functions;
 * and the JSON of that and of the views (activity, profile -> stats). */
#ifndef REFRAIN_STATS_OVERVIEW_H
#define REFRAIN_STATS_OVERVIEW_H

#include "analysis/activity.h"
#include "analysis/profile.h"
#include "analysis/stats_rows.h"
#include "commands/counter_table.h"

#define REFRAIN_STATS_SCHEMA_VERSION 4 /* of stats --json; grows when a member is taken away or changes its meaning */
#define REFRAIN_STATS_LINES_SHOWN 20u  /* of a table, where no number was asked for */

/* What stats has read of a trace. */
struct refrain_stats_read {
    struct refrain_trace *trace;
    const struct refrain_activity *activity;     /* null: nothing was replayed */
    const struct refrain_profile_total *total;   /* null: a part of the run, or a trace of events only */
    const struct refrain_stats_metrics *metrics; /* null: there are none */
    const struct refrain_counters *counters;
};

/* On standard output. `all_ranks`: none was asked for alone. `most` lines of each table; SIZE_MAX: as many as suits
 * each. */
enum refrain_status refrain_stats_overview_print(const struct refrain_stats_read *read, bool all_ranks, size_t most,
                                                 struct refrain_error *error);

/* The same, or with `view` from 0 on that view (refrain_stats_views), as JSON on standard output. */
enum refrain_status refrain_stats_print_json(const struct refrain_stats_read *read, int view,
                                             struct refrain_error *error);

#endif
