/* cmd_extrapolate.c: refrain extrapolate: the trace of a run on more ranks. */
#include "commands/command.h"
#include "commands/program_argument.h"
#include "predict/extrapolate.h"

#include <time.h>
#include <unistd.h>

#define MOST_RANKS (1 << 20)
#define FIRST_REPORT_SECONDS 2

struct arguments {
    struct refrain_program_argument runs;
    const char *directory;
    int32_t ranks;
};

static int32_t ranks_of(const char *value, struct argp_state *state) {
    int32_t ranks = refrain_number_option(value, state, "a number of ranks");
    if (ranks < 1 || ranks > MOST_RANKS)
        argp_error(state, "--ranks %s: a number from 1 to %d is expected", value, MOST_RANKS);
    return ranks;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'r':
        arguments->ranks = ranks_of(value, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!arguments->ranks)
            argp_error(state, "no number of ranks given: --ranks N");
        if (!arguments->directory)
            argp_error(state, "no output given: -o NAME.refrain");
        return 0;
    default:
        return refrain_take_program(key, value, state, &arguments->runs);
    }
}

struct shown {
    time_t since;
    bool shown;
};

static void show_progress(void *data, int32_t walk, int32_t of) {
    struct shown *shown = data;
    if (time(NULL) - shown->since <= FIRST_REPORT_SECONDS)
        return;
    shown->shown = true;
    fprintf(stderr, "\rrefrain: %d %% ", (int)(100.0 * walk / of));
}

static enum refrain_status extrapolate(struct arguments *arguments, struct refrain_error *error) {
    struct shown shown = {.since = time(NULL)};
    bool shows = isatty(STDERR_FILENO) && !refrain_warn_quiet;
    struct refrain_extrapolation extrapolation = {.program = &arguments->runs.program,
                                                  .ranks = arguments->ranks,
                                                  .directory = arguments->directory,
                                                  .source = arguments->runs.paths[0],
                                                  .progress = shows ? show_progress : NULL,
                                                  .data = &shown};
    enum refrain_status status = refrain_extrapolate(&extrapolation, error);
    if (shown.shown)
        fputs("\r\033[K", stderr);
    if (!status && !refrain_warn_quiet)
        printf("%s: %s events of %d ranks, which nobody has run\n", arguments->directory,
               refrain_show_count(extrapolation.events), (int)arguments->ranks);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_extrapolate, argc, argv, &arguments);
    enum refrain_status status = refrain_program_argument_open(&arguments.runs, error);
    if (!status)
        status = extrapolate(&arguments, error);
    if (!status)
        refrain_warn_left_out(&arguments.runs.program);
    refrain_program_argument_close(&arguments.runs);
    return status;
}

static const struct refrain_option options[] = {{"ranks", 'r', "N", "The number of ranks", 0, REFRAIN_OWN},
                                                {"output", 'o', "NAME.refrain",
                                                 "The trace to write: a directory that does not exist yet", 0,
                                                 REFRAIN_TEXT(directory)},
                                                {0}};

static const char doc[] =
    "Writes the trace of a run on N ranks that nobody has run, from what runs on fewer ranks say.\v"
    "A model (refrain model) is read, or made of the traces of runs on different numbers of ranks. Each rank's "
    "functions, "
    "MPI calls, partners, tags, bytes, communicators and requests follow from its expressions. If some value has no "
    "expression, or its expression has no meaning on N ranks, there is no trace, and a line says why. Models of runs "
    "on "
    "powers of two, or squares, hold for such numbers alone.\n\n"
    "Computations take their mean time, which between the runs' numbers of ranks and beyond them follows a + b / "
    "ranks. MPI "
    "calls take no time, so nothing is said of who waits for whom: give the trace to refrain simulate for that.\n\n"
    "The trace has events and no formulas, as one of refrain convert: refrain events, stats, view --recorded and "
    "simulate read it.";

static const struct argp argp = {.parser = parse_option, .args_doc = "MODEL|TRACE...", .doc = doc};

const struct refrain_command refrain_command_extrapolate = {
    .name = "extrapolate",
    .summary = "the trace of a run on more ranks, from a model",
    .options = options,
    .argp = &argp,
    .run = run,
    .examples = "  refrain extrapolate app.model --ranks 64 -o app-64.refrain\n"
                "  refrain simulate app-64.refrain --platform cluster.xml -o simulated.refrain\n",
};
