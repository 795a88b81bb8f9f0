/* cmd_proxy.c: refrain proxy: a C program that makes the MPI calls of traced runs. */
#include "commands/command.h"
#include "commands/program_argument.h"
#include "commands/whole_file.h"
#include "predict/proxy_write.h"

#include <string.h>

struct arguments {
    struct refrain_program_argument runs;
    const char *output;
    bool force;
    enum refrain_proxy_compute compute;
};

static const char *const computes[] = {"spin", "sleep", "memory"};

static enum refrain_proxy_compute compute_named(const char *value, struct argp_state *state) {
    for (unsigned i = 0; i < sizeof computes / sizeof *computes; i++)
        if (strcmp(value, computes[i]) == 0)
            return (enum refrain_proxy_compute)i;
    argp_error(state, "--compute %s: spin, sleep or memory is expected", value);
    return REFRAIN_PROXY_SPIN;
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    if (key != 'c')
        return refrain_take_program(key, value, state, &arguments->runs);
    arguments->compute = compute_named(value, state);
    return 0;
}

static enum refrain_status write(const struct arguments *arguments, struct refrain_error *error) {
    struct refrain_whole_file whole;
    enum refrain_status status = refrain_whole_file_open(&whole, arguments->output, arguments->force, error);
    if (!status)
        status = refrain_whole_file_close(
            &whole, refrain_proxy_write(&arguments->runs.program, arguments->compute, whole.file, error), error);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_proxy, argc, argv, &arguments);
    enum refrain_status status = refrain_program_argument_open(&arguments.runs, error);
    if (!status)
        status = write(&arguments, error);
    if (!status) {
        refrain_warn_left_out(&arguments.runs.program);
        refrain_warn_tables(&arguments.runs.program,
                            "the program can only run on as many as one of the runs: in it they are v... and q... "
                            "whose tables have a value for each rank");
    }
    refrain_program_argument_close(&arguments.runs);
    return status;
}

static const struct refrain_option options[] = {
    {"output", 'o', "FILE.c", "Write to FILE.c (default: standard output)", 0, REFRAIN_TEXT(output)},
    {"force", 'f', NULL, "Overwrite FILE.c", 0, REFRAIN_FLAG(force)},
    {"compute", 'c', "spin|sleep|memory",
     "What the program does as long as the traced one computed: read the clock (default), sleep, or walk through 8 MiB "
     "of memory",
     0, REFRAIN_OWN},
    {0}};

static const char doc[] =
    "Writes a C program that makes the MPI calls of a run, and computes as long as it did between them.\v"
    "The program has the functions of the traced one (as far as the trace has them), loops around its calls, "
    "and the calls in the same order with the same partners, tags, bytes, roots, communicators and requests. "
    "Arguments are constants and expressions of the rank where these say all that the trace has, and else "
    "values of a table. It needs as many ranks as the run had, an MPI library, and no refrain. So it can go "
    "where the application cannot: to another machine, another MPI library, a vendor.\n\n"
    "Of several traces, of runs on different numbers of ranks, it is one program for all of these, and for "
    "other numbers of ranks if each value follows a formula. A model (refrain model) has what such traces say, and "
    "gives the same program.\n\n"
    "Data are bytes that mean nothing, and reductions combine them by bits. A receive that took any source or "
    "tag takes the one that it got in the run. A call that polls waits for what it found in the run. Each "
    "computation takes its mean time. MPI_Probe waits for nothing. How much each rank of an MPI_Alltoallv sends "
    "to each other one is not in the trace: it follows from their totals.\n\n"
    "One-sided communication, files, neighbourhood collectives and some other functions are left out: a warning "
    "and the first lines of the program say which. Traces are refused if the order of events is approximate, a "
    "rank is missing or did not come to its end, threads call MPI besides the first, or communicators are made "
    "in ways that the program cannot repeat.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE...|MODEL", .doc = doc};

const struct refrain_command refrain_command_proxy = {
    .name = "proxy",
    .summary = "a C program that makes the MPI calls of a run",
    .options = options,
    .argp = &argp,
    .run = run,
    .examples = "  refrain proxy app-*.refrain -o app-proxy.c\n"
                "  mpicc -O2 app-proxy.c -o app-proxy && mpiexec -n 4 ./app-proxy\n",
};
