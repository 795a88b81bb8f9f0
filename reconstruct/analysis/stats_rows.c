/* stats_rows.c: makes the rows of each view of the statistics (stats_rows.h). */
#define _GNU_SOURCE
#include "analysis/stats_rows.h"
#include "common/array.h"
#include "common/path.h"
#include "model/mpi_call.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MOST_DEPTH 256 /* longest path that is shown */

const char *const refrain_stats_views[] = {"function", "call-path", "source-line", "partner", "rank", "wait", NULL};

int refrain_stats_view_named(const char *name) {
    for (int i = 0; refrain_stats_views[i]; i++)
        if (strcmp(name, refrain_stats_views[i]) == 0)
            return i;
    return -1;
}

static struct refrain_stats_row *add_row(struct refrain_stats_rows *rows, char *label, char *key) {
    if (!REFRAIN_ARRAY_ROOM(rows->rows, rows->n, rows->capacity) || !label || !key) {
        free(label);
        free(key);
        rows->no_memory = true;
        return NULL;
    }
    struct refrain_stats_row *row = &rows->rows[rows->n++];
    *row = (struct refrain_stats_row){.label = label, .key = key, .file = ""};
    return row;
}

static char *text(const char *format, ...) __attribute__((format(printf, 1, 2)));
static char *text(const char *format, ...) {
    char *result = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&result, format, arguments) < 0)
        result = NULL;
    va_end(arguments);
    return result;
}

/* None after an address, which stands for a function without a name. */
static const char *parentheses(const struct refrain_region_info *region) {
    bool has_name = region && region->kind == REFRAIN_REGION_FUNCTION && !strstr(region->name, "+0x");
    return has_name ? "()" : "";
}

/* For a call without a known line: the function with the distance, which distinguishes its calls. */
static const char *within(const struct refrain_region_info *region) {
    return refrain_region_is_call(region) && !region->file[0] ? region->function : "";
}

static const char *in(const struct refrain_region_info *region) {
    return within(region)[0] ? " in " : "";
}

static int64_t share(const struct refrain_activity *activity, int64_t ns) {
    return activity->run_ns > 0 ? (int64_t)((double)ns * 1e5 / (double)activity->run_ns + 0.5) : 0;
}

/* ---- functions and lines ---- */

/* How even the requested ranks are. Ranks that never reached the region count as 0. */
static void set_balance(const struct refrain_activity *activity, const struct refrain_activity_region *region,
                        int64_t *value) {
    int64_t least = INT64_MAX, most = -1, sum = 0;
    for (size_t i = 0; i < region->n_parts; i++) {
        int64_t ns = region->parts[i]->own_ns;
        sum += ns;
        least = ns < least ? ns : least;
        if (ns > most) {
            most = ns;
            value[REFRAIN_STATS_MOST_RANK] = region->parts[i]->rank;
        }
    }
    if (region->n_parts < activity->n_counted)
        least = 0;
    int64_t mean = activity->n_counted ? sum / (int64_t)activity->n_counted : 0;
    value[REFRAIN_STATS_LEAST] = least == INT64_MAX ? 0 : least;
    value[REFRAIN_STATS_MEAN] = mean;
    value[REFRAIN_STATS_MOST] = most < 0 ? 0 : most;
    value[REFRAIN_STATS_IMBALANCE] = mean > 0 ? (int64_t)((double)(most - mean) * 1e5 / (double)mean) : 0;
}

/* The standard error of the sum over all visits, from the differences between sums of stretches. It is valid for
 * durations known by visit or only by stretch, and if neighbouring visits are similar. -1: too few visits. */
static int64_t noise_of(const struct refrain_activity_region *region) {
    uint64_t n = region->count >> region->shift; /* whole stretches */
    double mean = 0, squares = 0;
    if (n < 2)
        return -1;
    for (uint64_t i = 0; i < n; i++)
        mean += region->stretch_ns[i] / (double)n;
    for (uint64_t i = 0; i < n; i++)
        squares += (region->stretch_ns[i] - mean) * (region->stretch_ns[i] - mean);
    return (int64_t)sqrt((double)n * squares / (double)(n - 1));
}

static void set_times(const struct refrain_activity_times *times, int64_t *value) {
    value[REFRAIN_STATS_WAITING] = times->waiting_ns;
    value[REFRAIN_STATS_TRANSMISSION] = times->own_ns[REFRAIN_OWN_TIME_TRANSMISSION];
    value[REFRAIN_STATS_MANAGEMENT] = times->own_ns[REFRAIN_OWN_TIME_MANAGEMENT];
    value[REFRAIN_STATS_PAUSED] = times->own_ns[REFRAIN_OWN_TIME_PAUSED];
}

static int64_t own_computing(const struct refrain_region_info *info, int64_t own_ns) {
    return info->own_time == REFRAIN_OWN_TIME_COMPUTING ? own_ns : 0;
}

static void add_regions(const struct refrain_activity *activity, const struct refrain_stats_metrics *metrics,
                        struct refrain_stats_rows *rows) {
    bool by_line = rows->view == REFRAIN_STATS_BY_SOURCE_LINE;
    for (size_t i = 0; i < activity->n_regions; i++) {
        const struct refrain_activity_region *region = &activity->regions[i];
        const struct refrain_region_info *info = region->region;
        bool is_mpi = refrain_region_is_call(info);
        if (region->n_parts == 0)
            continue;
        struct refrain_stats_row *row = add_row(
            rows, text("%s%s%s%s", info->name, parentheses(info), by_line ? in(info) : "", by_line ? within(info) : ""),
            by_line  ? text("%s:%u:%s%s", info->file, info->line, info->name, within(info))
            : is_mpi ? text("%s", info->name)
                     : text("%s:%s", info->file, info->name));
        if (!row)
            return;
        int64_t *value = row->value;
        row->region = region;
        if (by_line || !is_mpi) {
            row->file = info->file;
            row->line = info->line;
        }
        value[REFRAIN_STATS_TOTAL] = region->total_ns;
        value[REFRAIN_STATS_SELF] = region->own_ns;
        value[REFRAIN_STATS_OWN] = own_computing(info, region->own_ns);
        set_times(&region->below, value);
        value[REFRAIN_STATS_SHARE] = share(activity, region->own_ns);
        value[REFRAIN_STATS_COUNT] = (int64_t)region->count;
        value[REFRAIN_STATS_MESSAGES] = (int64_t)region->messages;
        value[REFRAIN_STATS_BYTES] = (int64_t)region->bytes;
        value[REFRAIN_STATS_NOISE] = noise_of(region);
        if (metrics && i < metrics->trace->n_regions)
            row->metrics = metrics->tables.regions[i];
        set_balance(activity, region, value);
    }
}

/* ---- call paths ---- */

static int by_total(const void *a, const void *b) {
    const struct refrain_activity_path *x = *(void *const *)a, *y = *(void *const *)b;
    return x->total_ns < y->total_ns ? 1 : x->total_ns > y->total_ns ? -1 : 0;
}

/* Deeper paths are included in the lines above them. */
static void add_paths(const struct refrain_activity *activity, struct refrain_stats_rows *rows,
                      const struct refrain_activity_path *path, unsigned depth, const char *above) {
    size_t n = 0;
    for (const struct refrain_activity_path *child = path->first; child; child = child->next)
        n++;
    const struct refrain_activity_path **children = malloc((n + 1) * sizeof *children);
    if (!children) {
        rows->no_memory = true;
        return;
    }
    n = 0;
    for (const struct refrain_activity_path *child = path->first; child; child = child->next)
        children[n++] = child;
    qsort(children, n, sizeof *children, by_total);
    for (size_t i = 0; i < n && !rows->no_memory; i++) {
        const struct refrain_activity_path *child = children[i];
        const struct refrain_region_info *info = child->region;
        char *key = text("%s;%s %s:%u%s", above, info->name, info->file, info->line, within(info));
        struct refrain_stats_row *row = add_row(
            rows, text("%s%s%s%s", info->name, parentheses(info), in(info), within(info)), key ? strdup(key) : NULL);
        if (row) {
            row->file = info->file;
            row->line = info->line;
            row->depth = depth;
            row->value[REFRAIN_STATS_TOTAL] = child->total_ns;
            row->value[REFRAIN_STATS_SHARE] = share(activity, child->total_ns);
            row->value[REFRAIN_STATS_OWN] = own_computing(info, child->own_ns);
            set_times(&child->below, row->value);
            row->value[REFRAIN_STATS_COUNT] = (int64_t)child->count;
            row->value[REFRAIN_STATS_NOISE] = -1;
            if (depth + 1 < MOST_DEPTH)
                add_paths(activity, rows, child, depth + 1, key);
        }
        free(key);
    }
    free(children);
}

/* ---- partners, ranks, waits ---- */

static void add_partners(const struct refrain_activity *activity, struct refrain_stats_rows *rows) {
    for (size_t i = 0; i < activity->n_partners; i++) {
        const struct refrain_activity_partner *partner = activity->partners[i];
        const struct refrain_region_info *info = partner->region;
        struct refrain_stats_row *row =
            add_row(rows,
                    text("rank %d %s %d  %s%s%s", partner->rank, partner->receives ? "from" : "to", partner->peer,
                         info->name, in(info), within(info)),
                    text("%d %c %d %s:%u%s", partner->rank, partner->receives ? '<' : '>', partner->peer, info->file,
                         info->line, within(info)));
        if (!row)
            return;
        row->file = info->file;
        row->line = info->line;
        row->value[REFRAIN_STATS_TRANSMISSION] = partner->transmission_ns;
        row->value[REFRAIN_STATS_WAITING] = partner->waiting_ns;
        row->value[REFRAIN_STATS_TOTAL] = partner->transmission_ns + partner->waiting_ns;
        row->value[REFRAIN_STATS_MESSAGES] = (int64_t)partner->messages;
        row->value[REFRAIN_STATS_BYTES] = (int64_t)partner->bytes;
        row->value[REFRAIN_STATS_SHARE] = share(activity, row->value[REFRAIN_STATS_TOTAL]);
        row->value[REFRAIN_STATS_NOISE] = -1;
    }
}

static void unknown_but(struct refrain_stats_row *row, enum refrain_stats_value known) {
    for (int value = 0; value < REFRAIN_STATS_VALUES; value++)
        row->value[value] = value == (int)known ? row->value[value] : -1;
}

static void add_ranks(const struct refrain_activity *activity, const struct refrain_stats_metrics *metrics,
                      struct refrain_stats_rows *rows) {
    for (size_t i = 0; i < activity->n_ranks; i++) {
        const struct refrain_activity_rank *rank = &activity->ranks[i];
        if (rank->run_ns == 0 && rank->caused_ns == 0 && rank->calls == 0)
            continue;
        struct refrain_stats_row *row = add_row(rows, text("rank %d", rank->rank), text("%d", rank->rank));
        if (!row)
            return;
        row->value[REFRAIN_STATS_CAUSED] = rank->caused_ns;
        if (!rank->counts) {
            unknown_but(row, REFRAIN_STATS_CAUSED);
            continue;
        }
        row->value[REFRAIN_STATS_TOTAL] = rank->run_ns;
        row->value[REFRAIN_STATS_SHARE] = share(activity, rank->run_ns);
        row->value[REFRAIN_STATS_COMPUTING] = rank->times.own_ns[REFRAIN_OWN_TIME_COMPUTING];
        set_times(&rank->times, row->value);
        row->value[REFRAIN_STATS_COUNT] = (int64_t)rank->calls;
        row->value[REFRAIN_STATS_MESSAGES] = (int64_t)rank->sent;
        row->value[REFRAIN_STATS_BYTES] = (int64_t)rank->sent_bytes;
        row->value[REFRAIN_STATS_NOISE] = -1;
        const struct refrain_process *process = metrics ? refrain_trace_process(metrics->trace, rank->rank) : NULL;
        if (process)
            row->metrics = metrics->tables.processes[process - metrics->trace->processes];
    }
}

/* "MPI_Recv distribute.c:21", without debug information "MPI_Recv in solve+0x1e9" */
static void print_region(char *text, size_t bytes, const struct refrain_region_info *region) {
    if (region->file[0])
        snprintf(text, bytes, "%s %s:%u", region->name, refrain_base_name(region->file), region->line);
    else
        snprintf(text, bytes, "%s%s%s", region->name, in(region), within(region));
}

static void add_waits(const struct refrain_activity *activity, struct refrain_stats_rows *rows) {
    for (size_t i = 0; i < activity->n_waits; i++) {
        const struct refrain_activity_wait *wait = activity->waits[i];
        const char *kind = refrain_wait_kind_name(wait->kind);
        char waited[512], cause[512];
        print_region(waited, sizeof waited, wait->region);
        print_region(cause, sizeof cause, wait->cause);
        struct refrain_stats_row *row = add_row(
            rows, text("%s: %s for %s; most rank %d for %d", kind, waited, cause, wait->worst_rank, wait->worst_cause),
            text("%s %s %s:%u%s %s %s:%u%s", kind, wait->region->name, wait->region->file, wait->region->line,
                 within(wait->region), wait->cause->name, wait->cause->file, wait->cause->line, within(wait->cause)));
        if (!row)
            return;
        row->wait = wait;
        row->value[REFRAIN_STATS_WAITING] = row->value[REFRAIN_STATS_TOTAL] = wait->ns;
        row->value[REFRAIN_STATS_SHARE] = share(activity, wait->ns);
        row->value[REFRAIN_STATS_COUNT] = (int64_t)wait->count;
        row->value[REFRAIN_STATS_NOISE] = -1;
    }
}

/* ---- order ---- */

static int by_key(const void *a, const void *b) {
    return strcmp(((const struct refrain_stats_row *)a)->key, ((const struct refrain_stats_row *)b)->key);
}

/* Joins rows with equal keys: MPI functions called from several lines of a file, if lines do not count. */
static void merge(struct refrain_stats_rows *rows) {
    size_t kept = 0;
    qsort(rows->rows, rows->n, sizeof *rows->rows, by_key);
    for (size_t i = 0; i < rows->n; i++) {
        struct refrain_stats_row *row = &rows->rows[i], *last = kept ? &rows->rows[kept - 1] : NULL;
        if (!last || strcmp(last->key, row->key) != 0) {
            rows->rows[kept++] = *row;
            continue;
        }
        static const enum refrain_stats_value sums[] = {
            REFRAIN_STATS_TOTAL,        REFRAIN_STATS_SHARE,      REFRAIN_STATS_OWN,    REFRAIN_STATS_SELF,
            REFRAIN_STATS_TRANSMISSION, REFRAIN_STATS_MANAGEMENT, REFRAIN_STATS_PAUSED, REFRAIN_STATS_WAITING,
            REFRAIN_STATS_COUNT,        REFRAIN_STATS_MESSAGES,   REFRAIN_STATS_BYTES};
        for (size_t k = 0; k < sizeof sums / sizeof *sums; k++)
            last->value[sums[k]] += row->value[sums[k]];
        refrain_metrics_add_up(&last->metrics, &row->metrics);
        /* The distribution over ranks of the joined row is unknown. */
        for (int value = REFRAIN_STATS_LEAST; value <= REFRAIN_STATS_IMBALANCE; value++)
            last->value[value] = -1;
        int64_t *noise = &last->value[REFRAIN_STATS_NOISE], more = row->value[REFRAIN_STATS_NOISE];
        *noise = *noise < 0 || more < 0 ? -1 : (int64_t)hypot((double)*noise, (double)more);
        last->region = NULL;
        free(row->label);
        free(row->key);
    }
    rows->n = kept;
}

static int by_pain(const void *a, const void *b) {
    const struct refrain_stats_row *x = a, *y = b;
    int64_t of_x = x->value[REFRAIN_STATS_SHARE], of_y = y->value[REFRAIN_STATS_SHARE];
    if (of_x == of_y) {
        of_x = x->value[REFRAIN_STATS_TOTAL];
        of_y = y->value[REFRAIN_STATS_TOTAL];
    }
    return of_x < of_y ? 1 : of_x > of_y ? -1 : strcmp(x->key, y->key);
}

enum refrain_status refrain_stats_rows_make(const struct refrain_activity *activity,
                                            const struct refrain_stats_metrics *metrics, enum refrain_stats_view view,
                                            struct refrain_stats_rows *rows, struct refrain_error *error) {
    *rows = (struct refrain_stats_rows){.view = view};
    if (metrics &&
        (view == REFRAIN_STATS_BY_FUNCTION || view == REFRAIN_STATS_BY_SOURCE_LINE || view == REFRAIN_STATS_BY_RANK)) {
        rows->metric_names = metrics->trace->metric_names;
        rows->n_metrics = metrics->trace->n_metrics;
    }
    switch (view) {
    case REFRAIN_STATS_BY_CALL_PATH:
        add_paths(activity, rows, activity->root, 0, "");
        break;
    case REFRAIN_STATS_BY_PARTNER:
        add_partners(activity, rows);
        break;
    case REFRAIN_STATS_BY_RANK:
        add_ranks(activity, metrics, rows);
        break;
    case REFRAIN_STATS_BY_WAIT:
        add_waits(activity, rows);
        break;
    default:
        add_regions(activity, metrics, rows);
        break;
    }
    if (rows->no_memory) {
        refrain_stats_rows_free(rows);
        return REFRAIN_FAIL_MEMORY(error);
    }
    if (view == REFRAIN_STATS_BY_FUNCTION)
        merge(rows);
    if (view != REFRAIN_STATS_BY_CALL_PATH && view != REFRAIN_STATS_BY_RANK && rows->n)
        qsort(rows->rows, rows->n, sizeof *rows->rows, by_pain);
    return REFRAIN_OK;
}

void refrain_stats_rows_free(struct refrain_stats_rows *rows) {
    for (size_t i = 0; i < rows->n; i++) {
        free(rows->rows[i].label);
        free(rows->rows[i].key);
    }
    free(rows->rows);
    *rows = (struct refrain_stats_rows){0};
}
