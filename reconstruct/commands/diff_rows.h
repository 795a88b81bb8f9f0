/* diff_rows.h: the runs of two sides beside each other: medians, and whether a change is more than chance (activities
 * of runs -> diff).
 *
 *     A: run 1, run 2 ..  --> rows by key --> median A \
 *                                                       > change, noise: how repeated runs differ; of single runs, how
 *     B: run 1, run 2 ..  --> rows by key --> median B /  visits of a region differ
 */
#ifndef REFRAIN_DIFF_ROWS_H
#define REFRAIN_DIFF_ROWS_H

#include "analysis/stats_rows.h"

/* The runs of A, then the runs of B. */
struct refrain_diff_runs {
    struct refrain_activity **activities;
    struct refrain_stats_rows *rows; /* rows of the same view */
    size_t n[2];
};

struct refrain_diff_change {
    int64_t median[2];
    int64_t change; /* B's median minus A's */
    double noise;   /* standard error of the change; -1: not known */
    bool beyond;    /* chance makes such a change in less than one of twenty cases; false if the noise is not known */
};

/* `values`: of the runs in their order; sorts those of each side. The noise is known from three runs on. */
void refrain_diff_weigh(int64_t *values, const size_t n[2], struct refrain_diff_change *change);

/* Totals of a run that can change. */
enum refrain_diff_whole {
    REFRAIN_DIFF_TIME,
    REFRAIN_DIFF_COMPUTING,
    REFRAIN_DIFF_TRANSMISSION,
    REFRAIN_DIFF_MANAGEMENT,
    REFRAIN_DIFF_WAITING,
    REFRAIN_DIFF_PAUSED,
    REFRAIN_DIFF_WHOLES
};
extern const char *const refrain_diff_wholes[REFRAIN_DIFF_WHOLES]; /* their names */

/* Nanoseconds of that total in a run. */
int64_t refrain_diff_whole_ns(const struct refrain_activity *activity, enum refrain_diff_whole whole);

/* The time of a row that a change is measured in: own time of functions and lines; total time of ranks, paths, partners
 * and waits. */
int64_t refrain_diff_ns(const struct refrain_stats_row *row, enum refrain_stats_view view);

/* A row that at least one run has. */
struct refrain_diff_row {
    const struct refrain_stats_row **of;          /* by run; null: the run does not have the row, which counts as 0 */
    const struct refrain_stats_row *some;         /* any of these that is not null */
    bool in[2];                                   /* by side: a run of it has the row */
    struct refrain_diff_change ns;                /* of refrain_diff_ns */
    int64_t total_ns[2], waiting_ns[2], count[2]; /* medians */
    bool beyond;                                  /* ns.beyond is set, or one side always has more calls */
};

struct refrain_diff_rows {
    struct refrain_diff_row *rows; /* those with `beyond` first, then by the size of the change */
    size_t n;
    const struct refrain_stats_row **of; /* private: room for all rows */
    int64_t *values;                     /* room for a value of each run, for callers that compute a change */
};

/* Joins the rows of all runs by their keys. The runs have to exist as long as the rows. The caller frees the rows, also
 * after an error. */
enum refrain_status refrain_diff_rows_make(const struct refrain_diff_runs *runs, struct refrain_diff_rows *rows,
                                           struct refrain_error *error);
void refrain_diff_rows_free(struct refrain_diff_rows *rows);

#endif
