/* program_argument.c: see program_argument.h. */
#include "commands/program_argument.h"
#include "commands/command.h"
#include "predict/model_file.h"
#include "predict/program_make.h"

int refrain_take_program(int key, char *value, struct argp_state *state, struct refrain_program_argument *argument) {
    switch (key) {
    case ARGP_KEY_ARG:
        if (argument->n == REFRAIN_MOST_RUNS)
            argp_error(state, "at most %d traces are expected", REFRAIN_MOST_RUNS);
        argument->paths[argument->n++] = value;
        return 0;
    case ARGP_KEY_NO_ARGS:
        argp_error(state, "a trace is expected");
        return EINVAL;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

enum refrain_status refrain_program_argument_open(struct refrain_program_argument *argument,
                                                  struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    if (argument->n == 1 && refrain_is_model(argument->paths[0]))
        return refrain_model_read(argument->paths[0], &argument->program, error);
    for (size_t i = 0; i < argument->n && !status; i++) {
        if (refrain_is_model(argument->paths[i]))
            return REFRAIN_FAIL(error, "%s: is a model, and traces are expected, or one model alone",
                                argument->paths[i]);
        status = refrain_trace_open(argument->paths[i], true, &argument->traces[i], error);
        argument->n_traces += !status;
    }
    return status ? status : refrain_program_make(&argument->program, argument->traces, argument->n_traces, error);
}

void refrain_program_argument_close(struct refrain_program_argument *argument) {
    refrain_program_free(&argument->program);
    while (argument->n_traces > 0)
        refrain_trace_close(argument->traces[--argument->n_traces]);
}

void refrain_warn_left_out(const struct refrain_program *program) {
    uint64_t calls = 0;
    for (size_t i = 0; i < program->n_left_out; i++)
        calls += program->left_out[i].count;
    if (calls)
        refrain_warn("%s calls of %zu MPI functions, such as %s, are left out: what they do no program of this kind can "
                     "repeat",
                     refrain_show_count(calls), program->n_left_out, program->left_out[0].name);
}

void refrain_warn_tables(const struct refrain_program *program, const char *then) {
    if (program->n_runs > 1 && program->n_tables)
        refrain_warn("%s values follow no formula that holds on all numbers of ranks, so %s",
                     refrain_show_count(program->n_tables), then);
}
