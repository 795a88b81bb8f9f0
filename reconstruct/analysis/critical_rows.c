/* critical_rows.c: makes rows of the critical path, and of the run without its largest parts (critical_rows.h). */
#include "analysis/critical_rows.h"
#include "common/error.h"

#include <stdlib.h>
#include <string.h>

/* One walk. */
static enum refrain_status walk(struct refrain_trace *trace, struct refrain_activity_request *request,
                                struct refrain_delays *delays, struct refrain_activity **activity,
                                struct refrain_error *error) {
    request->watch = refrain_delays_watch;
    request->watch_data = delays;
    enum refrain_status status = refrain_activity_open(trace, request, activity, error);
    if (!*activity)
        return status ? status : REFRAIN_FAIL_MEMORY(error);
    return refrain_delays_finish(delays) ? status : REFRAIN_FAIL_MEMORY(error);
}

/* ---- rows ---- */

static struct refrain_critical_row *row_of(struct refrain_critical *critical, const struct refrain_delay_place *place) {
    struct refrain_delay_group group = refrain_delay_group(place);
    for (size_t i = critical->n; i-- > 0;)
        if (refrain_delay_group_is(critical->rows[i].group, group))
            return &critical->rows[i];
    struct refrain_critical_row *row = &critical->rows[critical->n++];
    *row = (struct refrain_critical_row){.place = place, .group = group, .rank = -1};
    return row;
}

static void add_place(struct refrain_critical *critical, const struct refrain_delay_place *place) {
    struct refrain_critical_row *row = row_of(critical, place);
    size_t n = critical->delays->n_ranks;
    int64_t *ranks = critical->by_rank_ns + (size_t)(row - critical->rows) * n;
    row->by_rank_ns = ranks;
    for (size_t i = 0; i < n; i++) {
        critical->path_ns[place->doing] += place->path_ns[i];
        row->path_ns += place->path_ns[i];
        row->spent_ns += place->spent_ns[i];
        ranks[i] += place->path_ns[i];
        if (row->rank < 0 || ranks[i] > ranks[row->rank])
            row->rank = (int32_t)i;
    }
}

static int by_path(const void *a, const void *b) {
    const struct refrain_critical_row *x = a, *y = b;
    if (x->path_ns != y->path_ns)
        return x->path_ns < y->path_ns ? 1 : -1;
    return x->group.before != y->group.before ? (x->group.before < y->group.before ? -1 : 1)
                                              : (x->group.at > y->group.at) - (x->group.at < y->group.at);
}

static bool is_on_path(const struct refrain_delays *delays, const struct refrain_delay_place *place) {
    for (size_t i = 0; i < delays->n_ranks; i++)
        if (place->path_ns[i] > 0)
            return true;
    return false;
}

bool refrain_critical_rows(struct refrain_delays *delays, struct refrain_critical *critical) {
    size_t n = 0;
    critical->delays = delays;
    critical->run_ns = delays->to_ns - delays->from_ns;
    for (size_t i = 0; i < delays->n_places; i++)
        n += is_on_path(delays, delays->places[i]);
    critical->rows = calloc(n + 1, sizeof *critical->rows);
    critical->by_rank_ns = calloc((n + 1) * (delays->n_ranks + 1), sizeof *critical->by_rank_ns);
    if (!critical->rows || !critical->by_rank_ns)
        return false;
    for (size_t i = 0; i < delays->n_places; i++)
        if (is_on_path(delays, delays->places[i]))
            add_place(critical, delays->places[i]);
    qsort(critical->rows, critical->n, sizeof *critical->rows, by_path);
    return true;
}

/* ---- shorter runs ---- */

/* Sets the ends of the run without each of the first rows, and of the unchanged run. */
static void set_saved(struct refrain_critical *critical, const struct refrain_delays *shortened, size_t n) {
    int64_t as_it_was_ns = shortened->without_ns[n];
    critical->as_it_was_ns = as_it_was_ns - shortened->from_ns;
    for (size_t i = 0; i < n; i++) {
        critical->rows[i].saved_ns = as_it_was_ns - shortened->without_ns[i];
        critical->rows[i].has_saved = true;
    }
}

static enum refrain_status shorten_run(struct refrain_trace *trace, struct refrain_activity_request *request,
                                       struct refrain_critical *critical, struct refrain_error *error) {
    struct refrain_delay_group groups[REFRAIN_CRITICAL_SHORTENED + 1];
    size_t n = critical->n < REFRAIN_CRITICAL_SHORTENED ? critical->n : REFRAIN_CRITICAL_SHORTENED;
    for (size_t i = 0; i < n; i++)
        groups[i] = critical->rows[i].group;
    groups[n] = refrain_delay_no_group;
    struct refrain_delays *shortened = refrain_delays_open(trace);
    struct refrain_activity *activity = NULL;
    enum refrain_status status = REFRAIN_FAIL_MEMORY(NULL);
    if (shortened && refrain_delays_without(shortened, groups, n + 1))
        status = walk(trace, request, shortened, &activity, error);
    else
        REFRAIN_FAIL_MEMORY(error);
    if (activity)
        set_saved(critical, shortened, n);
    refrain_activity_close(activity);
    refrain_delays_close(shortened);
    return status;
}

/* ---- open, close ---- */

enum refrain_status refrain_critical_open(struct refrain_trace *trace, struct refrain_activity_request *request,
                                          bool shorten, struct refrain_critical *critical,
                                          struct refrain_error *error) {
    *critical = (struct refrain_critical){.delays = refrain_delays_open(trace)};
    if (!critical->delays)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = walk(trace, request, critical->delays, &critical->activity, error);
    if (!critical->activity)
        return status;
    if (!refrain_critical_rows(critical->delays, critical))
        return REFRAIN_FAIL_MEMORY(error);
    return !status && shorten ? shorten_run(trace, request, critical, error) : status;
}

void refrain_critical_free_rows(struct refrain_critical *critical) {
    free(critical->rows);
    free(critical->by_rank_ns);
}

void refrain_critical_close(struct refrain_critical *critical) {
    refrain_critical_free_rows(critical);
    refrain_activity_close(critical->activity);
    refrain_delays_close(critical->delays);
}

double refrain_critical_parallelism(const struct refrain_critical *critical) {
    double sum = 0;
    for (size_t i = 0; i <= critical->delays->n_ranks; i++)
        sum += (double)i * (double)critical->delays->at_a_time_ns[i];
    return critical->run_ns > 0 ? sum / (double)critical->run_ns : 0;
}
