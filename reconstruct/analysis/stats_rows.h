/* stats_rows.h: tables of statistics, with one row per function, call path, line, pair of ranks, rank or wait
 * (activity -> stats, diff, refrain_trace_table_open()). */
#ifndef REFRAIN_STATS_ROWS_H
#define REFRAIN_STATS_ROWS_H

#include "analysis/activity.h"
#include "model/metric_totals.h"

enum refrain_stats_value {
    REFRAIN_STATS_TOTAL,        /* ns, including callees */
    REFRAIN_STATS_SHARE,        /* of the time of all ranks, in 1/1000 % */
    REFRAIN_STATS_OWN,          /* ns, without callees, MPI and pauses */
    REFRAIN_STATS_SELF,         /* ns, without callees; for MPI calls, their time */
    REFRAIN_STATS_COMPUTING,    /* ns, outside of MPI and pauses */
    REFRAIN_STATS_TRANSMISSION, /* ns, in MPI calls that move data, not waiting */
    REFRAIN_STATS_MANAGEMENT,   /* ns, in other MPI calls, not waiting */
    REFRAIN_STATS_PAUSED,       /* ns, not traced */
    REFRAIN_STATS_WAITING,      /* ns */
    REFRAIN_STATS_CAUSED,       /* ns that others waited for it */
    REFRAIN_STATS_COUNT,
    REFRAIN_STATS_MESSAGES,
    REFRAIN_STATS_BYTES,
    REFRAIN_STATS_LEAST,     /* ns, own time of the rank with least */
    REFRAIN_STATS_MEAN,      /* ns, over the ranks */
    REFRAIN_STATS_MOST,      /* ns */
    REFRAIN_STATS_MOST_RANK, /* the rank with most */
    REFRAIN_STATS_IMBALANCE, /* most above mean, in 1/1000 % of the mean */
    REFRAIN_STATS_NOISE,     /* ns: standard error of the total, from the variation of visits */
    REFRAIN_STATS_VALUES
};

struct refrain_stats_row {
    char *label; /* for users, without file and line; owned */
    char *key;   /* equal in the same row of another run; owned */
    const char *file;
    uint32_t line;
    const struct refrain_activity_wait *wait;     /* in the view of waits; else null */
    const struct refrain_activity_region *region; /* if the row has a single region; null: none, or several */
    unsigned depth;                               /* of call paths */
    int64_t value[REFRAIN_STATS_VALUES];          /* -1: unknown */
    struct refrain_metric_totals metrics; /* rows->n_metrics of them: for SELF; in the view of ranks for TOTAL */
};

enum refrain_stats_view {
    REFRAIN_STATS_BY_FUNCTION,
    REFRAIN_STATS_BY_CALL_PATH,
    REFRAIN_STATS_BY_SOURCE_LINE,
    REFRAIN_STATS_BY_PARTNER,
    REFRAIN_STATS_BY_RANK,
    REFRAIN_STATS_BY_WAIT,
    REFRAIN_STATS_VIEWS
};

/* "function" ...; ends with null. */
extern const char *const refrain_stats_views[];

/* The view with that name; -1 none. */
int refrain_stats_view_named(const char *name);

struct refrain_stats_rows {
    enum refrain_stats_view view;
    struct refrain_stats_row *rows;
    size_t n, capacity;
    const char *const *metric_names; /* for functions, lines and ranks, if there are metrics */
    size_t n_metrics;                /* else 0 */
    bool no_memory;
};

/* Totals of metrics, for rows of the whole run. */
struct refrain_stats_metrics {
    const struct refrain_trace *trace;
    struct refrain_metric_tables tables;
};

/* Makes the rows of a view, the longest time first. Call paths are in the order of the tree, ranks by number.
 * `metrics`: may be null. The caller frees the rows. */
enum refrain_status refrain_stats_rows_make(const struct refrain_activity *activity,
                                            const struct refrain_stats_metrics *metrics, enum refrain_stats_view view,
                                            struct refrain_stats_rows *rows, struct refrain_error *error);
void refrain_stats_rows_free(struct refrain_stats_rows *rows);

/* A column of a view: its name in CSV and JSON, its title in text. */
struct refrain_stats_column {
    enum refrain_stats_value value;
    const char *key, *title;
    enum { REFRAIN_STATS_NS, REFRAIN_STATS_NUMBER, REFRAIN_STATS_SIZE, REFRAIN_STATS_MILLIPERCENT } unit;
    unsigned level; /* text output: all columns of a level are shown, or none; higher levels only if there is room */
};
const struct refrain_stats_column *refrain_stats_columns(enum refrain_stats_view view, size_t *n);

#endif
