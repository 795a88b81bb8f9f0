/* cmd_what_if.c: refrain what-if: the run time, the critical path and the trace of a run with changes. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/critical_text.h"
#include "commands/progress.h"
#include "predict/what_if.h"

#include <ftw.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SCHEMA_VERSION 1
#define ROWS_SHOWN 20
#define LEAST_KEPT_PERCENT 1 /* of all ranks' time; less waiting of unknown length is not mentioned */

enum { OPTION_FASTER = 256, OPTION_BALANCE, OPTION_LATENCY, OPTION_NO_WAIT };

struct arguments {
    const char *trace, *output;
    struct refrain_changes changes;
    bool json, recorded;
    size_t most;
};

/* ---- command line ---- */

static void add(struct arguments *arguments, enum refrain_change_kind kind, const char *option, const char *value,
                struct argp_state *state) {
    const char *why;
    if (!refrain_changes_add(&arguments->changes, kind, value, &why))
        argp_error(state, "%s %s: %s", option, value, why);
}

static double latency(const char *value, struct argp_state *state) {
    char *end;
    double factor = strtod(value, &end);
    if (end == value || *end || !isfinite(factor) || factor < 0)
        argp_error(state, "--latency %s: a factor, 0 or more, is expected", value);
    return factor;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_FASTER:
        add(arguments, REFRAIN_CHANGE_FASTER, "--faster", value, state);
        return 0;
    case OPTION_BALANCE:
        add(arguments, REFRAIN_CHANGE_BALANCE, "--balance", value, state);
        return 0;
    case OPTION_NO_WAIT:
        add(arguments, REFRAIN_CHANGE_NO_WAIT, "--no-wait", value, state);
        return 0;
    case OPTION_LATENCY:
        arguments->changes.latency = latency(value, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (arguments->changes.n == 0 && arguments->changes.latency == 1)
            argp_error(state, "nothing is changed: give --faster, --balance, --latency or --no-wait");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* ---- what is shown ---- */

static double percent(int64_t ns, int64_t of_ns) {
    return of_ns > 0 ? 100 * (double)ns / (double)of_ns : 0;
}

static void warn(const struct refrain_trace *trace, const struct refrain_clocks_result *result,
                 const struct refrain_cursor_report *report, const struct refrain_progress *progress) {
    refrain_warn_unmatched(trace, report);
    if (progress->approximate)
        refrain_warn("%s of %s events are approximate, and so is what follows from them: refrain info says why",
                     refrain_show_count(progress->approximate), refrain_show_count(progress->events));
    if (result->kept && percent(result->kept_ns, result->all_ns) >= LEAST_KEPT_PERCENT)
        refrain_warn(
            "%.1f %% of the ranks' time passed in MPI calls of which the trace does not say what they wait for, "
            "mostly %s; they take the time that they took",
            percent(result->kept_ns, result->all_ns), refrain_show_name(result->kept->name));
}

static void print(const struct arguments *arguments, const struct refrain_clocks_result *result,
                  const struct refrain_critical *critical) {
    printf("run time: %s, as it was %s (%+.2f %%)\n", refrain_show_ns((long double)result->now_ns),
           refrain_show_ns((long double)result->was_ns), percent(result->now_ns - result->was_ns, result->was_ns));
    refrain_critical_print(critical, arguments->most);
}

static json_t *changes_json(const struct refrain_changes *changes) {
    static const char *const kinds[] = {"faster", "faster_before", "balance", "no_wait"};
    json_t *array = json_array();
    for (size_t i = 0; i < changes->n; i++) {
        const struct refrain_change *change = &changes->changes[i];
        json_t *object = json_pack("{ss,so}", "change", kinds[change->kind], "name", refrain_json_text(change->name));
        if (change->kind <= REFRAIN_CHANGE_BEFORE)
            json_object_set_new(object, "factor", json_real(change->factor));
        json_array_append_new(array, object);
    }
    return array;
}

static enum refrain_status print_json(const struct arguments *arguments, const struct refrain_clocks_result *result,
                                      const struct refrain_critical *critical, struct refrain_error *error) {
    json_t *object = json_pack("{si,so,sf,sI,sI,sI,so}", "schema_version", SCHEMA_VERSION, "changes",
                               changes_json(&arguments->changes), "latency", arguments->changes.latency, "was_ns",
                               (json_int_t)result->was_ns, "run_ns", (json_int_t)result->now_ns, "kept_ns",
                               (json_int_t)result->kept_ns, "critical_path", refrain_critical_json(critical));
    return refrain_print_json(object, error);
}

/* Prints the path of the new trace. */
static enum refrain_status show(const struct arguments *arguments, const char *directory,
                                const struct refrain_clocks_result *result, struct refrain_error *error) {
    struct refrain_trace *trace;
    struct refrain_critical critical;
    struct refrain_progress progress;
    struct refrain_activity_request request = {.rank = -1,
                                               .from_ns = INT64_MIN,
                                               .to_ns = INT64_MAX,
                                               .recorded = true,
                                               .around = refrain_progress_around,
                                               .around_data = &progress};
    enum refrain_status status = refrain_trace_open(directory, false, &trace, error);
    if (status)
        return status;
    status = refrain_critical_open(trace, &request, true, &critical, error);
    if (!status && arguments->json)
        status = print_json(arguments, result, &critical, error);
    else if (!status)
        print(arguments, result, &critical);
    refrain_critical_close(&critical);
    refrain_trace_close(trace);
    return status;
}

/* ---- the trace that is made ---- */

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *walk) {
    (void)status;
    (void)kind;
    (void)walk;
    return remove(path);
}

/* A temporary directory for the new trace, if the user named none. *own: its path, malloced. Null if it cannot be made.
 */
static char *make_directory(struct refrain_error *error) {
    const char *below = getenv("TMPDIR");
    char *own;
    if (asprintf(&own, "%s/refrain-what-if-XXXXXX", below && below[0] ? below : "/tmp") < 0) {
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    if (mkdtemp(own))
        return own;
    REFRAIN_FAIL(error, "%s: no directory can be made there: %m; give -o NAME.refrain, or set TMPDIR", own);
    free(own);
    return NULL;
}

static enum refrain_status predict(struct refrain_trace *trace, const struct arguments *arguments,
                                   const char *directory, struct refrain_error *error) {
    struct refrain_progress progress;
    struct refrain_clocks_result result;
    struct refrain_cursor_report report = {0};
    struct refrain_what_if_request request = {.directory = directory,
                                              .recorded = arguments->recorded,
                                              .around = refrain_progress_around,
                                              .around_data = &progress};
    if (trace->n_processes && trace->processes[0].header->mode == REFRAIN_MODE_EVENTS)
        request.recorded = true;
    enum refrain_status status = refrain_what_if(trace, &arguments->changes, &request, &result, &report, error);
    if (status)
        return status;
    warn(trace, &result, &report, &progress);
    return show(arguments, directory, &result, error);
}

static enum refrain_status predict_aside(struct refrain_trace *trace, const struct arguments *arguments,
                                         struct refrain_error *error) {
    char *own = make_directory(error), *directory = NULL;
    enum refrain_status status = REFRAIN_ERROR;
    if (own && asprintf(&directory, "%s/predicted.refrain", own) >= 0) {
        status = predict(trace, arguments, directory, error);
        free(directory);
    }
    if (own)
        nftw(own, remove_one, 16, FTW_DEPTH | FTW_PHYS);
    free(own);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.changes = {.latency = 1}, .most = ROWS_SHOWN};
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_what_if, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (!status) {
        refrain_warn_missing(trace);
        status = refrain_changes_find(&arguments.changes, trace, error);
        if (!status)
            status = arguments.output ? predict(trace, &arguments, arguments.output, error)
                                      : predict_aside(trace, &arguments, error);
        refrain_trace_close(trace);
    }
    refrain_changes_close(&arguments.changes);
    return status;
}

static const struct refrain_option options[] = {
    {"faster", OPTION_FASTER, "NAME=FACTOR",
     "What NAME computes takes 1/FACTOR of its time, with the functions that it calls, without MPI calls. Of an MPI "
     "call: "
     "what it takes besides waiting. \"before NAME=FACTOR\": what is computed before the call NAME",
     0, REFRAIN_OWN},
    {"balance", OPTION_BALANCE, "NAME", "The n-th activation of NAME computes the mean over the ranks on each rank", 0,
     REFRAIN_OWN},
    {"latency", OPTION_LATENCY, "FACTOR",
     "What MPI calls that move data take besides waiting, times FACTOR; 0 is a network that takes no time", 0,
     REFRAIN_OWN},
    {"no-wait", OPTION_NO_WAIT, "NAME", "The blocking collective NAME waits for nobody; a barrier takes no time", 0,
     REFRAIN_OWN},
    {"output", 'o', "NAME.refrain", "Keep the trace of the changed run: a directory that does not exist yet", 0,
     REFRAIN_TEXT(output)},
    {"recorded", 0, NULL, "Use the recorded events and their times (REFRAIN_MODE=events or both)", 0,
     REFRAIN_FLAG(recorded)},
    {"top", 0, "N", "Show N rows of the critical path (default: 20)", 0, REFRAIN_SIZE(most)},
    {"json", 'j', NULL, "Print JSON, with all rows", 0, REFRAIN_FLAG(json)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Says how long the run would have taken if parts of it were faster, balanced or did not wait, and what it would "
    "depend on then.\v"
    "NAME is a function, a user region or an MPI function, with or without (), or a place FILE:LINE that refrain stats "
    "shows. Options may be given several times. The times of events follow from what they depend on: a receive ends "
    "after its message was sent, a large or synchronous send after its receive was posted, a collective after those "
    "have entered whom it waits for. All else takes the time that it took.\n\n"
    "The first line says the run time from the end of the last MPI_Init to the begin of the last MPI_Finalize. The "
    "critical path is shown as refrain stats --by critical-path does. With -o the events of the changed run are a "
    "trace "
    "that stats, diff, report and view read.\n\n"
    "Which messages wildcard receives take and how often a program polls stays as it was. Waiting in MPI_Probe, in "
    "one-sided communication, in files and while communicators are made is not known as such and stays. Threads do not "
    "wait for each other. Caches, and ranks that share a network, are not modelled.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE", .doc = doc};

const struct refrain_command refrain_command_what_if = {
    .name = "what-if",
    .summary = "how long the run would take if parts of it were faster or did not wait",
    .argp = &argp,
    .options = options,
    .run = run,
    .flags = REFRAIN_COMMAND_PAGED,
    .examples = "  refrain what-if app-*.refrain --faster 'burn()=2'           # burn twice as fast\n"
                "  refrain what-if app-*.refrain --balance 'step()'            # step as long on all ranks\n"
                "  refrain what-if app-*.refrain --latency 0 -o fast.refrain   # on a network that takes no time\n"
                "  refrain diff app-*.refrain fast.refrain                     # what that changes\n",
};
