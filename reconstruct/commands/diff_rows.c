/* diff_rows.c: joins the rows of several runs by their keys, and separates changes from chance (diff_rows.h). */
#include "commands/diff_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- chance ---- */

/* A change is beyond chance if it exceeds this many standard errors. Chance alone exceeds them once in twenty
 * (Student's t). */
static double beyond_errors(uint64_t degrees) {
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
    if (degrees <= sizeof t / sizeof *t)
        return degrees < 1 ? INFINITY : t[degrees - 1];
    return degrees < 20 ? 2.2 : 2.05;
}

static void set_noise(struct refrain_diff_change *change, double noise, uint64_t degrees) {
    change->noise = noise;
    change->beyond = noise >= 0 && change->change != 0 && fabs((double)change->change) > beyond_errors(degrees) * noise;
}

static int by_value(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

/* Sorts the values. */
static int64_t median(int64_t *values, size_t n) {
    qsort(values, n, sizeof *values, by_value);
    return n % 2 ? values[n / 2] : values[n / 2 - 1] + (values[n / 2] - values[n / 2 - 1]) / 2;
}

static double squares_around_mean(const int64_t *values, size_t n) {
    double mean = 0, squares = 0;
    for (size_t i = 0; i < n; i++)
        mean += (double)values[i] / (double)n;
    for (size_t i = 0; i < n; i++)
        squares += ((double)values[i] - mean) * ((double)values[i] - mean);
    return squares;
}

/* The median of few values varies by this much more than their mean, at most. */
#define MEDIAN_OVER_MEAN 1.2533 /* sqrt(pi / 2) */

/* Assumes that both sides vary alike. So a single run can be compared with several. */
void refrain_diff_weigh(int64_t *values, const size_t n[2], struct refrain_diff_change *change) {
    double squares = squares_around_mean(values, n[0]) + squares_around_mean(values + n[0], n[1]);
    *change = (struct refrain_diff_change){.median = {median(values, n[0]), median(values + n[0], n[1])}};
    change->change = change->median[1] - change->median[0];
    uint64_t degrees = n[0] + n[1] - 2;
    double noise = -1;
    if (degrees > 0)
        noise = MEDIAN_OVER_MEAN * sqrt(squares / (double)degrees * (1 / (double)n[0] + 1 / (double)n[1]));
    set_noise(change, noise, degrees);
}

/* If both runs visited a region equally often, its stretches of visits correspond. Then the noise is how their
 * differences vary: what makes a stretch longer in both runs is no noise. Returns the number of stretches; 0 if they do
 * not correspond. */
static uint64_t pair_stretches(const struct refrain_activity_region *const of[2], double *noise) {
    if (!of[0] || !of[1] || of[0]->count != of[1]->count || of[0]->shift != of[1]->shift)
        return 0;
    uint64_t n = of[0]->count >> of[0]->shift; /* number of complete stretches */
    double mean = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += (of[1]->stretch_ns[i] - of[0]->stretch_ns[i]) / (double)n;
    for (uint64_t i = 0; i < n; i++) {
        double off = of[1]->stretch_ns[i] - of[0]->stretch_ns[i] - mean;
        squares += off * off;
    }
    if (n < 2)
        return 0;
    *noise = sqrt((double)n * squares / (double)(n - 1));
    return n;
}

/* With a single run on each side, the noise of a sum follows from how the visits within the runs differ. */
static void weigh_visits(struct refrain_diff_row *row) {
    double squares = 0, noise;
    bool known = true;
    const struct refrain_activity_region *regions[2];
    for (int i = 0; i < 2; i++) {
        int64_t of_run = row->of[i] ? row->of[i]->value[REFRAIN_STATS_NOISE] : 0;
        regions[i] = row->of[i] ? row->of[i]->region : NULL;
        known &= of_run >= 0;
        squares += (double)of_run * (double)of_run;
    }
    noise = known ? sqrt(squares) : -1;
    uint64_t stretches = pair_stretches(regions, &noise);
    int64_t visits = row->count[0] < row->count[1] ? row->count[0] : row->count[1];
    set_noise(&row->ns, noise, stretches ? stretches - 1 : visits > 1 ? (uint64_t)visits - 1 : 0);
}

/* ---- of a run ---- */

const char *const refrain_diff_wholes[REFRAIN_DIFF_WHOLES] = {"time",       "computing", "transmission",
                                                              "management", "waiting",   "paused"};

int64_t refrain_diff_whole_ns(const struct refrain_activity *activity, enum refrain_diff_whole whole) {
    const int64_t *own_ns = activity->times.own_ns;
    switch (whole) {
    case REFRAIN_DIFF_COMPUTING:
        return own_ns[REFRAIN_OWN_TIME_COMPUTING];
    case REFRAIN_DIFF_TRANSMISSION:
        return own_ns[REFRAIN_OWN_TIME_TRANSMISSION];
    case REFRAIN_DIFF_MANAGEMENT:
        return own_ns[REFRAIN_OWN_TIME_MANAGEMENT];
    case REFRAIN_DIFF_WAITING:
        return activity->times.waiting_ns;
    case REFRAIN_DIFF_PAUSED:
        return own_ns[REFRAIN_OWN_TIME_PAUSED];
    default:
        return activity->run_ns;
    }
}

static int64_t value_of(const struct refrain_stats_row *row, enum refrain_stats_value value) {
    return row && row->value[value] > 0 ? row->value[value] : 0;
}

int64_t refrain_diff_ns(const struct refrain_stats_row *row, enum refrain_stats_view view) {
    bool of_regions = view == REFRAIN_STATS_BY_FUNCTION || view == REFRAIN_STATS_BY_SOURCE_LINE;
    return value_of(row, of_regions ? REFRAIN_STATS_SELF : REFRAIN_STATS_TOTAL);
}

/* ---- rows ---- */

/* A row of one run. Rows with the same key in one run are numbered by `order`. */
struct entry {
    const struct refrain_stats_row *row;
    size_t run, order;
};

static int by_key(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = strcmp(x->row->key, y->row->key);
    if (order)
        return order;
    if (x->order != y->order)
        return x->order < y->order ? -1 : 1;
    return x->run < y->run ? -1 : x->run > y->run;
}

/* Sorts by key, then run, then position, while `order` is still 0 everywhere. So rows of one run with the same key are
 * neighbours. */
static int by_run(const void *a, const void *b) {
    const struct entry *x = a, *y = b;
    int order = by_key(a, b);
    return order ? order : x->row < y->row ? -1 : x->row > y->row;
}

static void number_alike(struct entry *entries, size_t n) {
    qsort(entries, n, sizeof *entries, by_run);
    for (size_t i = 1; i < n; i++)
        if (entries[i].run == entries[i - 1].run && strcmp(entries[i].row->key, entries[i - 1].row->key) == 0)
            entries[i].order = entries[i - 1].order + 1;
    qsort(entries, n, sizeof *entries, by_key);
}

static void medians(const struct refrain_diff_runs *runs, struct refrain_diff_rows *rows,
                    const struct refrain_diff_row *row, enum refrain_stats_value value, int64_t result[2]) {
    struct refrain_diff_change change;
    for (size_t run = 0; run < runs->n[0] + runs->n[1]; run++)
        rows->values[run] = value_of(row->of[run], value);
    refrain_diff_weigh(rows->values, runs->n, &change);
    result[0] = change.median[0];
    result[1] = change.median[1];
}

/* True if each run of one side has more calls than each run of the other. A run without the row has fewer than any. */
static bool counts_apart(const struct refrain_diff_runs *runs, const struct refrain_diff_row *row) {
    int64_t least[2] = {INT64_MAX, INT64_MAX}, most[2] = {0, 0};
    for (size_t run = 0; run < runs->n[0] + runs->n[1]; run++) {
        int side = run >= runs->n[0];
        int64_t count = row->of[run] ? value_of(row->of[run], REFRAIN_STATS_COUNT) + 1 : 0;
        least[side] = count < least[side] ? count : least[side];
        most[side] = count > most[side] ? count : most[side];
    }
    return most[0] < least[1] || most[1] < least[0];
}

static void weigh(const struct refrain_diff_runs *runs, struct refrain_diff_rows *rows, struct refrain_diff_row *row) {
    size_t n = runs->n[0] + runs->n[1];
    for (size_t run = 0; run < n; run++) {
        rows->values[run] = refrain_diff_ns(row->of[run], runs->rows[0].view);
        row->in[run >= runs->n[0]] |= row->of[run] != NULL;
    }
    refrain_diff_weigh(rows->values, runs->n, &row->ns);
    medians(runs, rows, row, REFRAIN_STATS_TOTAL, row->total_ns);
    medians(runs, rows, row, REFRAIN_STATS_WAITING, row->waiting_ns);
    medians(runs, rows, row, REFRAIN_STATS_COUNT, row->count);
    if (n == 2)
        weigh_visits(row);
    row->beyond = row->ns.beyond || counts_apart(runs, row);
}

static int by_change(const void *a, const void *b) {
    const struct refrain_diff_row *x = a, *y = b;
    if (x->beyond != y->beyond)
        return x->beyond ? -1 : 1;
    int64_t of_x = llabs(x->ns.change), of_y = llabs(y->ns.change);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return strcmp(x->some->key, y->some->key);
}

static struct entry *list_entries(const struct refrain_diff_runs *runs, size_t *n) {
    *n = 0;
    for (size_t run = 0; run < runs->n[0] + runs->n[1]; run++)
        *n += runs->rows[run].n;
    struct entry *entries = calloc(*n + 1, sizeof *entries);
    size_t at = 0;
    for (size_t run = 0; entries && run < runs->n[0] + runs->n[1]; run++)
        for (size_t i = 0; i < runs->rows[run].n; i++)
            entries[at++] = (struct entry){.row = &runs->rows[run].rows[i], .run = run};
    if (entries)
        number_alike(entries, *n);
    return entries;
}

enum refrain_status refrain_diff_rows_make(const struct refrain_diff_runs *runs, struct refrain_diff_rows *rows,
                                           struct refrain_error *error) {
    size_t n, n_runs = runs->n[0] + runs->n[1];
    struct entry *entries = list_entries(runs, &n);
    *rows = (struct refrain_diff_rows){.rows = calloc(n + 1, sizeof *rows->rows),
                                       .of = calloc((n + 1) * n_runs, sizeof *rows->of),
                                       .values = calloc(n_runs, sizeof *rows->values)};
    bool sound = entries && rows->rows && rows->of && rows->values;
    for (size_t i = 0; sound && i < n; i++) {
        bool same = i > 0 && entries[i].order == entries[i - 1].order &&
                    strcmp(entries[i].row->key, entries[i - 1].row->key) == 0;
        struct refrain_diff_row *row = same ? &rows->rows[rows->n - 1] : &rows->rows[rows->n++];
        if (!same)
            *row = (struct refrain_diff_row){.of = rows->of + (rows->n - 1) * n_runs, .some = entries[i].row};
        row->of[entries[i].run] = entries[i].row;
    }
    for (size_t i = 0; sound && i < rows->n; i++)
        weigh(runs, rows, &rows->rows[i]);
    free(entries);
    if (!sound)
        return REFRAIN_FAIL_MEMORY(error);
    qsort(rows->rows, rows->n, sizeof *rows->rows, by_change);
    return REFRAIN_OK;
}

void refrain_diff_rows_free(struct refrain_diff_rows *rows) {
    free(rows->rows);
    free(rows->of);
    free(rows->values);
    *rows = (struct refrain_diff_rows){0};
}
