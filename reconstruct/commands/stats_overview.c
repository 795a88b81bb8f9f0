/* stats_overview.c: prints the overview of refrain stats, and the JSON of all its views (stats_overview.h). */
#define _GNU_SOURCE
#include "commands/stats_overview.h"
#include "commands/command.h"
#include "commands/profile_tree.h"
#include "commands/resident_text.h"
#include "commands/stats_balance.h"
#include "commands/stats_print.h"
#include "commands/waits_text.h"
#include "model/mpi_call.h"

#include <jansson.h>
#include <stdio.h>

#define WAITS_SHOWN 8u

/* Time in calls that begin with MPI_File_. */
static int64_t file_ns(const struct refrain_activity *activity) {
    int64_t ns = 0;
    for (size_t i = 0; i < activity->n_regions; i++)
        if (refrain_mpi_is_file(refrain_mpi_kind(activity->regions[i].region)))
            ns += activity->regions[i].own_ns;
    return ns;
}

static void print_program(const struct refrain_trace *trace, const struct refrain_activity *activity) {
    const struct refrain_process *first = &trace->processes[0];
    long double run_ns = activity->run_ns > 0 ? activity->run_ns : 1;
    const struct refrain_activity_times *times = &activity->times;
    const int64_t *own_ns = times->own_ns;
    printf("%s, %zu rank%s, from %s to %s\n", refrain_process_name(first, first->header->executable), activity->n_ranks,
           activity->n_ranks == 1 ? "" : "s", refrain_show_ns((long double)activity->from_ns),
           refrain_show_ns((long double)activity->to_ns));
    printf("computing %.2Lf %%, MPI %.2Lf %%: waiting %.2Lf %%, transmission %.2Lf %%, management %.2Lf %%",
           100 * (long double)own_ns[REFRAIN_OWN_TIME_COMPUTING] / run_ns,
           100 * (long double)refrain_activity_mpi_ns(times) / run_ns, 100 * (long double)times->waiting_ns / run_ns,
           100 * (long double)own_ns[REFRAIN_OWN_TIME_TRANSMISSION] / run_ns,
           100 * (long double)own_ns[REFRAIN_OWN_TIME_MANAGEMENT] / run_ns);
    if (own_ns[REFRAIN_OWN_TIME_PAUSED])
        printf("; paused %.2Lf %%", 100 * (long double)own_ns[REFRAIN_OWN_TIME_PAUSED] / run_ns);
    putchar('\n');
    if (file_ns(activity) > 0)
        printf("calls for files: %.2Lf %% (--by file)\n", 100 * (long double)file_ns(activity) / run_ns);
    char memory[512];
    refrain_resident_sentence(trace, memory, sizeof memory, NULL);
    if (memory[0])
        printf("%s\n", memory);
    if (activity->approximate)
        refrain_warn(
            "%s of %s events are approximate, and so is what follows from them: refrain info says what was given up",
            refrain_show_count(activity->approximate), refrain_show_count(activity->events));
}

static enum refrain_status print_rows(const struct refrain_activity *activity, enum refrain_stats_view view,
                                      size_t most, struct refrain_error *error) {
    struct refrain_stats_rows rows;
    enum refrain_status status = refrain_stats_rows_make(activity, NULL, view, &rows, error);
    if (!status) {
        if (rows.n)
            putchar('\n');
        if (rows.n)
            refrain_stats_rows_print(&rows, most);
        refrain_stats_rows_free(&rows);
    }
    return status;
}

enum refrain_status refrain_stats_overview_print(const struct refrain_stats_read *read, bool all_ranks, size_t most,
                                                 struct refrain_error *error) {
    const struct refrain_activity *activity = read->activity;
    size_t lines = most == SIZE_MAX ? REFRAIN_STATS_LINES_SHOWN : most;
    if (activity)
        print_program(read->trace, activity);
    enum refrain_status status = refrain_waits_print_end(read->trace, activity ? UINT64_MAX : 0, error);
    if (activity && !status) {
        if (all_ranks)
            refrain_stats_balance_print(activity);
        status = print_rows(activity, REFRAIN_STATS_BY_WAIT, most == SIZE_MAX ? WAITS_SHOWN : most, error);
    }
    if (status || !read->total)
        return status ? status : print_rows(activity, REFRAIN_STATS_BY_FUNCTION, lines, error);
    if (activity)
        putchar('\n');
    status = refrain_profile_print(read->total, activity, lines, error);
    if (!status)
        refrain_counters_print(read->counters);
    return status;
}

/* ---- JSON ---- */

static enum refrain_status add_rows(json_t *object, const char *key, const struct refrain_stats_read *read,
                                    enum refrain_stats_view view, struct refrain_error *error) {
    struct refrain_stats_rows rows;
    enum refrain_status status = refrain_stats_rows_make(read->activity, read->metrics, view, &rows, error);
    if (status)
        return status;
    json_object_set_new(object, key, refrain_stats_rows_json(&rows));
    refrain_stats_rows_free(&rows);
    return REFRAIN_OK;
}

/* `has_profile`: the profile has the measured sums of the whole run. */
static void add_times(json_t *object, const struct refrain_activity *activity, bool has_profile) {
    const int64_t *own_ns = activity->times.own_ns;
    if (!has_profile) {
        json_object_set_new(object, "run_ns", json_integer(activity->run_ns));
        json_object_set_new(object, "mpi_ns", json_integer(refrain_activity_mpi_ns(&activity->times)));
    }
    json_object_set_new(object, "computing_ns", json_integer(own_ns[REFRAIN_OWN_TIME_COMPUTING]));
    json_object_set_new(object, "waiting_ns", json_integer(activity->times.waiting_ns));
    json_object_set_new(object, "transmission_ns", json_integer(own_ns[REFRAIN_OWN_TIME_TRANSMISSION]));
    json_object_set_new(object, "management_ns", json_integer(own_ns[REFRAIN_OWN_TIME_MANAGEMENT]));
    json_object_set_new(object, "file_ns", json_integer(file_ns(activity)));
    json_object_set_new(object, "paused_ns", json_integer(own_ns[REFRAIN_OWN_TIME_PAUSED]));
}

static void add_replay(json_t *object, const struct refrain_activity *activity, bool has_profile) {
    const struct refrain_cursor_report *report = &activity->report;
    uint64_t unmatched = report->unmatched_sends + report->unmatched_receives + report->unmatched_collectives;
    json_object_set_new(object, "from_ns", json_integer(activity->from_ns));
    json_object_set_new(object, "to_ns", json_integer(activity->to_ns));
    add_times(object, activity, has_profile);
    json_object_set_new(object, "replayed_events", json_integer((json_int_t)activity->events));
    json_object_set_new(object, "approximate_events", json_integer((json_int_t)activity->approximate));
    json_object_set_new(object, "unsure_receives", json_integer((json_int_t)report->unsure_receives));
    json_object_set_new(object, "unmatched", json_integer((json_int_t)unmatched));
    json_object_set_new(object, "other_end_untold", json_integer((json_int_t)report->other_end_untold));
}

static enum refrain_status add_overview(json_t *object, const struct refrain_stats_read *read,
                                        struct refrain_error *error) {
    enum refrain_status status = refrain_waits_add_end(read->trace, read->activity ? UINT64_MAX : 0, object, error);
    if (read->activity && !status) {
        json_object_set_new(object, "balance", refrain_stats_balance_json(read->activity));
        status = add_rows(object, "ranks", read, REFRAIN_STATS_BY_RANK, error);
    }
    if (!status)
        json_object_set_new(object, "memory", refrain_resident_json(read->trace));
    if (read->activity && !status)
        status = add_rows(object, "waits", read, REFRAIN_STATS_BY_WAIT, error);
    if (!status && read->total) {
        status = refrain_profile_json(read->total, read->activity, object, error);
        json_object_set_new(object, "counters", refrain_counters_json(read->counters));
    } else if (!status) {
        status = add_rows(object, "functions", read, REFRAIN_STATS_BY_FUNCTION, error);
    }
    return status;
}

enum refrain_status refrain_stats_print_json(const struct refrain_stats_read *read, int view,
                                             struct refrain_error *error) {
    json_t *object = json_object();
    enum refrain_status status;
    json_object_set_new(object, "schema_version", json_integer(REFRAIN_STATS_SCHEMA_VERSION));
    if (read->activity)
        add_replay(object, read->activity, view < 0 && read->total);
    if (view >= 0) {
        json_object_set_new(object, "by", json_string(refrain_stats_views[view]));
        status = add_rows(object, "rows", read, (enum refrain_stats_view)view, error);
    } else {
        status = add_overview(object, read, error);
    }
    if (!status)
        return refrain_print_json(object, error);
    json_decref(object);
    return status;
}
