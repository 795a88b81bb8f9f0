/* refrain_reconstruct.c: refrain reconstruct by the processes of an MPI job: mpiexec -n N refrain-reconstruct TRACE.
 *
 *     otf2    each process replays some ranks and writes their events (exchange.h). Windows of time, and what the run
 *             could not be gone through together for, are replayed by each as a whole: each writes the events of some
 *             ranks.
 *     text    each process replays the whole and writes a part of the run; the parts are put together.
 *     others  the first process writes it alone.
 */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/output.h"
#include "formats/sink.h"
#include "parallel/processes.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct argp argp = {
    refrain_output_options,
    refrain_output_parse,
    "TRACE",
    "Regenerates the events of a run, as refrain reconstruct does, by several processes: mpiexec -n N "
    "refrain-reconstruct TRACE -o OUT.\v"
    "otf2 (the default) and text are written by all processes, other formats by the first. What is written is what one "
    "process would write: the events of each rank, their times and their order are the same.",
    NULL,
    refrain_output_help,
    NULL};

static const struct refrain_command command = {
    .name = "reconstruct",
    .argp = &argp,
    .choices = refrain_output_choices,
    .examples = "  mpiexec -n 8 refrain-reconstruct app-*.refrain -o out   # out/traces.otf2\n",
};

/* Only the first process warns, and says what is wrong with the command line. Returns standard error. */
static int hush(int number) {
    int kept = dup(STDERR_FILENO), nowhere = number > 0 ? open("/dev/null", O_WRONLY | O_CLOEXEC) : -1;
    if (nowhere >= 0) {
        dup2(nowhere, STDERR_FILENO);
        close(nowhere);
        refrain_warn_quiet = true;
    }
    return kept;
}

static void speak(int kept) {
    dup2(kept, STDERR_FILENO);
    close(kept);
}

/* ---- otf2 ---- */

/* Each process replays its ranks. *done: false where the trace cannot be shared out; nothing is left then. */
static enum refrain_status write_shared(struct refrain_processes *processes, struct refrain_trace *trace,
                                        struct refrain_output *output, bool *done, struct refrain_error *error) {
    processes->exchange = refrain_exchange_open(MPI_COMM_WORLD, processes->owners, processes->n_ranks, trace);
    if (!processes->exchange)
        return REFRAIN_FAIL_MEMORY(error);
    output->team = refrain_exchange_team(processes->exchange);
    enum refrain_status status = refrain_output_write_trace(trace, output, error);
    *done = !output->team->wrong || error->code;
    uint64_t own = error->code != REFRAIN_OK;
    processes->together.combine(&processes->together, &own, 1, false);
    *done |= own != 0;
    if (!*done)
        refrain_warn("%s cannot be shared out: %s. Each process replays all of it", trace->path, output->team->wrong);
    output->team = NULL;
    refrain_exchange_close(processes->exchange);
    processes->exchange = NULL;
    return *done ? status : REFRAIN_OK;
}

static enum refrain_status write_otf2(struct refrain_processes *processes, struct refrain_trace *trace,
                                      struct refrain_output *output, struct refrain_error *error) {
    bool done = false;
    output->together = &processes->together;
    if (processes->together.n > 1 && refrain_output_can_be_shared(trace, output)) {
        enum refrain_status status = write_shared(processes, trace, output, &done, error);
        if (status || done)
            return status;
    }
    return refrain_output_write_trace(trace, output, error);
}

/* ---- text ---- */

static char *part_name(const char *path, int number) {
    char *name;
    return asprintf(&name, "%s.part-%d", path, number) < 0 ? NULL : name;
}

/* Appends the parts to the output, and removes them. */
static enum refrain_status put_together(const struct refrain_output *output, int n, struct refrain_error *error) {
    struct refrain_sink *sink;
    enum refrain_status status = refrain_sink_open(output->path, output->force, &sink, error);
    unsigned char *bytes = malloc(REFRAIN_SINK_BYTES);
    bool whole = !status && bytes;
    for (int i = 0; i < n; i++) {
        char *name = part_name(output->path, i);
        int file = name && whole ? open(name, O_RDONLY | O_CLOEXEC) : -1;
        ssize_t length = file >= 0 ? 1 : -1;
        while (length > 0 && (length = read(file, bytes, REFRAIN_SINK_BYTES)) > 0)
            refrain_sink_put_bytes(sink, bytes, (size_t)length);
        if (length < 0 && whole) {
            status = REFRAIN_FAIL(error, "%s: cannot be read: %s", name ? name : output->path, strerror(errno));
            whole = false;
        }
        if (file >= 0)
            close(file);
        if (name)
            unlink(name);
        free(name);
    }
    free(bytes);
    if (sink && refrain_sink_close(sink, whole, error) && !status)
        status = REFRAIN_ERROR;
    return whole || status ? status : REFRAIN_FAIL_MEMORY(error);
}

static enum refrain_status write_text(struct refrain_processes *processes, struct refrain_trace *trace,
                                      struct refrain_output *output, struct refrain_error *error) {
    int number = processes->together.number, n = processes->together.n;
    int64_t from_ns = output->from_ns, to_ns = from_ns;
    for (size_t i = 0; i < trace->n_locations; i++)
        if (trace->locations[i].end_ns > to_ns)
            to_ns = trace->locations[i].end_ns;
    if (output->has_to && output->to_ns < to_ns)
        to_ns = output->to_ns;
    if (!output->force && access(output->path, F_OK) == 0)
        return REFRAIN_FAIL(error, "%s: exists; --force overwrites it", output->path);
    struct refrain_output part = *output;
    int64_t step_ns = (to_ns - from_ns) / n;
    part.path = part_name(output->path, number);
    part.force = true;
    part.part_from_ns = number > 0 ? from_ns + number * step_ns : REFRAIN_TIME_FIRST;
    part.part_to_ns = number < n - 1 ? from_ns + (number + 1) * step_ns : REFRAIN_TIME_LAST;
    part.in_parts = true;
    enum refrain_status status = part.path ? refrain_output_write_trace(trace, &part, error) : REFRAIN_ERROR;
    free((char *)(uintptr_t)part.path);
    uint64_t failed = status != REFRAIN_OK;
    processes->together.combine(&processes->together, &failed, 1, false);
    if (number > 0)
        return status;
    if (!failed)
        return put_together(output, n, error);
    for (int i = 0; i < n; i++) {
        char *name = part_name(output->path, i);
        if (name)
            unlink(name);
        free(name);
    }
    return status;
}

/* ---- all of it ---- */

static enum refrain_status write_output(struct refrain_processes *processes, struct refrain_trace *trace,
                                        struct refrain_output *output, struct refrain_error *error) {
    bool to_file = output->path && strcmp(output->path, "-") != 0;
    if (output->format->directory)
        return write_otf2(processes, trace, output, error);
    if (processes->together.n > 1 && to_file && strcmp(output->format->name, "text") == 0)
        return write_text(processes, trace, output, error);
    if (processes->together.number > 0)
        return REFRAIN_OK;
    if (processes->together.n > 1)
        refrain_warn("%s is written by one process%s", output->format->name,
                     to_file ? ": otf2 and text are shared out" : " on standard output");
    return refrain_output_write_trace(trace, output, error);
}

int main(int argc, char **argv) {
    struct refrain_error error = {0};
    struct refrain_output output = {.default_format = "otf2"};
    struct refrain_processes processes = {0};
    struct refrain_trace *trace = NULL;
    signal(SIGXFSZ, SIG_IGN); /* a limit on the size of files is an error like others */
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &processes.together.number);
    MPI_Comm_size(MPI_COMM_WORLD, &processes.together.n);
    int kept = hush(processes.together.number);
    static char name[] = "refrain-reconstruct";
    argv[0] = name;
    refrain_command_parse(&command, argc, argv, &output);
    speak(kept);
    enum refrain_status status = refrain_trace_open(output.trace, true, &trace, &error);
    status = refrain_processes_agree(&processes, status, &error);
    if (!status)
        status = refrain_processes_agree(&processes, refrain_processes_open(&processes, trace, &error), &error);
    if (!status)
        status = refrain_processes_agree(&processes, refrain_output_window(&output, trace, &error), &error);
    if (!status)
        status = refrain_processes_agree(&processes, write_output(&processes, trace, &output, &error), &error);
    refrain_processes_close(&processes);
    refrain_trace_close(trace);
    free(output.ranks);
    MPI_Finalize();
    return (int)status;
}
