/* cmd_samples.c: refrain samples: which functions ran, by samples of processor time. */
#define _GNU_SOURCE
#include "analysis/sample_rows.h"
#include "commands/command.h"
#include "commands/stats_print.h"
#include "common/path.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_VERSION 1 /* of --json; raised when a member is removed or changes its meaning */
#define LINES_SHOWN 20u
#define FUNCTIONS_SHOWN 4u /* for each MPI call */

enum { OPTION_BY = 256, OPTION_CSV, OPTION_FOLDED };
enum by { BY_FUNCTION, BY_CALL, BY_TIME, BYS };
static const char *const by_names[BYS] = {"function", "call", "time"};
#define PARTS 10u /* of the run, for --by=time */

struct arguments {
    const char *trace;
    int32_t rank; /* -1: all ranks */
    size_t most;
    enum by by;
    bool json, csv, folded;
};

static double percent(const struct refrain_sample_rows *rows, uint64_t samples) {
    return rows->taken ? 100 * (double)samples / (double)rows->taken : 0;
}

/* ---- text ---- */

static void print_heading(const struct refrain_sample_rows *rows) {
    printf("%s samples, %" PRIu32 " per second of processor time: %s in %zu thread%s of %zu rank%s\n",
           refrain_show_count(rows->taken), rows->hz, refrain_show_ns(refrain_sample_ns(rows, rows->taken)),
           rows->n_threads, rows->n_threads == 1 ? "" : "s", rows->n_ranks, rows->n_ranks == 1 ? "" : "s");
}

static void warn_losses(const struct refrain_sample_rows *rows) {
    if (rows->cut)
        refrain_warn("the stacks of %s of %s samples could be followed only in part: outer functions are missing there",
                     refrain_show_count(rows->cut), refrain_show_count(rows->taken));
    if (rows->merged)
        refrain_warn("%s of %s samples are counted at a caller or at another MPI call, since the tables of their "
                     "threads were full: record with more --memory",
                     refrain_show_count(rows->merged), refrain_show_count(rows->taken));
    if (rows->lost)
        refrain_warn("%s of %s samples are of unknown functions", refrain_show_count(rows->lost),
                     refrain_show_count(rows->taken));
}

static void print_function(const struct refrain_sample_rows *rows, const struct refrain_sample_function *function) {
    printf("%11s %10s %7.2f %12s %7.2f  %s", refrain_show_ns(refrain_sample_ns(rows, function->own)),
           refrain_show_ns(refrain_sample_uncertainty_ns(rows, function->own)), percent(rows, function->own),
           refrain_show_ns(refrain_sample_ns(rows, function->all)), percent(rows, function->all),
           *function->name ? refrain_show_name(function->name) : "code that is in no file");
    if (*function->file)
        printf("  %s:%" PRIu32, refrain_show_name(refrain_base_name(function->file)), function->line);
    else if (*function->object)
        printf("  in %s", refrain_show_name(refrain_base_name(function->object)));
    putchar('\n');
}

static void print_functions(const struct refrain_sample_rows *rows, size_t most) {
    printf("\n%s%11s %10s %7s %12s %7s  %s%s\n", refrain_style(REFRAIN_BOLD), "own time", "+-", "%", "with callees",
           "%", "function", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < rows->n_functions && i < most; i++)
        print_function(rows, &rows->functions[i]);
    if (rows->n_functions > most)
        printf("%zu more: --top\n", rows->n_functions - most);
}

/* Returns the index after the last gap of the same call and side. */
static size_t end_of_gap(const struct refrain_sample_rows *rows, size_t first) {
    size_t end = first + 1;
    while (end < rows->n_gaps && rows->gaps[end].call == rows->gaps[first].call &&
           rows->gaps[end].inside == rows->gaps[first].inside)
        end++;
    return end;
}

static void print_gap(const struct refrain_sample_rows *rows, size_t first, size_t end) {
    const struct refrain_sample_gap *gap = &rows->gaps[first];
    uint64_t own = 0;
    for (size_t i = first; i < end; i++)
        own += rows->gaps[i].own;
    printf("%11s %10s %7.2f  ", refrain_show_ns(refrain_sample_ns(rows, own)),
           refrain_show_ns(refrain_sample_uncertainty_ns(rows, own)), percent(rows, own));
    if (!gap->call)
        puts("before the first MPI call, and in threads that make none");
    else
        printf("%s %s\n", gap->inside ? "in" : "after", refrain_show_region(gap->call));
    for (size_t i = first; i < end && i < first + FUNCTIONS_SHOWN; i++)
        printf("%11s %10s %7.2f    %s\n", refrain_show_ns(refrain_sample_ns(rows, rows->gaps[i].own)),
               refrain_show_ns(refrain_sample_uncertainty_ns(rows, rows->gaps[i].own)),
               percent(rows, rows->gaps[i].own), refrain_show_name(rows->functions[rows->gaps[i].function].name));
}

static void print_gaps(const struct refrain_sample_rows *rows, size_t most) {
    size_t left = 0;
    printf("\n%s%11s %10s %7s  %s%s\n", refrain_style(REFRAIN_BOLD), "time", "+-", "%",
           "in or after which MPI call, in which function", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0, end, shown = 0; i < rows->n_gaps; i = end, shown++) {
        end = end_of_gap(rows, i);
        if (shown < most)
            print_gap(rows, i, end);
        else
            left++;
    }
    if (left)
        printf("%zu more: --top\n", left);
}

/* ---- over time ---- */

/* The samples of each function in PARTS equal parts of the run. */
struct over_time {
    double *samples;
    double all[PARTS]; /* of all functions */
    int64_t end_ns;
};

static enum refrain_status find_over_time(const struct refrain_sample_rows *rows, const struct refrain_trace *trace,
                                          struct over_time *over_time, struct refrain_error *error) {
    over_time->end_ns = refrain_trace_end_ns(trace);
    over_time->samples = refrain_sample_over_time(rows, false, over_time->end_ns, PARTS);
    if (!over_time->samples)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < rows->n_functions * PARTS; i++)
        over_time->all[i % PARTS] += over_time->samples[i];
    return REFRAIN_OK;
}

static void print_parts(const double *samples, const double *all) {
    for (size_t part = 0; part < PARTS; part++)
        if (all[part] < 0.5)
            printf("%5s", "-");
        else
            printf("%5.0f", 100 * samples[part] / all[part]);
}

static void print_over_time(const struct refrain_sample_rows *rows, const struct over_time *over_time, size_t most) {
    printf("\nshare of the samples in each tenth of the run (%s each), %%\n%s",
           refrain_show_ns((double)over_time->end_ns / PARTS), refrain_style(REFRAIN_BOLD));
    for (unsigned part = 1; part <= PARTS; part++)
        printf("%4u.", part);
    printf("  function%s\n", refrain_style(REFRAIN_NORMAL));
    for (size_t i = 0; i < rows->n_functions && i < most; i++) {
        print_parts(&over_time->samples[i * PARTS], over_time->all);
        printf("  %s\n",
               *rows->functions[i].name ? refrain_show_name(rows->functions[i].name) : "code that is in no file");
    }
    for (size_t part = 0; part < PARTS; part++)
        printf("%5.0f", over_time->all[part]);
    puts("  samples");
    if (rows->n_functions > most)
        printf("%zu more: --top\n", rows->n_functions - most);
}

static void print_over_time_csv(const struct refrain_sample_rows *rows, const struct over_time *over_time) {
    puts("function,file,line,object,from_ns,to_ns,samples");
    for (size_t i = 0; i < rows->n_functions * PARTS; i++) {
        const struct refrain_sample_function *function = &rows->functions[i / PARTS];
        const double width = (double)over_time->end_ns / PARTS, from = (double)(i % PARTS) * width;
        refrain_stats_put_csv(stdout, function->name);
        putchar(',');
        refrain_stats_put_csv(stdout, function->file);
        printf(",%" PRIu32 ",", function->line);
        refrain_stats_put_csv(stdout, function->object);
        printf(",%.0f,%.0f,%.2f\n", from, from + width, over_time->samples[i]);
    }
}

/* Adds to the object of each function its samples in each part. */
static void add_over_time_json(json_t *functions, const struct over_time *over_time) {
    for (size_t i = 0; i < json_array_size(functions); i++) {
        json_t *parts = json_array();
        for (size_t part = 0; part < PARTS; part++)
            json_array_append_new(parts, json_real(over_time->samples[i * PARTS + part]));
        json_object_set_new(json_array_get(functions, i), "parts", parts);
    }
}

/* ---- for programs ---- */

static void print_csv(const struct refrain_sample_rows *rows) {
    puts("function,file,line,object,own_samples,own_ns,own_uncertainty_ns,total_samples,total_ns");
    for (size_t i = 0; i < rows->n_functions; i++) {
        const struct refrain_sample_function *function = &rows->functions[i];
        refrain_stats_put_csv(stdout, function->name);
        putchar(',');
        refrain_stats_put_csv(stdout, function->file);
        printf(",%" PRIu32 ",", function->line);
        refrain_stats_put_csv(stdout, function->object);
        printf(",%" PRIu64 ",%.0f,%.0f,%" PRIu64 ",%.0f\n", function->own, refrain_sample_ns(rows, function->own),
               refrain_sample_uncertainty_ns(rows, function->own), function->all,
               refrain_sample_ns(rows, function->all));
    }
}

static void print_gaps_csv(const struct refrain_sample_rows *rows) {
    puts("call,file,line,inside,function,samples,time_ns");
    for (size_t i = 0; i < rows->n_gaps; i++) {
        const struct refrain_sample_gap *gap = &rows->gaps[i];
        refrain_stats_put_csv(stdout, gap->call ? gap->call->name : "");
        putchar(',');
        refrain_stats_put_csv(stdout, gap->call ? gap->call->file : "");
        printf(",%" PRIu32 ",%d,", gap->call ? gap->call->line : 0, gap->inside);
        refrain_stats_put_csv(stdout, rows->functions[gap->function].name);
        printf(",%" PRIu64 ",%.0f\n", gap->own, refrain_sample_ns(rows, gap->own));
    }
}

static json_t *functions_json(const struct refrain_sample_rows *rows) {
    json_t *all = json_array();
    for (size_t i = 0; i < rows->n_functions; i++) {
        const struct refrain_sample_function *function = &rows->functions[i];
        json_array_append_new(
            all, json_pack("{s:o,s:o,s:i,s:o,s:I,s:I,s:f,s:f,s:f}", "function", refrain_json_text(function->name),
                           "file", refrain_json_text(function->file), "line", (int)function->line, "object",
                           refrain_json_text(function->object), "own_samples", (json_int_t)function->own,
                           "total_samples", (json_int_t)function->all, "own_ns", refrain_sample_ns(rows, function->own),
                           "own_uncertainty_ns", refrain_sample_uncertainty_ns(rows, function->own), "total_ns",
                           refrain_sample_ns(rows, function->all)));
    }
    return all;
}

static json_t *gaps_json(const struct refrain_sample_rows *rows) {
    json_t *all = json_array();
    for (size_t i = 0; i < rows->n_gaps; i++) {
        const struct refrain_sample_gap *gap = &rows->gaps[i];
        json_t *object = json_pack("{s:o,s:I,s:f}", "function", refrain_json_text(rows->functions[gap->function].name),
                                   "samples", (json_int_t)gap->own, "time_ns", refrain_sample_ns(rows, gap->own));
        if (gap->call) {
            json_object_set_new(object, "call", json_string(gap->call->name));
            json_object_set_new(object, "file", refrain_json_text(gap->call->file));
            json_object_set_new(object, "line", json_integer(gap->call->line));
            json_object_set_new(object, "inside", json_boolean(gap->inside));
        }
        json_array_append_new(all, object);
    }
    return all;
}

static enum refrain_status print_json(const struct refrain_sample_rows *rows, const struct arguments *arguments,
                                      const struct over_time *over_time, struct refrain_error *error) {
    json_t *all = arguments->by == BY_CALL ? gaps_json(rows) : functions_json(rows);
    if (arguments->by == BY_TIME)
        add_over_time_json(all, over_time);
    json_t *object =
        json_pack("{s:i,s:s,s:i,s:I,s:I,s:I,s:I,s:i,s:i}", "schema_version", SCHEMA_VERSION, "by",
                  by_names[arguments->by], "samples_per_second", (int)rows->hz, "samples", (json_int_t)rows->taken,
                  "cut_stacks", (json_int_t)rows->cut, "merged", (json_int_t)rows->merged, "lost",
                  (json_int_t)rows->lost, "threads", (int)rows->n_threads, "ranks", (int)rows->n_ranks);
    if (arguments->by == BY_TIME)
        json_object_set_new(object, "part_ns", json_real((double)over_time->end_ns / PARTS));
    json_object_set_new(object, "rows", all);
    return refrain_print_json(object, error);
}

static void print_folded_path(const struct refrain_sample_rows *rows, uint32_t path) {
    const struct refrain_sample_path *at = &rows->paths[path];
    if (at->parent) {
        print_folded_path(rows, at->parent - 1); /* recursion as deep as the sampled stack: 256 calls at most */
        putchar(';');
    }
    const char *name = rows->functions[at->function].name;
    refrain_stats_put_folded(stdout, *name ? name : "unknown");
}

static void print_folded(const struct refrain_sample_rows *rows) {
    for (size_t i = 0; i < rows->n_paths; i++)
        if (rows->paths[i].own) {
            print_folded_path(rows, (uint32_t)i);
            printf(" %" PRIu64 "\n", rows->paths[i].own);
        }
}

/* ---- command line ---- */

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_BY:
        for (arguments->by = BY_FUNCTION; arguments->by < BYS && strcmp(value, by_names[arguments->by]) != 0;)
            arguments->by++;
        if (arguments->by == BYS)
            argp_error(state, "--by=%s: function, call or time is expected", value);
        return 0;
    case OPTION_CSV:
        arguments->csv = true;
        return 0;
    case OPTION_FOLDED:
        arguments->folded = true;
        return 0;
    case 'j':
        arguments->json = true;
        return 0;
    case 'r':
        arguments->rank = refrain_number_option(value, state, "a number");
        return 0;
    case 't':
        arguments->most = (size_t)refrain_number_option(value, state, "a number");
        return 0;
    case ARGP_KEY_SUCCESS:
        if (arguments->json + arguments->csv + arguments->folded > 1)
            argp_error(state, "--json, --csv and --folded exclude each other");
        if (arguments->folded && arguments->by != BY_FUNCTION)
            argp_error(state, "--folded prints call paths of functions: no --by");
        return 0;
    default:
        return refrain_take_argument(key, value, state, "trace", &arguments->trace);
    }
}

static const struct argp_option options[] = {
    {"by", OPTION_BY, "function|call|time", 0,
     "Show functions (the default), the MPI calls that they ran in and after, or how their shares change over the run",
     0},
    {"rank", 'r', "N", 0, "Only that rank (default: all together)", 0},
    {"top", 't', "N", 0, "Show N lines (default 20)", 0},
    {"json", 'j', NULL, 0, "Print JSON, all rows", 1},
    {"csv", OPTION_CSV, NULL, 0, "Print comma-separated values, all rows", 1},
    {"folded", OPTION_FOLDED, NULL, 0, "Print call paths and their samples, as flame graphs take them", 1},
    {0}};

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Shows which functions used the processor, in a run with refrain record --sample.\v"
    "Each thread was looked at so many times per second of its processor time. The time of a function is the number of "
    "its samples by that; +- is one standard deviation, the square root of that number. Own time is that of the "
    "function itself, with callees also that of the functions that it called. A thread that waits without running has "
    "no samples; one that waits by polling has, in the functions of the MPI library.\n"
    "--by=call says for each MPI call which functions ran in it, and which ran after it, up to the thread's next MPI "
    "call.\n"
    "--by=time says for each tenth of the run which share of the samples a function had. When a sample was taken is "
    "known "
    "to a stretch of the run: at first some milliseconds, later at most a 32nd of the run so far, more if the tables "
    "of a thread are "
    "full.\n"
    "Functions that were inlined are part of the function that they are in. Names of functions come from symbols and "
    "debug information, as in other commands. JSON has a schema_version, which changes when a member is removed or "
    "changes its meaning.",
    NULL,
    NULL,
    NULL};

static void show_text(const struct refrain_sample_rows *rows, const struct arguments *arguments,
                      const struct over_time *over_time) {
    print_heading(rows);
    if (!rows->taken)
        return;
    switch (arguments->by) {
    case BY_CALL:
        print_gaps(rows, arguments->most);
        break;
    case BY_TIME:
        print_over_time(rows, over_time, arguments->most);
        break;
    default:
        print_functions(rows, arguments->most);
    }
}

static void show_csv(const struct refrain_sample_rows *rows, enum by by, const struct over_time *over_time) {
    if (by == BY_CALL)
        print_gaps_csv(rows);
    else if (by == BY_TIME)
        print_over_time_csv(rows, over_time);
    else
        print_csv(rows);
}

static enum refrain_status show(const struct refrain_trace *trace, const struct refrain_sample_rows *rows,
                                const struct arguments *arguments, struct refrain_error *error) {
    struct over_time over_time = {0};
    if (!rows->hz)
        return REFRAIN_FAIL(error, "%s: no samples were taken; record the run with refrain record --sample",
                            arguments->trace);
    warn_losses(rows);
    enum refrain_status status = REFRAIN_OK;
    if (arguments->by == BY_TIME)
        status = find_over_time(rows, trace, &over_time, error);
    if (!status && arguments->json)
        status = print_json(rows, arguments, &over_time, error);
    else if (!status && arguments->folded)
        print_folded(rows);
    else if (!status && arguments->csv)
        show_csv(rows, arguments->by, &over_time);
    else if (!status)
        show_text(rows, arguments, &over_time);
    free(over_time.samples);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.rank = -1, .most = LINES_SHOWN};
    struct refrain_trace *trace;
    struct refrain_sample_rows rows = {0};
    refrain_command_parse(&refrain_command_samples, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    if (arguments.rank >= 0 && !refrain_trace_process(trace, arguments.rank))
        status = REFRAIN_FAIL(error, "%s: there is no rank %d", trace->path, arguments.rank);
    if (!status)
        status = refrain_sample_rows_make(trace, arguments.rank, &rows, error);
    if (!status)
        status = show(trace, &rows, &arguments, error);
    refrain_sample_rows_free(&rows);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_samples = {
    .name = "samples",
    .summary = "which functions used the processor, by samples",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain record --sample mpiexec -n 4 ./app         # takes 100 samples a second\n"
                "  refrain samples app-*.refrain                      # the functions, the most time first\n"
                "  refrain samples --by call app-*.refrain            # what runs between which MPI calls\n"
                "  refrain samples --by time app-*.refrain            # how that changed over the run\n"
                "  refrain samples --folded app-*.refrain | flamegraph.pl >app.svg\n",
};
