/* cmd_stats.c: refrain stats: where the time went: program, functions, loops, call sites, partners, ranks. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/construct_text.h"
#include "commands/counter_table.h"
#include "commands/critical_text.h"
#include "commands/file_text.h"
#include "commands/progress.h"
#include "commands/stats_overview.h"
#include "commands/stats_print.h"
#include "commands/time_option.h"
#include "match/replay.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define RANKS_SHOWN 32u
#define MOST_LAYERS 64u

enum { OPTION_BY = 256, OPTION_LAYER };

/* Tables that are not of refrain_stats_views. */
enum whole {
    WHOLE_NONE,
    WHOLE_COUNTERS,
    WHOLE_CRITICAL_PATH,
    WHOLE_PARALLELISM,
    WHOLE_CONSTRUCTS,
    WHOLE_FILES,
    WHOLE_TABLES
};
static const char *const whole_names[WHOLE_TABLES] = {"",          "counter", "critical-path", "parallelism",
                                                      "construct", "file"};

struct arguments {
    const char *trace;
    int32_t rank; /* -1: all */
    size_t most;  /* lines of a table; SIZE_MAX: each table has its own default */
    int view;     /* -1: the whole overview */
    struct refrain_time_option from, to;
    bool json, csv, folded, recorded, compensate, quick, ranks;
    const char *layers[MOST_LAYERS];
    size_t n_layers;
    enum whole whole; /* --by: one of these tables, and nothing else */
};

static size_t lines(const struct arguments *arguments, size_t otherwise) {
    return arguments->most == SIZE_MAX ? otherwise : arguments->most;
}

/* Prints members of an object, which it releases, after those that all tables have. */
static enum refrain_status print_members(enum whole whole, json_t *members, struct refrain_error *error) {
    json_t *object = json_pack("{s:i,s:s}", "schema_version", REFRAIN_STATS_SCHEMA_VERSION, "by", whole_names[whole]);
    json_object_update(object, members);
    json_decref(members);
    return refrain_print_json(object, error);
}

/* --by=counter */
static enum refrain_status show_counters(const struct refrain_counters *counters, const struct arguments *arguments,
                                         struct refrain_error *error) {
    if (arguments->json)
        return print_members(WHOLE_COUNTERS, json_pack("{s:o}", "rows", refrain_counters_json(counters)), error);
    if (arguments->csv)
        refrain_counters_csv(counters);
    else if (counters->n)
        refrain_counters_print(counters);
    else
        puts("the program told no counters and no markers");
    return REFRAIN_OK;
}

/* ---- the critical path, ranks that compute at a time ---- */

static void warn_critical(const struct refrain_trace *trace, const struct refrain_critical *critical) {
    const struct refrain_delays *delays = critical->delays;
    refrain_warn_unmatched(trace, &critical->activity->report);
    if (critical->activity->approximate)
        refrain_warn("%s of %s events are approximate, and so is what follows from them: refrain info says why",
                     refrain_show_count(critical->activity->approximate),
                     refrain_show_count(critical->activity->events));
    if (delays->n_other_threads)
        refrain_warn("only the first thread of each rank is looked at: %zu others are left out",
                     delays->n_other_threads);
    if (!delays->has_finalize && delays->n_known)
        refrain_warn("no rank came to MPI_Finalize: the path ends with the last event that is known");
}

static enum refrain_status show_critical(struct refrain_trace *trace, struct refrain_activity_request *request,
                                         const struct arguments *arguments, struct refrain_error *error) {
    struct refrain_critical critical;
    bool is_path = arguments->whole == WHOLE_CRITICAL_PATH;
    enum refrain_status status = refrain_critical_open(trace, request, is_path, &critical, error);
    if (critical.activity && critical.rows) {
        warn_critical(trace, &critical);
        if (arguments->json)
            status = print_members(arguments->whole,
                                   is_path ? refrain_critical_json(&critical) : refrain_parallelism_json(&critical),
                                   status ? NULL : error) ||
                     status;
        else if (is_path)
            arguments->csv ? refrain_critical_csv(&critical)
                           : refrain_critical_print(&critical, lines(arguments, REFRAIN_STATS_LINES_SHOWN));
        else
            arguments->csv ? refrain_parallelism_csv(&critical)
                           : refrain_parallelism_print(&critical, lines(arguments, RANKS_SHOWN));
    }
    refrain_critical_close(&critical);
    return status;
}

/* ---- constructs of OpenMP and of the thread library ---- */

static enum refrain_status show_constructs(struct refrain_trace *trace, const struct refrain_activity_request *request,
                                           const struct arguments *arguments, struct refrain_error *error) {
    struct refrain_construct_rows rows;
    enum refrain_status status =
        refrain_construct_rows_open(trace, request->recorded, request->compensate, &rows, error);
    if (!status && rows.approximate)
        refrain_warn("%s events are approximate, and so is what follows from them: refrain info says why",
                     refrain_show_count(rows.approximate));
    if (!status && arguments->json)
        status = print_members(WHOLE_CONSTRUCTS, json_pack("{s:o}", "rows", refrain_constructs_json(&rows)), error);
    else if (!status)
        arguments->csv ? refrain_constructs_csv(&rows)
                       : refrain_constructs_print(&rows, lines(arguments, REFRAIN_STATS_LINES_SHOWN));
    refrain_construct_rows_close(&rows);
    return status;
}

/* ---- files ---- */

static enum refrain_status show_files(struct refrain_trace *trace, const struct refrain_activity_request *request,
                                      const struct arguments *arguments, struct refrain_error *error) {
    const struct refrain_file_request of_files = {.rank = request->rank,
                                                  .from_ns = request->from_ns,
                                                  .to_ns = request->to_ns,
                                                  .recorded = request->recorded,
                                                  .compensate = request->compensate,
                                                  .around = request->around,
                                                  .around_data = request->around_data};
    struct refrain_file_uses uses;
    enum refrain_status status = refrain_file_uses_open(trace, &of_files, &uses, error);
    refrain_files_warn(&uses);
    if (arguments->json)
        status =
            print_members(WHOLE_FILES, refrain_files_json(&uses, arguments->ranks), status ? NULL : error) || status;
    else if (arguments->csv)
        refrain_files_csv(&uses, arguments->ranks);
    else
        refrain_files_print(&uses, arguments->ranks, lines(arguments, REFRAIN_STATS_LINES_SHOWN));
    refrain_file_uses_close(&uses);
    return status;
}

/* A table that is not of refrain_stats_views. */
static enum refrain_status show_whole(struct refrain_trace *trace, struct refrain_activity_request *request,
                                      const struct refrain_counters *counters, const struct arguments *arguments,
                                      struct refrain_error *error) {
    switch (arguments->whole) {
    case WHOLE_COUNTERS:
        return show_counters(counters, arguments, error);
    case WHOLE_CONSTRUCTS:
        return show_constructs(trace, request, arguments, error);
    case WHOLE_FILES:
        return show_files(trace, request, arguments, error);
    default:
        return show_critical(trace, request, arguments, error);
    }
}

/* ---- command line ---- */

/* Options that --by=file does not have, and that only it has. */
static void check_files(const struct arguments *arguments, const struct argp_state *state) {
    if (arguments->whole == WHOLE_FILES && (arguments->folded || arguments->quick || arguments->n_layers))
        argp_error(state, "--by=file goes without --folded, --layer and --quick");
    if (arguments->whole != WHOLE_FILES && arguments->ranks)
        argp_error(state, "--ranks shows the ranks below each file: it goes with --by=file only");
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_BY:
        arguments->whole = WHOLE_NONE;
        for (int whole = WHOLE_NONE + 1; whole < WHOLE_TABLES; whole++)
            if (strcmp(value, whole_names[whole]) == 0)
                arguments->whole = (enum whole)whole;
        arguments->view = refrain_stats_view_named(value);
        if (arguments->view < 0 && !arguments->whole)
            argp_error(state,
                       "--by=%s: function, call-path, source-line, partner, rank, wait, counter, critical-path, "
                       "parallelism, construct or file is expected",
                       value);
        return 0;
    case OPTION_LAYER:
        if (arguments->n_layers == MOST_LAYERS)
            argp_error(state, "--layer=%s: at most %u are taken; a pattern such as 'mpi_*' stands for several", value,
                       MOST_LAYERS);
        arguments->layers[arguments->n_layers++] = value;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (arguments->json + arguments->csv + arguments->folded > 1)
            argp_error(state, "--json, --csv and --folded exclude each other");
        if (arguments->quick &&
            (arguments->csv || arguments->folded || arguments->view >= 0 || arguments->from.given ||
             arguments->to.given || arguments->recorded || arguments->compensate || arguments->n_layers))
            argp_error(state, "--quick replays nothing: it goes with --json, --rank and --top only");
        if (arguments->whole == WHOLE_COUNTERS && (arguments->folded || arguments->from.given || arguments->to.given ||
                                                   arguments->recorded || arguments->n_layers))
            argp_error(state,
                       "--by=counter shows the whole run as it was learned: no --folded, --layer, --from, --to or "
                       "--recorded");
        check_files(arguments, state);
        if (arguments->whole > WHOLE_COUNTERS && arguments->whole != WHOLE_FILES &&
            (arguments->folded || arguments->from.given || arguments->to.given || arguments->quick ||
             arguments->rank >= 0))
            argp_error(state, "--by=%s shows the whole run of all ranks: no --folded, --from, --to, --quick or --rank",
                       whole_names[arguments->whole]);
        if (arguments->csv && arguments->view < 0 && !arguments->whole)
            arguments->view = REFRAIN_STATS_BY_FUNCTION;
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"by", OPTION_BY, "TABLE",
     "Show one table, with a line for each function, call-path, source-line, partner, rank, wait, counter or (of "
     "OpenMP or the thread library) construct; or critical-path, or parallelism; or file, of MPI-IO",
     0, REFRAIN_OWN},
    {"ranks", 0, NULL, "With --by=file: also a line for each rank that used the file", 0, REFRAIN_FLAG(ranks)},
    {"layer", OPTION_LAYER, "FUNCTION|FILE",
     "Show MPI calls made in this function, or in this source file, at the function that called it; patterns as 'mp_*' "
     "are taken, and the option may be repeated",
     0, REFRAIN_OWN},
    {"rank", 'r', "N", "Only that rank (default: all together)", 0, REFRAIN_NUMBER(rank)},
    {"from", 0, "TIME", REFRAIN_TIME_FROM, 0, REFRAIN_TIME(from)},
    {"to", 0, "TIME", REFRAIN_TIME_TO, 0, REFRAIN_TIME(to)},
    {"top", 't', "N", "Show N lines of each table and of what it has below a line (default 20; 8 waits, 32 ranks)", 0,
     REFRAIN_SIZE(most)},
    {"recorded", 0, NULL, "Use the recorded events and their times (REFRAIN_MODE=events or both)", 0,
     REFRAIN_FLAG(recorded)},
    {"compensate", 0, NULL, "Subtract what probes took, and the waiting that they caused", 0, REFRAIN_FLAG(compensate)},
    {"quick", 0, NULL,
     "Leave out waiting and balance, which need the events: then a long run takes no longer than "
     "a short one. The time that a function takes with its callees then counts each level of a recursion",
     0, REFRAIN_FLAG(quick)},
    {"json", 'j', NULL, "Print JSON, all functions or lines", 1, REFRAIN_FLAG(json)},
    {"csv", 0, NULL, "Print comma-separated values, all lines (of --by, by default function)", 1, REFRAIN_FLAG(csv)},
    {"folded", 0, NULL, "Print call paths and their nanoseconds, as flame graphs take them", 1, REFRAIN_FLAG(folded)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Shows where the time went: in functions, loops and MPI calls, and in waiting for other ranks.\v"
    "Without --by it shows four things. First, the program as a whole. Then how even the ranks are: the least, the "
    "mean "
    "and the greatest value of a rank, and by how much the greatest is above the mean. Then the longest waits. Then "
    "functions, the program's own regions, and MPI calls made outside of functions, by their time. A time is 'own', "
    "in MPI calls, or in calls of the C library for files (refrain record --io), which then have a column.\n"
    "Times are sums over the ranks; shares are of the run times of all ranks together. The time of a function is what "
    "it "
    "took itself, and the MPI calls that it made. Functions that it called have lines of their own. The time with "
    "callees goes from its calls to their ends. Threads that work in a function without having called it, as those of "
    "OpenMP do in a parallel region, count there, but not what they call. Count is calls, or iterations of loops.\n"
    "The clock is read at functions and MPI calls, not where a loop begins or ends. The time of a loop is that between "
    "the first and the last clock read in it. At its edges it also has what lies between two iterations, as far as the "
    "clock reads around leave room. ~ before a time: more than a twentieth of it is estimated so. >= before a time: "
    "nothing is known of the edges, or probes were disabled; it is the least that the time can be. -: no two clock "
    "reads "
    "lie in the loop. 'then' and 'else' are lines for where a condition held and where it did not. They have the times "
    "between calls with probes in them, which are part of other lines, too. What is counted beside the time "
    "(REFRAIN_METRICS) counts for a loop from the last clock read before it. With --quick, loops have no times.\n"
    "Waiting is the part of an MPI call until another rank came. Its kinds are: late sender; late receiver (of "
    "synchronous and large sends); barrier; n-to-n (allreduce and the like); late broadcast (also scatter); early "
    "reduce "
    "(also gather: the root came first); and completion, the same in MPI_Wait and the like. If a call waits for "
    "several "
    "things at the same time, that time counts once. The rest of a call is management if its function begins or ends "
    "MPI, or makes, changes, frees or asks for something, such as communicators, datatypes, windows and open files. "
    "Else "
    "it is transmission. A pause is neither computing nor MPI.\n"
    "The critical path is the chain of work that made the run as long as it was. It is read backwards from the rank "
    "that "
    "ended last. Where that rank waited for another one, the path goes on with what that one did. So the path is as "
    "long "
    "as the run from the last MPI_Init to the last MPI_Finalize, and no part of it is waiting. 'run shorter' says by "
    "how "
    "much the run would have been shorter if the place had taken no time on any rank. Waits then follow from what is "
    "left, and all else takes the time that it took. That is less than the time on the path where another path is "
    "nearly "
    "as long, and more where the place holds up several ranks in turn. 'parallelism' says for how long how many ranks "
    "computed at the same time.\n"
    "Programs often make their MPI calls in a layer of their own, such as a file of wrappers. --layer leaves the "
    "functions of that layer out, and shows their MPI calls, and what these waited for, at the innermost function on "
    "the call path that is in no layer. The trace has call paths if it was recorded with --call-path, or if the "
    "program was built with refrain-mpicc. Libraries can be named while recording (refrain record --layers).\n"
    "A construct of OpenMP or call of the thread library has the time that the threads of all ranks worked in it, "
    "without what they waited there; the "
    "time that they waited at its own barrier, for its critical section, lock, condition or tasks; the least and the "
    "greatest "
    "time in it of a thread, which is shown as rank.thread; and how far the greatest time of a rank's threads is "
    "above their mean.\n"
    "--by=file has the files of MPI-IO, by the time of all calls that name them. Below a file are lines for what "
    "was read, for what was written, and for other calls (open, close, seek, sync ...). A call that completes "
    "nonblocking accesses counts for their files, too. Bytes are those that were moved. 'a second' is these bytes "
    "by the time of the rank that took longest. 'least' and 'greatest' are sizes of one access. 'typical' is the "
    "mean of the sizes in the same power of two as the median. Files that several ranks opened by one name are one "
    "file. Accesses at a rank's pointer are sequential if each begins where the one before ended. Offsets are not "
    "in the trace, so it is not known whether accesses at offsets follow each other. With --from or --to, the run "
    "is replayed from its start.\n"
    "Each counter of REFRAIN_METRICS has a column. The counters and markers of the program come last, over the whole "
    "run.\n"
    "With --layer, --from, --to or --compensate, times come from the events alone, and loops are not shown. So it is "
    "with a trace that has events only, such as a converted one. In a long run a window is found by an index (refrain "
    "help index). "
    "The memory of a rank is what the kernel counts as resident: the high-water mark, and by how much it grew between "
    "two "
    "MPI calls; 'memory' in JSON has it for all ranks and calls, with its course over the run. "
    "JSON has a schema_version, which changes when a member is removed or changes its meaning.\n"
    "Of a job that was killed, stats also says who waited for whom then, as refrain top does of one that runs.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE", .doc = doc};

static enum refrain_status show(const struct refrain_stats_read *read, const struct arguments *arguments,
                                struct refrain_error *error) {
    if (arguments->json)
        return refrain_stats_print_json(read, arguments->view, error);
    if (arguments->folded) {
        refrain_stats_folded(read->activity, stdout);
        return REFRAIN_OK;
    }
    if (arguments->view < 0)
        return refrain_stats_overview_print(read, arguments->rank < 0, arguments->most, error);
    struct refrain_stats_rows rows;
    enum refrain_status status =
        refrain_stats_rows_make(read->activity, read->metrics, (enum refrain_stats_view)arguments->view, &rows, error);
    if (status)
        return status;
    if (arguments->csv)
        refrain_stats_rows_csv(&rows, stdout);
    else
        refrain_stats_rows_print(
            &rows, lines(arguments, rows.view == REFRAIN_STATS_BY_RANK ? RANKS_SHOWN : REFRAIN_STATS_LINES_SHOWN));
    refrain_stats_rows_free(&rows);
    return REFRAIN_OK;
}

/* Calls in layers are shown at the layer if the trace does not have its caller. */
static void warn_layers(const struct refrain_layers *layers) {
    uint64_t unknown = layers ? refrain_layers_unknown(layers) : 0;
    if (unknown)
        refrain_warn("%s of %s calls in layers stay where they are, as the trace does not have the functions that "
                     "called the layer: record with --call-path",
                     refrain_show_count(unknown), refrain_show_count(refrain_layers_calls(layers)));
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.rank = -1, .most = SIZE_MAX, .view = -1};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_stats, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    if (arguments.compensate)
        refrain_warn_uncalibrated(trace);
    struct refrain_activity *activity = NULL;
    struct refrain_profile_total total;
    bool has_profile = false,
         windowed = arguments.from.given || arguments.to.given || arguments.compensate || arguments.n_layers > 0;
    struct refrain_progress progress;
    struct refrain_activity_request request = {.rank = arguments.rank,
                                               .recorded = arguments.recorded,
                                               .compensate = arguments.compensate,
                                               .around = refrain_progress_around,
                                               .around_data = &progress};
    status = refrain_time_option_window(&arguments.from, &arguments.to, trace, &request.from_ns, &request.to_ns, error);
    if (!status && arguments.rank >= 0 && !refrain_trace_process(trace, arguments.rank))
        status = REFRAIN_FAIL(error, "%s: there is no rank %d", trace->path, arguments.rank);
    /* A trace without formulas has only recorded events, and no totals. */
    if (trace->processes[0].header->mode == REFRAIN_MODE_EVENTS) {
        request.recorded = true;
        if (!status && arguments.quick)
            status = REFRAIN_FAIL_USAGE(error, "--quick: %s has events only; leave the option out", trace->path);
    }
    if (!status && arguments.n_layers)
        status = refrain_layers_open(trace, arguments.layers, arguments.n_layers, &request.layers, error);
    bool is_critical = arguments.whole > WHOLE_COUNTERS;
    if (!status && !arguments.quick && !arguments.whole)
        status = refrain_activity_open(trace, &request, &activity, error);
    if (activity)
        refrain_warn_unmatched(trace, &activity->report);
    if (!status && arguments.view < 0 && !arguments.whole && !arguments.folded && !windowed && !request.recorded) {
        status = refrain_profile_open(trace, arguments.rank, !arguments.quick, &total, error);
        has_profile = status == REFRAIN_OK;
    }
    struct refrain_stats_metrics metrics = {.trace = trace};
    bool has_metrics = !status && trace->n_metrics > 0 && !windowed && !request.recorded && !is_critical;
    if (has_metrics)
        status = refrain_metric_tables_open(trace, arguments.rank, &metrics.tables, error);
    if (!status && trace->n_metrics > 0 && !has_metrics && !is_critical)
        refrain_warn(
            "what was counted (REFRAIN_METRICS) is known of the whole run only, without --layer, and not shown");
    struct refrain_counters counters = {0};
    if (!status)
        status = refrain_counters_open(trace, arguments.rank, &counters, error);
    if (!status && arguments.whole)
        status = show_whole(trace, &request, &counters, &arguments, error);
    else if (!status)
        status = show(&(struct refrain_stats_read){trace, activity, has_profile ? &total : NULL,
                                                   has_metrics ? &metrics : NULL, &counters},
                      &arguments, error);
    warn_layers(request.layers);
    refrain_counters_close(&counters);
    refrain_metric_tables_close(&metrics.tables);
    if (has_profile)
        refrain_profile_close(&total);
    refrain_activity_close(activity);
    refrain_layers_close(request.layers);
    refrain_trace_close(trace);
    return status;
}

static const char *choices(int key) {
    static char names[256];
    size_t n = 0;
    if (key != OPTION_BY)
        return NULL;
    for (int view = 0; view < REFRAIN_STATS_VIEWS; view++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", view ? "|" : "", refrain_stats_views[view]);
    for (int whole = WHOLE_NONE + 1; whole < WHOLE_TABLES; whole++)
        n += (size_t)snprintf(names + n, sizeof names - n, "|%s", whole_names[whole]);
    return names;
}

const struct refrain_command refrain_command_stats = {
    .name = "stats",
    .choices = choices,
    .summary = "where the time went: functions, loops, call sites, waiting",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain stats app-*.refrain                        # all ranks together\n"
                "  refrain stats --by rank app-*.refrain              # a line for each rank\n"
                "  refrain stats --by partner --rank 3 app-*.refrain  # whom rank 3 talks to\n"
                "  refrain stats --by critical-path app-*.refrain     # what the length of the run depends on\n"
                "  refrain stats --layer wrappers.c app-*.refrain    # calls in that file at their callers\n"
                "  refrain stats --by construct app-*.refrain         # OpenMP, threads: work, waiting, imbalance\n"
                "  refrain stats --by file --ranks app-*.refrain      # MPI-IO: bytes, time, sizes of accesses\n"
                "  refrain stats --from 50% --to 60% app-*.refrain    # a tenth of the run\n"
                "  refrain stats --folded app-*.refrain | flamegraph.pl --countname ns >app.svg\n",
};
