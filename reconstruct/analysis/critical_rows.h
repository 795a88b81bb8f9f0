/* critical_rows.h: the critical path by place, and the length of the run without each place (trace -> two walks ->
 * rows).
 *
 * The first walk finds the path (critical_path.h). The second one finds when the run would end if each of the
 * largest parts took no time (delay_clocks.c). */
#ifndef REFRAIN_CRITICAL_ROWS_H
#define REFRAIN_CRITICAL_ROWS_H

#include "analysis/activity.h"
#include "analysis/delays.h"

#define REFRAIN_CRITICAL_SHORTENED 12u /* number of rows for which the second walk finds this */

/* A function or, if it is unknown, the computation before a call; or an MPI call. */
struct refrain_critical_row {
    const struct refrain_delay_place *place; /* one of the places of the row */
    struct refrain_delay_group group;
    int64_t path_ns, spent_ns; /* time on the path; time over all ranks */
    const int64_t *by_rank_ns; /* on the path, by rank */
    int32_t rank;              /* rank with most of it on the path */
    bool has_saved;
    int64_t saved_ns; /* how much shorter the run would be */
};

struct refrain_critical {
    struct refrain_delays *delays; /* of the first walk: the window, the whole path, ranks that compute at a time */
    struct refrain_activity *activity;
    struct refrain_critical_row *rows; /* sorted by path_ns, the longest first; none is 0 */
    int64_t *by_rank_ns;               /* memory of the rows */
    size_t n;
    int64_t path_ns[REFRAIN_DOINGS]; /* of the path, by activity */
    int64_t as_it_was_ns;            /* length of the unchanged run by the second walk: run_ns if it were exact */
    int64_t run_ns;                  /* of the window */
};

/* `request`: its watch is set here. `shorten`: do the second walk. The caller closes *critical, also after an error;
 * the trace must stay open as long. If a rank is damaged, it ends early, and there are both rows and an error. */
enum refrain_status refrain_critical_open(struct refrain_trace *trace, struct refrain_activity_request *request,
                                          bool shorten, struct refrain_critical *critical, struct refrain_error *error);
void refrain_critical_close(struct refrain_critical *critical);

/* Makes the rows of a walk that was done elsewhere, without `activity` and shorter runs. False without memory. The
 * caller calls refrain_critical_free_rows() in any case. */
bool refrain_critical_rows(struct refrain_delays *delays, struct refrain_critical *critical);
void refrain_critical_free_rows(struct refrain_critical *critical);

/* Ranks that compute at a time, mean over the window. */
double refrain_critical_parallelism(const struct refrain_critical *critical);

#endif
