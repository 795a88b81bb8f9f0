/* cmd_overhead.c: refrain overhead: what tracing cost a run, and a filter file for the next build. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/overhead.h"
#include "commands/whole_file.h"

#include <errno.h>
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_LIMIT_PERCENT 0.1
#define DEFAULT_LINES 20u

struct arguments {
    const char *trace, *filter;
    double limit_percent;
    unsigned long lines; /* of the table; 0: all */
    bool json;
};

static double percent(double ns, const struct refrain_overhead *overhead) {
    return overhead->run_ns > 0 ? 100 * ns / overhead->run_ns : 0;
}

static bool is_mpi(unsigned kind) {
    return kind >= REFRAIN_PROBE_CALL_BEGIN;
}

/* ---- text ---- */

static void print_kinds(const struct refrain_overhead *overhead) {
    printf("%-14s %15s %9s %12s %9s\n", "probe", "number", "ns each", "seconds", "percent");
    for (unsigned kind = 0; kind < REFRAIN_PROBE_KINDS; kind++)
        if (overhead->probes[kind])
            printf("%-14s %15s %9.1f %12.6f %9.3f\n", overhead->kinds[kind], refrain_show_count(overhead->probes[kind]),
                   overhead->ns[kind] / (double)overhead->probes[kind], overhead->ns[kind] / 1e9,
                   percent(overhead->ns[kind], overhead));
}

static const char *name_of(const struct refrain_overhead_function *function) {
    return function->region ? refrain_show_name(function->region->name) : "(unknown)";
}

/* The first column is as wide as its longest name. */
static int name_width(const struct refrain_overhead *overhead, unsigned long lines) {
    size_t width = 30;
    for (size_t i = 0; i < overhead->n_functions && (!lines || i < lines); i++) {
        size_t length = strlen(name_of(&overhead->functions[i]));
        width = length > width ? length : width;
    }
    return (int)width;
}

static void print_functions(const struct refrain_overhead *overhead, unsigned long lines) {
    double calls_ns = 0;
    bool throttled = false;
    int width = name_width(overhead, lines);
    printf("\n%-*s %13s %15s %12s %9s  %s\n", width, "function", "activations", "probes", "seconds", "percent",
           "defined at");
    for (size_t i = 0; i < overhead->n_functions; i++) {
        const struct refrain_overhead_function *function = &overhead->functions[i];
        const struct refrain_region_info *region = function->region;
        if (lines && i == lines) {
            printf("... and %zu more; --lines 0 shows all\n", overhead->n_functions - i);
            break;
        }
        throttled |= function->part_throttled;
        printf("%-*s %13s %15s %12.6f %9.3f  %s:%u%s\n", width, name_of(function),
               refrain_show_count(function->activations), refrain_show_count(function->probes), function->ns / 1e9,
               percent(function->ns, overhead), region ? region->file : "", region ? region->line : 0,
               function->part_throttled ? " *" : "");
    }
    for (unsigned kind = 0; kind < REFRAIN_PROBE_KINDS; kind++)
        calls_ns += is_mpi(kind) ? overhead->ns[kind] : 0;
    printf("%-*s %13s %15s %12.6f %9.3f\n", width, "MPI calls, wherever made",
           refrain_show_count(overhead->probes[REFRAIN_PROBE_CALL_BEGIN]), "", calls_ns / 1e9,
           percent(calls_ns, overhead));
    if (throttled)
        puts("\n* probes in it were throttled at some time, as they came too often: what is counted is what ran, and "
             "the "
             "least there was");
}

static void print_text(const char *path, const struct refrain_overhead *overhead, unsigned long lines) {
    printf("%s: probes took at least %.6f s of %.6f s, all threads together: %.3f %%\n", path, overhead->total_ns / 1e9,
           overhead->run_ns / 1e9, percent(overhead->total_ns, overhead));
    if (overhead->n_cold_unknown == 0)
        printf(
            "up to %.6f s (%.3f %%) where the program leaves nothing of the monitor in the caches; it is in between\n",
            overhead->cold_ns / 1e9, percent(overhead->cold_ns, overhead));
    else
        puts("it is more where the program leaves nothing of the monitor in the caches; that was not measured");
    printf("besides these %.6f s to set up and in MPI_Init, and up to %.6f s for %s new pages of the trace files\n",
           overhead->begin_ns / 1e9, overhead->pages_ns / 1e9, refrain_show_count(overhead->pages));
    printf("and %.6f s to pack the trace files when the processes ended", overhead->pack_ns / 1e9);
    if (overhead->n_unpacked)
        printf(", which is not known of %zu of them", overhead->n_unpacked);
    fputs("\n\n", stdout);
    print_kinds(overhead);
    print_functions(overhead, lines);
}

/* ---- JSON ---- */

static json_t *overhead_json(const char *path, const struct refrain_overhead *overhead) {
    json_t *object = json_object(), *kinds = json_array(), *functions = json_array();
    json_object_set_new(object, "trace", refrain_json_text(path));
    json_object_set_new(object, "run_seconds", json_real(overhead->run_ns / 1e9));
    json_object_set_new(object, "seconds", json_real(overhead->total_ns / 1e9));
    json_object_set_new(object, "percent", json_real(percent(overhead->total_ns, overhead)));
    json_object_set_new(object, "seconds_in_cold_caches",
                        overhead->n_cold_unknown ? json_null() : json_real(overhead->cold_ns / 1e9));
    json_object_set_new(object, "seconds_to_begin", json_real(overhead->begin_ns / 1e9));
    json_object_set_new(object, "seconds_to_pack", json_real(overhead->pack_ns / 1e9));
    json_object_set_new(object, "processes_not_packed", json_integer((json_int_t)overhead->n_unpacked));
    json_object_set_new(object, "pages", json_integer((json_int_t)overhead->pages));
    json_object_set_new(object, "seconds_for_pages", json_real(overhead->pages_ns / 1e9));
    json_object_set_new(object, "processes_without_costs", json_integer((json_int_t)overhead->n_unmeasured));
    for (unsigned kind = 0; kind < REFRAIN_PROBE_KINDS; kind++) {
        if (!overhead->kinds[kind])
            continue;
        json_t *row = json_object();
        json_object_set_new(row, "kind", refrain_json_text(overhead->kinds[kind]));
        json_object_set_new(row, "number", json_integer((json_int_t)overhead->probes[kind]));
        json_object_set_new(row, "seconds", json_real(overhead->ns[kind] / 1e9));
        json_object_set_new(row, "percent", json_real(percent(overhead->ns[kind], overhead)));
        json_array_append_new(kinds, row);
    }
    for (size_t i = 0; i < overhead->n_functions; i++) {
        const struct refrain_overhead_function *function = &overhead->functions[i];
        json_t *row = json_object();
        json_object_set_new(row, "function", refrain_json_text(function->region ? function->region->name : ""));
        json_object_set_new(row, "file", refrain_json_text(function->region ? function->region->file : ""));
        json_object_set_new(row, "line", json_integer(function->region ? function->region->line : 0));
        json_object_set_new(row, "activations", json_integer((json_int_t)function->activations));
        json_object_set_new(row, "probes", json_integer((json_int_t)function->probes));
        json_object_set_new(row, "seconds", json_real(function->ns / 1e9));
        json_object_set_new(row, "percent", json_real(percent(function->ns, overhead)));
        json_object_set_new(row, "dormant", json_boolean(function->part_throttled));
        json_array_append_new(functions, row);
    }
    json_object_set_new(object, "kinds", kinds);
    json_object_set_new(object, "functions", functions);
    return object;
}

/* ---- the filter ---- */

/* main() is never filtered out: the whole run is in it. */
static bool is_too_dear(const struct refrain_overhead_function *function, const struct refrain_overhead *overhead,
                        double limit_percent) {
    return function->region && strcmp(function->region->name, "main") != 0 &&
           (function->was_throttled || percent(function->ns, overhead) >= limit_percent);
}

static void print_filter(const struct arguments *arguments, const struct refrain_overhead *overhead, FILE *file) {
    fprintf(file,
            "# Functions whose probes took %g %% of the run or more, or were throttled as they came too often, in\n"
            "# %s. For the next build: refrain-mpicc --filter=THIS_FILE\n"
            "SCOREP_REGION_NAMES_BEGIN\n",
            arguments->limit_percent, arguments->trace);
    for (size_t i = 0; i < overhead->n_functions; i++) {
        const struct refrain_overhead_function *function = &overhead->functions[i];
        if (is_too_dear(function, overhead, arguments->limit_percent))
            fprintf(file, "  EXCLUDE %s  # %.3f %%%s, %s:%u\n", function->region->name, percent(function->ns, overhead),
                    function->was_throttled ? ", throttled at times" : "", function->region->file,
                    function->region->line);
    }
    fputs("SCOREP_REGION_NAMES_END\n", file);
}

static enum refrain_status write_filter(const struct arguments *arguments, const struct refrain_overhead *overhead,
                                        struct refrain_error *error) {
    struct refrain_whole_file whole;
    if (strcmp(arguments->filter, "-") == 0) {
        print_filter(arguments, overhead, stdout);
        return ferror(stdout) ? REFRAIN_FAIL(error, "standard output: cannot be written: %s", strerror(errno))
                              : REFRAIN_OK;
    }
    enum refrain_status status = refrain_whole_file_open(&whole, arguments->filter, true, error);
    if (status)
        return status;
    print_filter(arguments, overhead, whole.file);
    return refrain_whole_file_close(&whole, REFRAIN_OK, error);
}

/* ---- command line ---- */

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    char *end;
    switch (key) {
    case 'l':
        arguments->limit_percent = strtod(value, &end);
        if (end == value || *end || !(arguments->limit_percent >= 0 && arguments->limit_percent <= 100))
            argp_error(state, "--limit takes a percentage from 0 to 100, not '%s'", value);
        return 0;
    case 'n':
        arguments->lines = strtoul(value, &end, 10);
        if (*value < '0' || *value > '9' || *end)
            argp_error(state, "--lines takes a whole number, 0 for all, not '%s'", value);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"filter", 'o', "FILE", "Write a filter for the next build that leaves out what cost most; - is standard output", 0,
     REFRAIN_TEXT(filter)},
    {"limit", 'l', "PERCENT",
     "Leave out functions whose probes took this share of the run or more (default 0.1), and those whose probes were "
     "switched off at times",
     0, REFRAIN_OWN},
    {"lines", 'n', "N", "Show the N functions that cost most; 0: all (default 20)", 0, REFRAIN_OWN},
    {"json", 'j', NULL, "Print JSON", 0, REFRAIN_FLAG(json)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Says what tracing cost a run: seconds and percent of the time of all threads, by kind of probe and by function.\v"
    "Each process measures what its probes cost when it begins; the cost is this times the number of probes that ran. "
    "It is measured twice. The rows have the cost where the monitor's data is in the caches nearest to the processor, "
    "as in "
    "a loop of calls; that is the least. The second line of the heading has the cost where all of it comes from "
    "memory, as "
    "in a program that goes through more memory between two calls than the caches hold; that is the most. What "
    "probes cost in place lies between the two. The next lines have what it took to begin, what the first stores to "
    "pages of the trace files took, and how long the processes packed their trace files when they ended.\n\n"
    "Not in it are: loading refrain's libraries; writing the packed file; what refrain's wrappers look up of "
    "communicators, datatypes and requests; what probes that are off cost by keeping the compiler from something; and "
    "what tracing displaces from the caches. Nor is the names' look-up, which refrain record does when the job is "
    "over: "
    "about a tenth of a second for a large program. To see all, compare a run with one of the program without "
    "refrain. REFRAIN_MODE=off leaves out all but the probes that are off.\n\n"
    "The filter is a file in the syntax of Score-P for refrain-mpicc --filter=FILE. It never leaves out main, and MPI "
    "calls are traced whatever it says.\n\n"
    "A trace of mode events has no counts and is refused.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE", .doc = doc};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.limit_percent = DEFAULT_LIMIT_PERCENT, .lines = DEFAULT_LINES};
    struct refrain_overhead overhead = {0};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_overhead, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, false, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    status = refrain_overhead_read(trace, &overhead, error);
    if (!status && overhead.n_unmeasured == trace->n_processes)
        status = REFRAIN_FAIL(error, "%s: its processes did not measure what probes cost", arguments.trace);
    if (!status && overhead.n_unmeasured)
        refrain_warn("%zu of %zu processes did not measure what probes cost and are left out", overhead.n_unmeasured,
                     trace->n_processes);
    bool to_stdout = arguments.filter && strcmp(arguments.filter, "-") == 0;
    if (!status && arguments.json)
        status = refrain_print_json(overhead_json(arguments.trace, &overhead), error);
    else if (!status && !to_stdout)
        print_text(arguments.trace, &overhead, arguments.lines);
    if (!status && arguments.filter)
        status = write_filter(&arguments, &overhead, error);
    refrain_overhead_free(&overhead);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_overhead = {
    .name = "overhead",
    .summary = "what tracing cost the run, by function and kind of probe",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain overhead app-*.refrain                     # seconds and percent\n"
                "  refrain overhead -o app.filter app-*.refrain       # and a filter ...\n"
                "  make clean all CC=\"refrain-mpicc --filter=app.filter\"  # ... to build with\n",
};
