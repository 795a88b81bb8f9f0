/* cmd_report.c: refrain report: what a run lost, as findings in the order of their cost. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/progress.h"
#include "commands/whole_file.h"
#include "report/report.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_LEAST = 256 };

struct arguments {
    const char *trace, *path;
    double least;
    bool json, force, recorded;
};

static double percent(const char *text, struct argp_state *state) {
    char *end;
    double value = strtod(text, &end);
    if (end == text || (*end && strcmp(end, "%") != 0) || !(value >= 0) || value > 100)
        argp_error(state, "--least=%s: a share of the run in per cent is expected, such as 5", text);
    return value / 100;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_LEAST:
        arguments->least = percent(value, state);
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const struct refrain_option options[] = {
    {"output", 'o', "FILE", "Write a page to FILE, such as report.html; - is standard output", 0, REFRAIN_TEXT(path)},
    {"force", 0, NULL, "Overwrite FILE", 0, REFRAIN_FLAG(force)},
    {"json", 'j', NULL, "Print JSON, or write it to FILE", 0, REFRAIN_FLAG(json)},
    {"least", OPTION_LEAST, "PERCENT", "Show findings that cost at least so much of the run (default 2)", 0,
     REFRAIN_OWN},
    {"recorded", 0, NULL, "Use the recorded events and their times (REFRAIN_MODE=events or both)", 0,
     REFRAIN_FLAG(recorded)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Finds what cost the run most time, and where that began.\v"
    "A finding is a sentence with a place (function, MPI call, source line), a rank and a cost. The cost is the time "
    "that "
    "all ranks together lost by it. It is shown in per cent of the time that all ranks together had, from the end of "
    "MPI_Init to the beginning of MPI_Finalize. The most costly finding comes first. The command below a finding shows "
    "more about it. Without -o the findings are printed. With -o they become a page for a browser, with a picture of "
    "the "
    "worst moment of each finding, and of what each rank did over time.\n"
    "A rank is often late only because it waited for a third rank before. refrain follows each wait along such chains, "
    "to the computation that began it. To find it, two ranks are compared over the time since they last met: what the "
    "late one did longer is the cause. Each wait has one cause, so the costs of findings about waiting can be added "
    "up. "
    "MPI calls that take long without waiting have findings of their own. With <= the cost is an upper limit: not all "
    "of "
    "it can be saved.\n"
    "Parallel efficiency is defined as by the POP centre of excellence: the mean time that a rank computes, divided by "
    "the length of the run. It is the product of three factors. Load balance is the mean computing time divided by the "
    "longest one. Serialisation is the longest computing time divided by the length of the run on a network that takes "
    "no time. Transfer is that length divided by the length of the run. The run on such a network is computed from the "
    "events and their order, so the last two factors are estimates.\n"
    "The report ends with what is well, and with what the trace cannot tell. docs/report.md describes the kinds of "
    "findings and the members of --json. JSON has a schema_version, which changes when a member is removed or changes "
    "its meaning.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE", .doc = doc};

static enum refrain_status write_json(const struct refrain_report *report, FILE *file, struct refrain_error *error) {
    json_t *object = refrain_report_json(report);
    if (file == stdout)
        return refrain_print_json(object, error);
    int failed = json_dumpf(object, file, JSON_INDENT(2));
    fputc('\n', file);
    json_decref(object);
    return failed ? REFRAIN_FAIL(error, "the report cannot be written") : REFRAIN_OK;
}

static enum refrain_status write_one(struct refrain_report *report, const struct arguments *arguments, FILE *file,
                                     struct refrain_error *error) {
    return arguments->json ? write_json(report, file, error) : refrain_report_html(report, file, error);
}

static enum refrain_status write_report(struct refrain_report *report, const struct arguments *arguments,
                                        struct refrain_error *error) {
    struct refrain_whole_file whole;
    if (!arguments->path && !arguments->json) {
        refrain_report_print(report, stdout);
        return REFRAIN_OK;
    }
    enum refrain_status status = refrain_whole_file_open(&whole, arguments->path, arguments->force, error);
    if (status)
        return status;
    status = write_one(report, arguments, whole.file, error);
    return refrain_whole_file_close(&whole, status, error);
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.least = REFRAIN_REPORT_LEAST};
    struct refrain_trace *trace;
    struct refrain_report report = {0};
    struct refrain_progress progress;
    refrain_command_parse(&refrain_command_report, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    struct refrain_report_request request = {.least = arguments.least,
                                             .recorded = arguments.recorded ||
                                                         trace->processes[0].header->mode == REFRAIN_MODE_EVENTS,
                                             .around = refrain_progress_around,
                                             .around_data = &progress};
    status = refrain_report_make(trace, &request, &report, error);
    enum refrain_status written = report.activity ? write_report(&report, &arguments, error) : REFRAIN_OK;
    refrain_report_close(&report);
    refrain_trace_close(trace);
    return status ? status : written;
}

const struct refrain_command refrain_command_report = {
    .name = "report",
    .summary = "what the run lost and where that began, the most costly first",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain report app-*.refrain                        # findings as text\n"
                "  refrain report app-*.refrain -o report.html         # a page, with pictures\n"
                "  refrain report --json app-*.refrain | jq .findings  # for a script\n",
};
