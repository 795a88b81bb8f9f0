/* cmd_model.c: refrain model: what runs do on any number of ranks, as a file. */
#include "commands/command.h"
#include "commands/program_argument.h"
#include "commands/whole_file.h"
#include "predict/model_file.h"

struct arguments {
    struct refrain_program_argument runs;
    const char *output;
    bool force;
};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    return refrain_take_program(key, value, state, &((struct arguments *)state->input)->runs);
}

static enum refrain_status write(const struct arguments *arguments, struct refrain_error *error) {
    struct refrain_whole_file whole;
    enum refrain_status status = refrain_whole_file_open(&whole, arguments->output, arguments->force, error);
    if (!status)
        status =
            refrain_whole_file_close(&whole, refrain_model_write(&arguments->runs.program, whole.file, error), error);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_model, argc, argv, &arguments);
    enum refrain_status status = refrain_program_argument_open(&arguments.runs, error);
    if (!status)
        status = write(&arguments, error);
    if (!status) {
        refrain_warn_left_out(&arguments.runs.program);
        refrain_warn_tables(&arguments.runs.program,
                            "the model says nothing of other numbers: in it they are by_rank and runs_by_rank");
    }
    refrain_program_argument_close(&arguments.runs);
    return status;
}

static const struct refrain_option options[] = {
    {"output", 'o', "NAME.model", "Write to NAME.model (default: standard output)", 0, REFRAIN_TEXT(output)},
    {"force", 'f', NULL, "Overwrite NAME.model", 0, REFRAIN_FLAG(force)},
    {0}};

static const char doc[] =
    "Writes what runs of a program do on any number of ranks: its functions, loops and MPI calls, with expressions of "
    "the rank and the number of ranks.\v"
    "Traces are of runs of one program on different numbers of ranks, best four of them. For each loop, condition and "
    "argument of a call the model has the simplest expression that holds exactly on all ranks of all runs; a value "
    "without such an expression is a table, and refrain says how many there are. Times of computations are means, of "
    "each run.\n\n"
    "The model is text (JSON), which may be read, compared and edited. refrain extrapolate makes the trace of a run on "
    "more ranks of it, refrain proxy a C program. A model of one run says nothing of other numbers of ranks.\n\n"
    "What a model cannot be made of is listed by refrain help proxy.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE...|MODEL", .doc = doc};

const struct refrain_command refrain_command_model = {
    .name = "model",
    .summary = "what runs do on any number of ranks, as text",
    .options = options,
    .argp = &argp,
    .run = run,
    .examples = "  refrain model app-4.refrain app-8.refrain app-16.refrain app-32.refrain -o app.model\n"
                "  refrain extrapolate app.model --ranks 64 -o app-64.refrain\n"
                "  refrain proxy app.model -o app.c\n",
};
