/* cmd_index.c: refrain index: saved states of a long run's replay, so that windows of it begin at once. */
#include "commands/command.h"
#include "commands/index_store.h"

#include <stdio.h>
#include <stdlib.h>

struct arguments {
    const char *trace;
    bool remove, compensate;
};

static const struct refrain_option options[] = {
    {"compensate", 'c', NULL, "The index that windows with --compensate use", 0, REFRAIN_FLAG(compensate)},
    {"remove", 'r', NULL, "Remove the trace's index instead", 0, REFRAIN_FLAG(remove)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Saves states of a run's replay, so that a window of the run is not replayed from the run's start.\v"
    "What was learned is played from the beginning, so --from in the middle of a long run takes as long as the part "
    "before it. With an index, refrain reconstruct, stats, events and the figures of view go on from the last state "
    "before the window. Their output is the same with and without it. They make one themselves where more than 4 "
    "million events lie before a window, in a run of at most 100 million.\n\n"
    "The index takes 64 MB at most, and some four times as much memory while it is made. It lies in "
    "$XDG_CACHE_HOME/refrain, or ~/.cache/refrain, where all indexes take 512 MB at most: the oldest go. It may be "
    "deleted at any time. One of another trace or of another build of refrain is never used, nor one that is damaged. "
    "--recorded does without it.";

static const struct argp argp = {.args_doc = "TRACE", .doc = doc};

static void print_made(const struct refrain_index_made *made) {
    printf("%s: %zu state%s, %s", made->path, made->states, made->states == 1 ? "" : "s",
           refrain_show_bytes(made->bytes));
    if (made->states > 1)
        printf(", one every %s events or less", refrain_show_count(made->events));
    putchar('\n');
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    struct refrain_trace *trace;
    struct refrain_index_made made = {0};
    refrain_command_parse(&refrain_command_index, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    if (!arguments.remove)
        status = refrain_index_make(arguments.trace, arguments.compensate, &made, error);
    else if (!refrain_index_remove(trace, arguments.compensate))
        refrain_warn("%s has no index", trace->path);
    if (made.states)
        print_made(&made);
    free(made.path);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_index = {
    .name = "index",
    .summary = "windows of a long run begin at once",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain index app-*.refrain    # once\n"
                "  refrain reconstruct app-*.refrain --from 50% --to 50.1% -o part  # does not replay the first half\n",
};
