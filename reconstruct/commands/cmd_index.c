/* cmd_index.c: refrain index: saved states of a long run's replay, so that windows of it begin at once. */
#include "commands/command.h"
#include "commands/index_store.h"
#include "match/replayable.h"
#include "match/saved_states.h"

#include <stdio.h>
#include <stdlib.h>

struct arguments {
    const char *trace;
    bool remove;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key == 'r') {
        arguments->remove = true;
        return 0;
    }
    return refrain_take_argument(key, value, state, "trace", &arguments->trace);
}

static const struct argp_option options[] = {{"remove", 'r', NULL, 0, "Remove the trace's index instead", 0}, {0}};

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Saves states of a run's replay, so that a window of the run is not replayed from the run's start.\v"
    "What was learned is played from the beginning, so --from in the middle of a long run takes as long as the part "
    "before it. With an index, refrain reconstruct goes on from the last state before the window. "
    "Its output is the same with and without it.\n\n"
    "The index takes 64 MB at most, and some four times as much memory while it is made. It lies in "
    "$XDG_CACHE_HOME/refrain, or ~/.cache/refrain, where all indexes take 512 MB at most: the oldest go. It may be "
    "deleted at any time. One of another trace or of another build of refrain is never used, nor one that is damaged. "
    "--compensate and --recorded do without it.",
    NULL,
    NULL,
    NULL};

static enum refrain_status make(struct refrain_trace *one, struct refrain_trace *other, struct refrain_error *error) {
    struct refrain_saved_states_options how = {.build = refrain_index_build(), .most_bytes = REFRAIN_INDEX_BYTES};
    unsigned char *bytes;
    size_t n;
    uint64_t between;
    char *path = NULL;
    if (!how.build)
        return REFRAIN_FAIL(error, "this refrain has no build id to tell its indexes by: link it with -Wl,--build-id");
    enum refrain_status status = refrain_saved_states_make(one, other, &how, &bytes, &n, error);
    if (!status && !bytes)
        status = REFRAIN_FAIL(error,
                              "%s: two replays do not agree, so no index is made: if it still runs, make one when "
                              "it is over",
                              one->path);
    if (!status)
        status = refrain_index_store(one, bytes, n, &path, error);
    if (!status) {
        size_t states = refrain_saved_states_count(bytes, &between);
        printf("%s: %zu state%s, %s", path, states, states == 1 ? "" : "s", refrain_show_bytes(n));
        if (states > 1)
            printf(", one every %s events or less", refrain_show_count(between));
        putchar('\n');
    }
    free(path);
    free(bytes);
    return status;
}

/* Two openings of the trace that are alike. The first opening of all may look up names, which later ones find stored.
 */
static enum refrain_status open_both(const char *path, struct refrain_trace **one, struct refrain_trace **other,
                                     struct refrain_error *error) {
    enum refrain_status status = refrain_trace_open(path, true, other, error);
    if (status)
        return status;
    refrain_trace_close(*other);
    status = refrain_trace_open(path, true, one, error);
    if (status)
        return status;
    status = refrain_trace_open(path, true, other, error);
    if (status)
        refrain_trace_close(*one);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    struct refrain_trace *one, *other;
    refrain_command_parse(&refrain_command_index, argc, argv, &arguments);
    enum refrain_status status = open_both(arguments.trace, &one, &other, error);
    if (status)
        return status;
    refrain_warn_missing(one);
    if (arguments.remove && !refrain_index_remove(one))
        refrain_warn("%s has no index", one->path);
    else if (!arguments.remove && !(status = refrain_replayable(one, false, error)))
        status = make(one, other, error);
    refrain_trace_close(one);
    refrain_trace_close(other);
    return status;
}

const struct refrain_command refrain_command_index = {
    .name = "index",
    .summary = "windows of a long run begin at once",
    .argp = &argp,
    .run = run,
    .examples = "  refrain index app-*.refrain    # once\n"
                "  refrain reconstruct app-*.refrain --from 50% --to 50.1% -o part  # does not replay the first half\n",
};
