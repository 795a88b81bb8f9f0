/* critical_rows.h: the critical path by place, and what the run would take without each (trace -> two walks -> rows).
 *
 * The first walk finds the path (critical_path.h), the second one the ends of runs in which the largest parts of it
 * take no time (delay_clocks.c). */
#ifndef REFRAIN_CRITICAL_ROWS_H
#define REFRAIN_CRITICAL_ROWS_H

#include "analysis/activity.h"
#include "analysis/delays.h"

#define REFRAIN_CRITICAL_SHORTENED 12u /* rows of which it is known what the run would take without them */

/* A function, or where none is known what is computed before a call; or an MPI call. */
struct refrain_critical_row {
    const struct refrain_delay_place *place; /* one of those that the row stands for */
    struct refrain_delay_group group;
    int64_t path_ns, spent_ns; /* on the path; over all ranks */
    const int64_t *by_rank_ns; /* on the path, by rank */
    int32_t rank;              /* that has most of it there */
    bool has_saved;
    int64_t saved_ns; /* so much shorter the run would be */
};

struct refrain_critical {
    struct refrain_delays
        *delays; /* of the first walk: the window, the path as a whole, ranks that compute at a time */
    struct refrain_activity *activity;
    struct refrain_critical_row *rows; /* by path_ns, the greatest first; none of 0 */
    int64_t *by_rank_ns;               /* theirs */
    size_t n;
    int64_t path_ns[REFRAIN_DOINGS]; /* of the path, by what is done */
    int64_t as_it_was_ns;            /* what the run takes if nothing is left out: run_ns, were the second walk exact */
    int64_t run_ns;                  /* of the window */
};

/* `request`: its watch is set here. `shorten`: with the second walk. The caller closes *critical, also after an error;
 * the trace has to stay open as long. A damaged rank ends early: then there are rows and an error. */
enum refrain_status refrain_critical_open(struct refrain_trace *trace, struct refrain_activity_request *request,
                                          bool shorten, struct refrain_critical *critical, struct refrain_error *error);
void refrain_critical_close(struct refrain_critical *critical);

/* Rows of a walk that is done elsewhere: all but `activity` and what is known of shortened runs. False without memory.
 * The caller calls refrain_critical_free_rows() in any case. */
bool refrain_critical_rows(struct refrain_delays *delays, struct refrain_critical *critical);
void refrain_critical_free_rows(struct refrain_critical *critical);

/* Ranks that compute at a time, the mean over the window. */
double refrain_critical_parallelism(const struct refrain_critical *critical);

#endif
