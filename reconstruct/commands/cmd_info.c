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

#define MOST_RANKS_EACH 16u /* With more ranks, --verbose prints a part for each only if --each is given. */

struct arguments {
    const char *trace;
    int32_t rank; /* -1: all */
    bool json, moved, each, verbose;
};

static const struct refrain_option options[] = {
    {"json", 'j', NULL, "Print JSON, with a part for each rank", 0, REFRAIN_FLAG(json)},
    {"rank", 'r', "N", "As --verbose, with the part of rank N only, after the lines about the whole run", 0,
     REFRAIN_NUMBER(rank)},
    {"verbose", 'v', NULL, "Show memory, threads, times and what was learned: a part for each of up to 16 ranks", 0,
     REFRAIN_FLAG(verbose)},
    {"each", 0, NULL, "Show a part for each rank, also if there are more than 16", 0, REFRAIN_FLAG(each)},
    {"moved", 0, NULL,
     "Replay the run, however long it is, to say how far reconstructed times have to be moved, and why a job that was "
     "killed hung. --verbose does so only if the run is short",
     0, REFRAIN_FLAG(moved)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Says what was run, how much of it was learned, and what was lost.\v"
    "A run without lines about losses is kept exactly. With --verbose each rank has a part. It says whether the rank "
    "finished, how much of its memory it used, and how many sequences it learned: branch outcomes, loop counts, "
    "partners, tags, sizes, orders. Each sequence has one of these forms (in parentheses its name in JSON):\n"
    "\n"
    "  one value that always came (identity)\n"
    "  a formula (predicting while its last loop continues, else building)\n"
    "  a long cycle, which repeats much earlier values (repeating)\n"
    "  without a rule: each value is kept (plain)\n"
    "  counted, since the memory was full: only the beginning is exact (summary)\n"
    "\n"
    "With more than 16 ranks, one part says what the ranks have in common, the least and the greatest value where they "
    "differ, and which ranks are exceptions. Of a job that was killed, info says who waited for whom at the end, and "
    "the likely cause. JSON has this as \"end\":\n"
    "\n"
    "  time_is_known   refrain record saw when the job ended; else times are at\n"
    "                  least those shown\n"
    "  hanging_ranks   ranks that waited for what could not come\n"
    "  waits           \"rank\" waited \"ns\" for \"for_rank\" \"to\" send, receive or\n"
    "                  enter a collective; in_another_collective: for_rank was in\n"
    "                  another one in its place\n"
    "  likely_causes   messages that were sent to \"rank\" with another tag or\n"
    "                  communicator than it waited for";

static const struct argp argp = {.args_doc = "TRACE", .doc = doc};

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
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain info app-*.refrain\n"
                "  refrain info --verbose app-*.refrain\n"
                "  refrain info --rank 3 app-*.refrain\n"
                "  refrain info --json app-*.refrain | jq .processes[0].losses\n",
};
