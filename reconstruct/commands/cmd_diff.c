/* cmd_diff.c: refrain diff: what took longer in one run than in another. */
#define _GNU_SOURCE
#include "command.h"
#include "progress.h"
#include "stats_rows.h"

#include <inttypes.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1 /* of --json */

enum { OPTION_BY = 256, OPTION_CSV, OPTION_RECORDED, OPTION_COMPENSATE, OPTION_ALL, OPTION_EXIT_CODE };

struct arguments {
    const char *traces[2];
    int32_t rank;
    size_t most;
    int view;
    bool json, csv, recorded, compensate, all, exit_code;
};

/* A row of either run; null where the other one has none. */
struct pair {
    const struct refrain_stats_row *of[2];
    int64_t change_ns;
    double noise_ns; /* standard error of the change; -1 not known */
    bool beyond;     /* the change is more than the noise explains */
};

static int64_t value_of(const struct refrain_stats_row *row, enum refrain_stats_value value) {
    return row ? row->value[value] : 0;
}

/* What hurts in a row: of functions what they take themselves, in MPI calls the calls; else all. */
static int64_t hurt_of(const struct refrain_stats_row *row, enum refrain_stats_view view) {
    if (!row)
        return 0;
    if (view == REFRAIN_STATS_BY_RANK)
        return row->value[REFRAIN_STATS_TOTAL];
    bool of_regions = view == REFRAIN_STATS_BY_FUNCTION || view == REFRAIN_STATS_BY_SOURCE_LINE;
    return of_regions ? row->value[REFRAIN_STATS_SELF] : row->value[REFRAIN_STATS_TOTAL];
}

static int by_key(const void *a, const void *b) {
    return strcmp((*(const struct refrain_stats_row *const *)a)->key,
                  (*(const struct refrain_stats_row *const *)b)->key);
}

static int by_change(const void *a, const void *b) {
    const struct pair *x = a, *y = b;
    if (x->beyond != y->beyond)
        return x->beyond ? -1 : 1;
    int64_t of_x = llabs(x->change_ns), of_y = llabs(y->change_ns);
    if (of_x != of_y)
        return of_x < of_y ? 1 : -1;
    return strcmp((x->of[0] ? x->of[0] : x->of[1])->key, (y->of[0] ? y->of[0] : y->of[1])->key);
}

/* How many standard errors a change has to be so that chance alone makes one in twenty such: Student's t for as many
 * degrees of freedom as the run with fewer visits has, of which a profile keeps no more than its stretches apart. */
static double beyond_errors(int64_t visits) {
    static const double t[] = {12.71, 4.30, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26};
    int64_t degrees = visits - 1;
    if (degrees <= (int64_t)(sizeof t / sizeof *t))
        return degrees < 1 ? INFINITY : t[degrees - 1];
    return degrees < 20 ? 2.2 : 2.05;
}

/* Runs that came to a region equally often have the same stretches of visits: then the change varies as their
 * differences do, and what makes one stretch longer than another in both runs is no noise. Returns how many stretches
 * there are; 0: they do not go together. */
static uint64_t pair_stretches(struct pair *pair) {
    const struct refrain_activity_region *of[] = {pair->of[0] ? pair->of[0]->region : NULL,
                                                  pair->of[1] ? pair->of[1]->region : NULL};
    if (!of[0] || !of[1] || of[0]->count != of[1]->count || of[0]->shift != of[1]->shift)
        return 0;
    uint64_t n = of[0]->count >> of[0]->shift; /* whole stretches */
    double mean = 0, squares = 0;
    for (uint64_t i = 0; i < n; i++)
        mean += (of[1]->stretch_ns[i] - of[0]->stretch_ns[i]) / (double)n;
    for (uint64_t i = 0; i < n; i++) {
        double off = of[1]->stretch_ns[i] - of[0]->stretch_ns[i] - mean;
        squares += off * off;
    }
    if (n < 2)
        return 0;
    pair->noise_ns = sqrt((double)n * squares / (double)(n - 1));
    return n;
}

static void weigh(struct pair *pair, enum refrain_stats_view view) {
    double squares = 0;
    bool known = true;
    for (int i = 0; i < 2; i++) {
        int64_t noise = pair->of[i] ? pair->of[i]->value[REFRAIN_STATS_NOISE] : 0;
        known &= noise >= 0;
        squares += (double)noise * (double)noise;
    }
    pair->change_ns = hurt_of(pair->of[1], view) - hurt_of(pair->of[0], view);
    pair->noise_ns = known ? sqrt(squares) : -1;
    int64_t count[2] = {value_of(pair->of[0], REFRAIN_STATS_COUNT), value_of(pair->of[1], REFRAIN_STATS_COUNT)};
    uint64_t stretches = pair_stretches(pair);
    double errors = beyond_errors(stretches ? (int64_t)stretches : count[0] < count[1] ? count[0] : count[1]);
    pair->beyond = known && fabs((double)pair->change_ns) > errors * pair->noise_ns && pair->change_ns != 0;
    pair->beyond |= !pair->of[0] || !pair->of[1] || count[0] != count[1];
}

/* Pairs of rows with the same key, and rows alone; null without memory. */
static struct pair *make_pairs(const struct refrain_stats_rows rows[2], size_t *n) {
    const struct refrain_stats_row **sorted[2];
    struct pair *pairs = calloc(rows[0].n + rows[1].n + 1, sizeof *pairs);
    for (int i = 0; i < 2; i++) {
        sorted[i] = malloc((rows[i].n + 1) * sizeof *sorted[i]);
        for (size_t r = 0; sorted[i] && r < rows[i].n; r++)
            sorted[i][r] = &rows[i].rows[r];
        if (sorted[i])
            qsort(sorted[i], rows[i].n, sizeof *sorted[i], by_key);
    }
    *n = 0;
    size_t at[2] = {0, 0};
    while (pairs && sorted[0] && sorted[1] && (at[0] < rows[0].n || at[1] < rows[1].n)) {
        int order = at[0] == rows[0].n   ? 1
                    : at[1] == rows[1].n ? -1
                                         : strcmp(sorted[0][at[0]]->key, sorted[1][at[1]]->key);
        struct pair *pair = &pairs[(*n)++];
        if (order <= 0)
            pair->of[0] = sorted[0][at[0]++];
        if (order >= 0)
            pair->of[1] = sorted[1][at[1]++];
        weigh(pair, rows[0].view);
    }
    if (!sorted[0] || !sorted[1]) {
        free(pairs);
        pairs = NULL;
    }
    free(sorted[0]);
    free(sorted[1]);
    if (pairs)
        qsort(pairs, *n, sizeof *pairs, by_change);
    return pairs;
}

/* ---- output ---- */

static const struct refrain_stats_row *either(const struct pair *pair) {
    return pair->of[1] ? pair->of[1] : pair->of[0];
}

static const char *show_change(long double ns) {
    static char buffers[4][64];
    static unsigned at;
    char *buffer = buffers[at++ % 4];
    snprintf(buffer, sizeof buffers[0], "%s%s", ns < 0 ? "-" : "+", refrain_show_ns(ns < 0 ? -ns : ns));
    return buffer;
}

static const char *ratio(int64_t a, int64_t b, char *buffer, size_t bytes) {
    if (a > 0)
        snprintf(buffer, bytes, "%+.1f %%", 100 * ((double)b - (double)a) / (double)a);
    else
        snprintf(buffer, bytes, "%s", b > 0 ? "new" : "-");
    return buffer;
}

static void print_whole(const char *const names[2], struct refrain_activity *const activities[2]) {
    static const char *const titles[] = {"all ranks", "computing", "transmission", "management", "waiting"};
    printf("A %s\nB %s\n\n%s%14s %11s %11s %11s %9s%s\n", names[0], names[1], refrain_style(REFRAIN_BOLD), "", "A", "B",
           "change", "", refrain_style(REFRAIN_NORMAL));
    for (int t = 0; t < 5; t++) {
        int64_t ns[2];
        for (int i = 0; i < 2; i++) {
            const struct refrain_activity *a = activities[i];
            const int64_t *own_ns = a->times.own_ns;
            int64_t values[] = {a->run_ns, own_ns[REFRAIN_OWN_TIME_COMPUTING], own_ns[REFRAIN_OWN_TIME_TRANSMISSION],
                                own_ns[REFRAIN_OWN_TIME_MANAGEMENT], a->times.waiting_ns};
            ns[i] = values[t];
        }
        char percent[32];
        printf("%14s %11s %11s %11s %9s\n", titles[t], refrain_show_ns((long double)ns[0]),
               refrain_show_ns((long double)ns[1]), show_change((long double)(ns[1] - ns[0])),
               ratio(ns[0], ns[1], percent, sizeof percent));
    }
}

/* What is known to be noise is not, unless it is asked for. */
static bool is_shown(const struct pair *pair, const struct arguments *arguments) {
    return pair->beyond || arguments->all || (pair->noise_ns < 0 && pair->change_ns != 0);
}

static void print_text(const struct pair *pairs, size_t n, enum refrain_stats_view view,
                       const struct arguments *arguments) {
    size_t shown = 0, wanted = 0;
    for (size_t i = 0; i < n; i++)
        wanted += is_shown(&pairs[i], arguments);
    unsigned columns = refrain_terminal_columns();
    printf("\n%s%11s %11s %9s %9s %11s %16s  %s%s\n", refrain_style(REFRAIN_BOLD), "A", "change", "", "noise",
           "waiting", "calls", "what", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < n && shown < arguments->most; i++) {
        const struct pair *pair = &pairs[i];
        if (!is_shown(pair, arguments))
            continue;
        char percent[32], label[512], calls[64];
        const struct refrain_stats_row *row = either(pair);
        const char *slash = strrchr(row->file, '/');
        int64_t count[2] = {value_of(pair->of[0], REFRAIN_STATS_COUNT), value_of(pair->of[1], REFRAIN_STATS_COUNT)};
        int64_t waiting = value_of(pair->of[1], REFRAIN_STATS_WAITING) - value_of(pair->of[0], REFRAIN_STATS_WAITING);
        snprintf(label, sizeof label, "%.200s%s%.200s%s", refrain_show_name(row->label), row->file[0] ? "  " : "",
                 refrain_show_name(slash ? slash + 1 : row->file),
                 !pair->of[0]   ? "  only in B"
                 : !pair->of[1] ? "  only in A"
                                : "");
        if (count[0] == count[1])
            snprintf(calls, sizeof calls, "%s", refrain_show_count((uint64_t)count[0]));
        else
            snprintf(calls, sizeof calls, "%s>%s", refrain_show_count((uint64_t)count[0]),
                     refrain_show_count((uint64_t)count[1]));
        int64_t hurt[2] = {hurt_of(pair->of[0], view), hurt_of(pair->of[1], view)};
        const char *style = !pair->beyond         ? refrain_style(REFRAIN_FAINT)
                            : pair->change_ns > 0 ? refrain_style(REFRAIN_RED)
                                                  : refrain_style(REFRAIN_GREEN);
        printf("%s%11s %11s %9s %9s %11s %16s  %.*s%s\n", style, refrain_show_ns((long double)hurt[0]),
               show_change((long double)pair->change_ns), ratio(hurt[0], hurt[1], percent, sizeof percent),
               pair->noise_ns < 0 ? "-" : refrain_show_ns((long double)pair->noise_ns),
               show_change((long double)waiting), calls,
               columns > 100 ? (int)columns - 76
               : columns     ? 24
                             : 500,
               label, *style ? refrain_style(REFRAIN_NORMAL) : "");
        shown++;
    }
    if (wanted > shown)
        printf("%zu more (--top)\n", wanted - shown);
    if (n > wanted)
        printf("%zu others differ by no more than their noise (--all)\n", n - wanted);
}

static json_t *pair_json(const struct pair *pair, enum refrain_stats_view view) {
    const struct refrain_stats_row *row = either(pair);
    static const char *const sides[] = {"a", "b"};
    json_t *object = json_object();
    json_object_set_new(object, "what", refrain_json_text(row->label));
    json_object_set_new(object, "file", refrain_json_text(row->file));
    json_object_set_new(object, "line", json_integer(row->line));
    for (int i = 0; i < 2; i++) {
        json_t *side = pair->of[i] ? json_object() : json_null();
        if (pair->of[i]) {
            json_object_set_new(side, "ns", json_integer(hurt_of(pair->of[i], view)));
            json_object_set_new(side, "total_ns", json_integer(value_of(pair->of[i], REFRAIN_STATS_TOTAL)));
            json_object_set_new(side, "waiting_ns", json_integer(value_of(pair->of[i], REFRAIN_STATS_WAITING)));
            json_object_set_new(side, "calls", json_integer(value_of(pair->of[i], REFRAIN_STATS_COUNT)));
        }
        json_object_set_new(object, sides[i], side);
    }
    json_object_set_new(object, "change_ns", json_integer(pair->change_ns));
    json_object_set_new(object, "noise_ns", pair->noise_ns < 0 ? json_null() : json_real(pair->noise_ns));
    json_object_set_new(object, "beyond_noise", json_boolean(pair->beyond));
    return object;
}

static enum refrain_status print_json(const struct pair *pairs, size_t n, enum refrain_stats_view view,
                                      struct refrain_activity *const activities[2], struct refrain_error *error) {
    static const char *const sides[] = {"a", "b"};
    json_t *object = json_object(), *list = json_array();
    json_object_set_new(object, "schema_version", json_integer(SCHEMA_VERSION));
    json_object_set_new(object, "by", json_string(refrain_stats_views[view]));
    for (int i = 0; i < 2; i++)
        json_object_set_new(object, sides[i],
                            json_pack("{sIsIsI}", "run_ns", (json_int_t)activities[i]->run_ns, "mpi_ns",
                                      (json_int_t)refrain_activity_mpi_ns(&activities[i]->times), "waiting_ns",
                                      (json_int_t)activities[i]->times.waiting_ns));
    for (size_t i = 0; i < n; i++)
        json_array_append_new(list, pair_json(&pairs[i], view));
    json_object_set_new(object, "rows", list);
    return refrain_print_json(object, error);
}

static void print_csv(const struct pair *pairs, size_t n, enum refrain_stats_view view) {
    puts("what,file,line,a_ns,b_ns,change_ns,noise_ns,beyond_noise,a_waiting_ns,b_waiting_ns,a_calls,b_calls");
    for (size_t i = 0; i < n; i++) {
        const struct pair *pair = &pairs[i];
        const struct refrain_stats_row *row = either(pair);
        refrain_stats_put_csv(stdout, row->label);
        putchar(',');
        refrain_stats_put_csv(stdout, row->file);
        printf(",%u,%" PRId64 ",%" PRId64 ",%" PRId64 ",", row->line, hurt_of(pair->of[0], view),
               hurt_of(pair->of[1], view), pair->change_ns);
        if (pair->noise_ns >= 0)
            printf("%.0f", pair->noise_ns);
        printf(",%d,%" PRId64 ",%" PRId64 ",%" PRId64 ",%" PRId64 "\n", pair->beyond,
               value_of(pair->of[0], REFRAIN_STATS_WAITING), value_of(pair->of[1], REFRAIN_STATS_WAITING),
               value_of(pair->of[0], REFRAIN_STATS_COUNT), value_of(pair->of[1], REFRAIN_STATS_COUNT));
    }
}

/* ---- command line ---- */

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case OPTION_CSV:
        arguments->csv = true;
        return 0;
    case OPTION_RECORDED:
        arguments->recorded = true;
        return 0;
    case OPTION_COMPENSATE:
        arguments->compensate = true;
        return 0;
    case OPTION_ALL:
        arguments->all = true;
        return 0;
    case OPTION_EXIT_CODE:
        arguments->exit_code = true;
        return 0;
    case OPTION_BY:
        arguments->view = refrain_stats_view_named(value);
        if (arguments->view < 0)
            argp_error(state, "--by=%s: function, call-path, source-line, partner, rank or wait is expected", value);
        return 0;
    case 'r':
        arguments->rank = refrain_number_option(value, state, "a number");
        return 0;
    case 't':
        arguments->most = (size_t)refrain_number_option(value, state, "a number");
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->traces[1])
            argp_error(state, "two traces are compared, and %s is a third one", value);
        arguments->traces[arguments->traces[0] != NULL] = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->traces[1])
            argp_error(state, "two traces are compared: refrain diff A B");
        if (arguments->json && arguments->csv)
            argp_error(state, "--json and --csv exclude each other");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct argp_option options[] = {
    {"by", OPTION_BY, "function|call-path|source-line|partner|rank|wait", 0, "Compare these (default function)", 0},
    {"rank", 'r', "N", 0, "Only that rank (default: all together)", 0},
    {"top", 't', "N", 0, "Show N lines (default 20)", 0},
    {"all", OPTION_ALL, NULL, 0, "Also show changes that are within the noise", 0},
    {"recorded", OPTION_RECORDED, NULL, 0, "Use the recorded events and their times (REFRAIN_MODE=events or both)", 0},
    {"compensate", OPTION_COMPENSATE, NULL, 0, "Subtract what probes took, and the waiting that they caused, in both",
     0},
    {"exit-code", OPTION_EXIT_CODE, NULL, 0, "Exit with status 3 if a change is larger than its noise", 0},
    {"json", 'j', NULL, 0, "Print JSON, all lines", 1},
    {"csv", OPTION_CSV, NULL, 0, "Print comma-separated values, all lines", 1},
    {0}};

static const struct argp argp = {
    options,
    parse_option,
    "A B",
    "Shows what took longer or shorter in run B than in run A, the largest change first.\v"
    "The time of a function is what it took itself, without what it called; that of an MPI function is all its calls. "
    "Call paths, partners and waits are compared as a whole. Functions are matched by name and file, lines by file and "
    "line; so if the source has changed and lines have moved, compare by function.\n"
    "Noise is the standard error of the change: how much a sum of so many visits would vary by chance, judged by how "
    "the durations vary between stretches of visits (up to 32). If both runs came to a function equally often, each "
    "stretch is compared with the same stretch of the other run, so that differences that both runs have do not count "
    "as noise. Changes that chance would make in more than one of twenty cases (Student\'s t) are left out, unless the "
    "number of calls differs too. A noise of - is not known: this holds for what was called once in a run, and for "
    "call paths, partners, ranks and waits; these are shown. What varies from run to run as a whole, such as the speed "
    "of the machine, is not in the noise: compare two runs of the same program first.",
    NULL,
    NULL,
    NULL};

static enum refrain_status read_activity(const char *path, const struct arguments *arguments,
                                         struct refrain_trace **trace, struct refrain_activity **activity,
                                         struct refrain_error *error) {
    enum refrain_status status = refrain_trace_open(path, true, trace, error);
    if (status)
        return status;
    refrain_warn_missing(*trace);
    if (arguments->compensate)
        refrain_warn_uncalibrated(*trace);
    struct refrain_progress progress;
    struct refrain_activity_request request = {.rank = arguments->rank,
                                               .from_ns = INT64_MIN,
                                               .to_ns = INT64_MAX,
                                               .recorded = arguments->recorded,
                                               .compensate = arguments->compensate,
                                               .around = refrain_progress_around,
                                               .around_data = &progress};
    if ((*trace)->processes[0].header->mode == REFRAIN_MODE_EVENTS)
        request.recorded = true;
    status = refrain_activity_open(*trace, &request, activity, error);
    if (*activity)
        refrain_warn_unmatched(*trace, &(*activity)->report);
    return status;
}

static enum refrain_status compare(struct refrain_activity *const activities[2], const struct arguments *arguments,
                                   struct refrain_error *error) {
    enum refrain_stats_view view = (enum refrain_stats_view)arguments->view;
    struct refrain_stats_rows rows[2] = {{0}, {0}};
    enum refrain_status status = refrain_stats_rows_make(activities[0], NULL, view, &rows[0], error);
    if (!status)
        status = refrain_stats_rows_make(activities[1], NULL, view, &rows[1], error);
    size_t n = 0, beyond = 0;
    struct pair *pairs = status ? NULL : make_pairs(rows, &n);
    if (!status && !pairs)
        status = REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; !status && i < n; i++)
        beyond += pairs[i].beyond;
    if (!status && arguments->json) {
        status = print_json(pairs, n, view, activities, error);
    } else if (!status && arguments->csv) {
        print_csv(pairs, n, view);
    } else if (!status) {
        print_whole(arguments->traces, activities);
        print_text(pairs, n, view, arguments);
    }
    if (!status && arguments->exit_code && beyond)
        status = refrain_error_set(error, REFRAIN_DIFFERS, __FILE__, __LINE__, "%s and %s differ in %zu of %zu lines",
                                   arguments->traces[0], arguments->traces[1], beyond, n);
    free(pairs);
    refrain_stats_rows_free(&rows[0]);
    refrain_stats_rows_free(&rows[1]);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.rank = -1, .most = 20, .view = REFRAIN_STATS_BY_FUNCTION};
    struct refrain_trace *traces[2] = {NULL, NULL};
    struct refrain_activity *activities[2] = {NULL, NULL};
    refrain_command_parse(&refrain_command_diff, argc, argv, &arguments);
    enum refrain_status status = REFRAIN_OK;
    for (int i = 0; !status && i < 2; i++)
        status = read_activity(arguments.traces[i], &arguments, &traces[i], &activities[i], error);
    if (!status)
        status = compare(activities, &arguments, error);
    for (int i = 0; i < 2; i++) {
        refrain_activity_close(activities[i]);
        refrain_trace_close(traces[i]);
    }
    return status;
}

const struct refrain_command refrain_command_diff = {
    .name = "diff",
    .summary = "what took longer in one run than in another",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain diff before.refrain after.refrain              # functions\n"
                "  refrain diff --by wait before.refrain after.refrain    # what is waited for\n"
                "  refrain diff --exit-code before.refrain after.refrain  # 3 if one changed\n",
};
