/* cmd_info.c: refrain info: what was run, how much of it was learned, what was lost. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/info_comms.h"
#include "commands/info_left.h"
#include "commands/info_many.h"
#include "commands/info_run.h"
#include "commands/names_text.h"
#include "commands/waits_text.h"
#include "model/learners.h"

#include <argp.h>

#define MOST_RANKS_EACH 16u /* that have a part each, without being asked for */

enum { OPTION_MOVED = 256, OPTION_EACH };

struct arguments {
    const char *trace;
    int32_t rank; /* -1: all */
    bool json, moved, each, verbose;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'j':
        arguments->json = true;
        return 0;
    case 'r':
        arguments->rank = refrain_number_option(value, state, "a rank");
        return 0;
    case OPTION_EACH:
        arguments->each = true;
        return 0;
    case 'v':
        arguments->verbose = true;
        return 0;
    case OPTION_MOVED:
        arguments->moved = true;
        return 0;
    default:
        return refrain_take_argument(key, value, state, "trace", &arguments->trace);
    }
}

static const struct argp_option options[] = {
    {"json", 'j', NULL, 0, "Print JSON, with a part for each rank", 0},
    {"rank", 'r', "N", 0, "Only that rank", 0},
    {"verbose", 'v', NULL, 0, "Show memory, threads, times and what was learned: a part for each of up to 16 ranks", 0},
    {"each", OPTION_EACH, NULL, 0, "Show a part for each rank, also if there are more than 16", 0},
    {"moved", OPTION_MOVED, NULL, 0,
     "Say how far reconstructed times have to be moved, however long the run is (with --verbose only if it is short)",
     0},
    {0}};

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Says what was run, how much of it was learned, and what was lost.\v"
    "With --verbose it says for each rank whether the rank finished, how much memory it used of what it was given, and "
    "how many "
    "sequences (branch outcomes, loop counts, partners, tags, sizes, orders) it has learned, and in which form: one "
    "value that always came; a formula, as refrain formulas shows it; a long cycle, which goes on with what came much "
    "earlier; without a rule, each value kept; or only counted, "
    "because "
    "the "
    "memory was spent, so that only its beginning is exact. (In JSON the first is identity; a formula is predicting "
    "if it ends in a loop that goes "
    "on, else building; a long cycle is repeating; what has no rule is plain; what is only counted is summary.) What "
    "did not fit is "
    "counted and shown; a run without such lines is kept exactly. Of more than 16 ranks it says once what they have in "
    "common, with the least and the greatest value where they differ, and which ranks are exceptions. Of a job that "
    "was killed it says who waited for whom then, and what is likely to be the cause.",
    NULL,
    NULL,
    NULL};

static enum refrain_status print_text(struct refrain_trace *trace, const struct refrain_info_moved *moved,
                                      const struct arguments *arguments, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    if (arguments->verbose) {
        refrain_info_print_run(trace);
        refrain_info_print_names(trace, true);
        if (!refrain_info_print_comms(trace, true) || !refrain_info_print_left(trace, SIZE_MAX))
            status = REFRAIN_FAIL_MEMORY(error);
    } else {
        status = refrain_info_print_summary(trace, error);
    }
    if (arguments->verbose || arguments->moved)
        refrain_info_print_moved(trace, moved);
    if (!status)
        status = refrain_waits_print_end(trace, arguments->moved ? UINT64_MAX : REFRAIN_HANG_CALLS_AT_ONCE, error);
    if (status || !arguments->verbose)
        return status;
    if (arguments->rank >= 0)
        return refrain_info_print_process(trace, refrain_trace_process(trace, arguments->rank), error);
    if (trace->n_processes > MOST_RANKS_EACH && !arguments->each)
        return refrain_info_print_many(trace, error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = refrain_info_print_process(trace, &trace->processes[i], error);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.rank = -1};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_info, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    if (arguments.rank >= 0 && !refrain_trace_process(trace, arguments.rank)) {
        status = REFRAIN_FAIL(error, "%s: there is no rank %d", trace->path, arguments.rank);
        refrain_trace_close(trace);
        return status;
    }
    struct refrain_info_moved moved = {0};
    arguments.verbose |= arguments.each || arguments.rank >= 0;
    if (arguments.json || arguments.verbose || arguments.moved)
        moved = refrain_info_count_moved(trace, arguments.moved);
    status = arguments.json ? refrain_info_print_json(trace, &moved, arguments.rank, error)
                            : print_text(trace, &moved, &arguments, error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = refrain_learners_check(&trace->processes[i], error);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_info = {
    .name = "info",
    .summary = "what was run, how much of it was learned, what was lost",
    .argp = &argp,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain info app-*.refrain\n"
                "  refrain info --verbose app-*.refrain\n"
                "  refrain info --rank 3 app-*.refrain\n"
                "  refrain info --json app-*.refrain | jq .processes[0].losses\n",
};
