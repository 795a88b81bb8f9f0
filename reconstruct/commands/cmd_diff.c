/* cmd_diff.c: refrain diff: what took longer in some runs than in others. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/diff_limits.h"
#include "commands/diff_print.h"
#include "commands/progress.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_BY = 256, OPTION_EXIT_CODE, OPTION_FAIL_IF };

#define DEFAULT_LIMIT "time>5%" /* the limit of --exit-code */

struct arguments {
    const char **names; /* traces: A's, then B's; room for all arguments */
    size_t n_names;
    size_t n_first;                    /* number of A's traces; 0: the word between A and B was not read yet */
    struct refrain_diff_limit *limits; /* room for all arguments */
    size_t n_limits;
    int32_t rank;
    int view;
    struct refrain_diff_look look;
    bool json, csv, recorded, compensate;
};

/* ---- command line ---- */

static void add_limit(struct arguments *arguments, const char *text, struct argp_state *state) {
    if (!refrain_diff_limit_parse(text, &arguments->limits[arguments->n_limits]))
        argp_error(state, "%s is not a limit; 'time>5%%', 'waiting>10%%+2ms' or 'FUNCTION>20ms' is expected", text);
    else
        arguments->n_limits++;
}

/* An argument with > is a limit: the shell may leave several of them behind one --fail-if. */
static void add_argument(struct arguments *arguments, const char *text, struct argp_state *state) {
    if (strchr(text, '>'))
        add_limit(arguments, text, state);
    else if (strcmp(text, "against") != 0)
        arguments->names[arguments->n_names++] = text;
    else if (arguments->n_first || arguments->n_names == 0)
        argp_error(state, "one \"against\" is expected between the runs: refrain diff A1 A2 against B1 B2");
    else
        arguments->n_first = arguments->n_names;
}

static void check_arguments(struct arguments *arguments, struct argp_state *state) {
    if (arguments->n_first == 0 && arguments->n_names > 2)
        argp_error(state, "of %zu traces it is not known which are compared; write: refrain diff A1 A2 against B1 B2",
                   arguments->n_names);
    if (arguments->n_names < 2 || arguments->n_first == arguments->n_names)
        argp_error(state, "two traces are compared: refrain diff A B");
    if (arguments->n_first == 0)
        arguments->n_first = 1;
    if (arguments->json && arguments->csv)
        argp_error(state, "--json and --csv exclude each other");
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_EXIT_CODE:
        add_limit(arguments, DEFAULT_LIMIT, state);
        return 0;
    case OPTION_FAIL_IF:
        add_limit(arguments, value, state);
        return 0;
    case OPTION_BY:
        arguments->view = refrain_stats_view_named(value);
        if (arguments->view < 0)
            argp_error(state, "--by=%s: function, call-path, source-line, partner, rank or wait is expected", value);
        return 0;
    case ARGP_KEY_ARG:
        add_argument(arguments, value, state);
        return 0;
    case ARGP_KEY_END:
        check_arguments(arguments, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"by", OPTION_BY, "function|call-path|source-line|partner|rank|wait", "Compare these (default function)", 0,
     REFRAIN_OWN},
    {"rank", 'r', "N", "Only that rank (default: all together)", 0, REFRAIN_NUMBER(rank)},
    {"top", 't', "N", "Show N lines (default 20)", 0, REFRAIN_SIZE(look.most)},
    {"all", 0, NULL, "Also show changes that are within the noise", 0, REFRAIN_FLAG(look.all)},
    {"recorded", 0, NULL, "Use the recorded events and their times (REFRAIN_MODE=events or both)", 0,
     REFRAIN_FLAG(recorded)},
    {"compensate", 0, NULL, "Subtract what probes took, and the waiting that they caused, in all runs", 0,
     REFRAIN_FLAG(compensate)},
    {"fail-if", OPTION_FAIL_IF, "'WHAT>LIMIT'",
     "Exit with status 3 if WHAT takes longer in B than in A, by more than LIMIT and by more than chance; may be given "
     "several times, and further limits follow as arguments",
     0, REFRAIN_OWN},
    {"exit-code", OPTION_EXIT_CODE, NULL, "The same as --fail-if '" DEFAULT_LIMIT "'", 0, REFRAIN_OWN},
    {"json", 'j', NULL, "Print JSON, all lines", 1, REFRAIN_FLAG(json)},
    {"csv", 0, NULL, "Print comma-separated values, all lines", 1, REFRAIN_FLAG(csv)},
    {0}};

static const char doc[] =
    "Shows what took longer or shorter in run B than in run A, the largest change first.\v"
    "The time of a function is what it took itself, without what it called; that of an MPI function is all its calls. "
    "Call paths, partners and waits are compared as a whole. Functions are matched by name and file, lines by file and "
    "line; so if the source has changed and lines have moved, compare by function.\n"
    "Several runs of each side are compared by their medians, and how repeated runs of one side differ is the noise: "
    "with the variance s^2 of both sides together (around the mean of each), the noise of runs n and m is 1.25 s "
    "sqrt(1/n + 1/m). Three runs of each are a good number; there have to be three in all. What a run does not have "
    "counts as 0.\n"
    "Of one run on each side, the noise of a function is known by its visits: it is the standard error of the change, "
    "judged by how the durations vary between stretches of visits (up to 32). If both runs came to a function equally "
    "often, each stretch is compared with the same stretch of the other run, so that differences that both runs have "
    "do "
    "not count as noise. A noise of - is not known: this holds for what was called once in a run, for call paths, "
    "partners, ranks and waits, and for the whole; such lines are shown. What varies from run to run as a whole, such "
    "as the speed of the machine, is not in this noise: repeat the runs.\n"
    "Changes that chance would make in more than one of twenty cases (Student\'s t) are left out, unless all runs of "
    "one side have more calls than those of the other. So of twenty lines that are alike one is shown all the same: "
    "what fails a build should have a limit.\n"
    "WHAT in --fail-if is time (of all ranks and threads together), computing, transmission, management, waiting or "
    "paused, or else the name of a line as --by shows it. LIMIT is a share of what it takes in A, a time, or both: "
    "'waiting>10%+2ms' allows a tenth and two milliseconds. A limit is exceeded if the change is larger than the limit "
    "and, where its noise is known, larger than chance explains; of single runs, whose noise as a whole is not known, "
    "the limit alone decides. The exit status is 0 if no limit is exceeded, 3 if one is, 1 if a trace cannot be read "
    "and 2 if the command line is wrong.";

static const struct argp argp = {.parser = parse_option, .args_doc = "A B\nA1 A2 ... against B1 B2 ...", .doc = doc};

/* ---- runs ---- */

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

static enum refrain_status check_limits(const struct refrain_diff_runs *runs, const struct refrain_diff_rows *rows,
                                        struct arguments *arguments, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; !status && i < arguments->n_limits; i++)
        status = refrain_diff_limit_check(runs, rows, &arguments->limits[i], error);
    return status;
}

static enum refrain_status fail_if_exceeded(const struct arguments *arguments, struct refrain_error *error) {
    size_t n = 0, first = 0;
    for (size_t i = arguments->n_limits; i-- > 0;)
        if (arguments->limits[i].exceeded) {
            first = i;
            n++;
        }
    if (n == 0)
        return REFRAIN_OK;
    return refrain_error_set(error, REFRAIN_DIFFERS, __FILE__, __LINE__, "%zu of %zu limits %s exceeded, first: %s", n,
                             arguments->n_limits, n == 1 ? "is" : "are", arguments->limits[first].text);
}

static enum refrain_status compare(const struct refrain_diff_runs *runs, struct arguments *arguments,
                                   struct refrain_error *error) {
    struct refrain_diff_rows rows;
    enum refrain_status status = refrain_diff_rows_make(runs, &rows, error);
    if (!status)
        status = check_limits(runs, &rows, arguments, error);
    struct refrain_diff_print print = {arguments->names,    runs,           &rows, arguments->limits,
                                       arguments->n_limits, arguments->look};
    if (!status && arguments->json)
        status = refrain_diff_print_json(&print, error);
    else if (!status && arguments->csv)
        refrain_diff_print_csv(&print);
    else if (!status)
        refrain_diff_print_text(&print);
    refrain_diff_rows_free(&rows);
    return status ? status : fail_if_exceeded(arguments, error);
}

static enum refrain_status read_all(struct arguments *arguments, struct refrain_trace **traces,
                                    struct refrain_diff_runs *runs, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    enum refrain_stats_view view = (enum refrain_stats_view)arguments->view;
    for (size_t i = 0; !status && i < arguments->n_names; i++) {
        status = read_activity(arguments->names[i], arguments, &traces[i], &runs->activities[i], error);
        if (!status)
            status = refrain_stats_rows_make(runs->activities[i], NULL, view, &runs->rows[i], error);
    }
    return status;
}

static enum refrain_status compare_runs(struct arguments *arguments, struct refrain_error *error) {
    size_t n = arguments->n_names;
    struct refrain_trace **traces = calloc(n, sizeof *traces);
    struct refrain_diff_runs runs = {.activities = calloc(n, sizeof *runs.activities),
                                     .rows = calloc(n, sizeof *runs.rows),
                                     .n = {arguments->n_first, n - arguments->n_first}};
    bool sound = traces && runs.activities && runs.rows;
    enum refrain_status status = sound ? read_all(arguments, traces, &runs, error) : REFRAIN_FAIL_MEMORY(error);
    if (!status)
        status = compare(&runs, arguments, error);
    for (size_t i = 0; sound && i < n; i++) {
        refrain_stats_rows_free(&runs.rows[i]);
        refrain_activity_close(runs.activities[i]);
        refrain_trace_close(traces[i]);
    }
    free(traces);
    free(runs.activities);
    free(runs.rows);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.names = calloc((size_t)argc, sizeof *arguments.names),
                                  .limits = calloc((size_t)argc, sizeof *arguments.limits),
                                  .rank = -1,
                                  .view = REFRAIN_STATS_BY_FUNCTION,
                                  .look = {.most = 20}};
    enum refrain_status status = REFRAIN_OK;
    if (!arguments.names || !arguments.limits)
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status) {
        refrain_command_parse(&refrain_command_diff, argc, argv, &arguments);
        status = compare_runs(&arguments, error);
    }
    for (size_t i = 0; i < arguments.n_limits; i++)
        free(arguments.limits[i].text);
    free(arguments.limits);
    free(arguments.names);
    return status;
}

const struct refrain_command refrain_command_diff = {
    .name = "diff",
    .summary = "what took longer in one run than in another",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples =
        "  refrain diff before.refrain after.refrain              # functions\n"
        "  refrain diff --by wait before.refrain after.refrain    # what is waited for\n"
        "  refrain diff a1 a2 a3 against b1 b2 b3                 # medians of three runs each\n"
        "  refrain diff --fail-if 'time>5%' 'waiting>10%+2ms' a1 a2 a3 against b1 b2 b3   # 3 if one is exceeded\n",
};
