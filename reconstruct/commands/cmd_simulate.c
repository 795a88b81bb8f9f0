/* cmd_simulate.c: refrain simulate: the run time and the trace of a run on another machine. */
#include "commands/command.h"
#include "commands/progress.h"
#include "predict/simulate.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SPEED = 256 };

struct arguments {
    const char *trace, *output, *platform;
    struct refrain_changes changes;
    double speed;
    bool recorded;
};

/* --speed FACTOR, or NAME=FACTOR. */
static void add_speed(struct arguments *arguments, const char *value, struct argp_state *state) {
    const char *why;
    char *end;
    const double factor = strtod(value, &end);
    if (end != value && *end == 0 && isfinite(factor) && factor > 0)
        arguments->speed = factor;
    else if (!refrain_changes_add(&arguments->changes, REFRAIN_CHANGE_FASTER, value, &why))
        argp_error(state, "--speed %s: a factor above 0, or %s", value, why);
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_SPEED:
        add_speed(arguments, value, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!arguments->platform || !arguments->output)
            argp_error(state, "give --platform FILE and -o NAME.refrain");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static enum refrain_status simulate(struct refrain_trace *trace, const struct arguments *arguments,
                                    struct refrain_error *error) {
    struct refrain_progress progress;
    struct refrain_simulate_result result = {0};
    struct refrain_cursor_report report = {0};
    struct refrain_simulate_request request = {.directory = arguments->output,
                                               .platform = arguments->platform,
                                               .speed = arguments->speed,
                                               .recorded = arguments->recorded,
                                               .around = refrain_progress_around,
                                               .around_data = &progress};
    if (trace->n_processes && trace->processes[0].header->mode == REFRAIN_MODE_EVENTS)
        request.recorded = true;
    enum refrain_status status = refrain_simulate(trace, &arguments->changes, &request, &result, &report, error);
    if (status)
        return status;
    refrain_warn_unmatched(trace, &report);
    if (progress.approximate)
        refrain_warn("%s of %s events are approximate, and so is what follows from them: refrain info says why",
                     refrain_show_count(progress.approximate), refrain_show_count(progress.events));
    printf("simulated run time: %s, as it was %s (%+.2f %%)\n", refrain_show_ns((long double)result.now_ns),
           refrain_show_ns((long double)result.was_ns),
           result.was_ns > 0 ? 100 * (double)(result.now_ns - result.was_ns) / (double)result.was_ns : 0);
    return REFRAIN_OK;
}

/* MPI calls take what SimGrid says. */
static enum refrain_status find_regions(struct refrain_changes *changes, const struct refrain_trace *trace,
                                        struct refrain_error *error) {
    enum refrain_status status = refrain_changes_find(changes, trace, error);
    for (size_t i = 0; !status && i < trace->n_regions; i++)
        if (trace->regions[i].kind == REFRAIN_REGION_MPI && changes->regions[i].speed > 0)
            status = REFRAIN_FAIL(error, "%s: %s is an MPI call, whose time the platform decides; name a function",
                                  trace->path, trace->regions[i].name);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.changes = {.latency = 1}, .speed = 1};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_simulate, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (!status) {
        refrain_warn_missing(trace);
        status = find_regions(&arguments.changes, trace, error);
        if (!status)
            status = simulate(trace, &arguments, error);
        refrain_trace_close(trace);
    }
    refrain_changes_close(&arguments.changes);
    return status;
}

static const struct refrain_option options[] = {
    {"platform", 0, "FILE", "The other machine: a platform file of SimGrid (XML)", 0, REFRAIN_TEXT(platform)},
    {"speed", OPTION_SPEED, "[NAME=]FACTOR",
     "Computing takes 1/FACTOR of its time: all of it, or what the function or user region NAME computes with the "
     "functions that it calls",
     0, REFRAIN_OWN},
    {"output", 'o', "NAME.refrain", "The trace of the simulated run: a directory that does not exist yet", 0,
     REFRAIN_TEXT(output)},
    {"recorded", 0, NULL, "Use the recorded events and their times (REFRAIN_MODE=events or both)", 0,
     REFRAIN_FLAG(recorded)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Simulates the run on another machine with SimGrid, and writes its events at their new times as a trace, which "
    "stats, diff, report and view read.\v"
    "Messages and collectives are carried out by SimGrid's SMPI with the partners, sizes and order of the run. "
    "Computing takes on the first host the time that it took, and on others what their speeds relative to the first "
    "one say. Ranks fill the cores of one host after the other. The line printed says the time from the end of the "
    "last MPI_Init to the begin of the last MPI_Finalize.\n\n"
    "Wildcard receives take the messages that they took, and a program polls as often as it did. Other MPI calls take "
    "the time that they took. Windows, MPI files, collectives of neighbors or of two groups, and MPI calls on further "
    "threads are refused.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE", .doc = doc};

const struct refrain_command refrain_command_simulate = {
    .name = "simulate",
    .summary = "the run on another machine, by SimGrid",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain simulate app-*.refrain --platform cluster.xml -o there.refrain\n"
                "  refrain simulate app-*.refrain --platform cluster.xml --speed 'burn()=2' -o there.refrain\n"
                "  refrain diff app-*.refrain there.refrain            # what is different there\n",
};
