/* cmd_pack.c: refrain pack: makes one file of a trace directory, in which the common part of the ranks is stored once.
 */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/ranks_write.h"
#include "commands/whole_file.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct arguments {
    const char *trace, *output;
    bool force, json;
};

/* Fails unless all files are of one run, i.e. of the same number of ranks. A run may have several programs (mpiexec ...
 * : ...); a line says so. */
static enum refrain_status check_run(const struct refrain_trace *trace, struct refrain_error *error) {
    const struct refrain_process *first = &trace->processes[0];
    const char *program = refrain_process_name(first, first->header->executable);
    bool warned = false;
    for (size_t i = 1; i < trace->n_processes; i++) {
        const struct refrain_process *process = &trace->processes[i];
        const char *other = refrain_process_name(process, process->header->executable);
        if (process->header->size > 0 && first->header->size > 0 && process->header->size != first->header->size)
            return REFRAIN_FAIL(error, "%s: is of a run with %d ranks, %s of one with %d: pack each run by itself",
                                process->path, process->header->size, first->path, first->header->size);
        if (!warned && strcmp(program, other) != 0)
            refrain_warn("rank %d ran %s, rank %d ran %s: both are packed, but have little in common", first->rank,
                         program, process->rank, other);
        warned |= strcmp(program, other) != 0;
        if (process->events_path)
            return REFRAIN_FAIL(error, "%s: recorded events are not packed: remove them, or keep the directory",
                                process->events_path);
    }
    if (first->events_path)
        return REFRAIN_FAIL(error, "%s: recorded events are not packed: remove them, or keep the directory",
                            first->events_path);
    return REFRAIN_OK;
}

static void print_report(const struct arguments *arguments, const struct refrain_trace *trace,
                         const struct refrain_ranks_report *report) {
    printf("%s: %s of %zu ranks\n", arguments->output, refrain_show_bytes(report->bytes), trace->n_processes);
    printf("  structure %s, %s a rank: what was learned\n", refrain_show_bytes(report->fold.structure_bytes),
           refrain_show_bytes(report->fold.structure_bytes / trace->n_processes));
    printf(
        "            %s values on all ranks are %s: %s the same on all that have them, %s a formula over the ranks\n",
        refrain_show_count(report->fold.values), refrain_show_count(report->fold.rows),
        refrain_show_count(report->fold.same_rows), refrain_show_count(report->fold.learned_rows));
    printf("  times     %s, %s a rank: when blocks were, and what else each rank has for itself\n",
           refrain_show_bytes(report->times_bytes), refrain_show_bytes(report->times_bytes / trace->n_processes));
    printf("  index     %s\n", refrain_show_bytes(report->index_bytes));
    if (report->names_bytes)
        printf("  names     %s: of code addresses\n", refrain_show_bytes(report->names_bytes));
}

static enum refrain_status print_json(const struct arguments *arguments, const struct refrain_trace *trace,
                                      const struct refrain_ranks_report *report, struct refrain_error *error) {
    json_t *object = json_object();
    json_object_set_new(object, "pack", refrain_json_text(arguments->output));
    json_object_set_new(object, "ranks", json_integer((json_int_t)trace->n_processes));
    json_object_set_new(object, "bytes", json_integer((json_int_t)report->bytes));
    json_object_set_new(object, "structure_bytes", json_integer((json_int_t)report->fold.structure_bytes));
    json_object_set_new(object, "times_bytes", json_integer((json_int_t)report->times_bytes));
    json_object_set_new(object, "index_bytes", json_integer((json_int_t)report->index_bytes));
    json_object_set_new(object, "names_bytes", json_integer((json_int_t)report->names_bytes));
    json_object_set_new(object, "values", json_integer((json_int_t)report->fold.values));
    json_object_set_new(object, "rows", json_integer((json_int_t)report->fold.rows));
    json_object_set_new(object, "same_rows", json_integer((json_int_t)report->fold.same_rows));
    json_object_set_new(object, "learned_rows", json_integer((json_int_t)report->fold.learned_rows));
    return refrain_print_json(object, error);
}

static enum refrain_status write_pack(const struct arguments *arguments, const struct refrain_trace *trace,
                                      struct refrain_ranks_report *report, struct refrain_error *error) {
    struct refrain_whole_file whole;
    enum refrain_status status = refrain_whole_file_open(&whole, arguments->output, arguments->force, error);
    if (status)
        return status;
    status = refrain_ranks_write(trace, whole.file, arguments->output, report, error);
    return refrain_whole_file_close(&whole, status, error);
}

static const struct refrain_option options[] = {
    {"output", 'o', "FILE", "The file to write (default: the trace's name, ending in .refrain-pack)", 0,
     REFRAIN_TEXT(output)},
    {"force", 'f', NULL, "Overwrite FILE", 0, REFRAIN_FLAG(force)},
    {"json", 'j', NULL, "Print JSON", 0, REFRAIN_FLAG(json)},
    REFRAIN_ARGUMENT("trace", trace),
    {0}};

static const char doc[] =
    "Writes the trace as one file, in which what its ranks have in common is stored once.\v"
    "What was learned of all ranks is laid side by side: values that are the same are stored once, and those that "
    "differ are a formula over the ranks if there is one, as for neighbours in a ring or a grid. Times are kept for "
    "each rank. Every command reads the file as it reads the directory, and finds the same values in it, to the last "
    "one. The directory stays as it is.";

static const struct argp argp = {.args_doc = "TRACE", .doc = doc};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    struct refrain_ranks_report report;
    struct refrain_trace *trace;
    refrain_command_parse(&refrain_command_pack, argc, argv, &arguments);
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    char *name = NULL;
    if (!arguments.output) {
        size_t n = strlen(arguments.trace);
        while (n > 1 && arguments.trace[n - 1] == '/')
            n--;
        size_t suffix = strlen(REFRAIN_TRACE_SUFFIX);
        if (n > suffix && strncmp(arguments.trace + n - suffix, REFRAIN_TRACE_SUFFIX, suffix) == 0)
            n -= suffix;
        if (asprintf(&name, "%.*s" REFRAIN_RANKS_SUFFIX, (int)n, arguments.trace) < 0)
            name = NULL;
        arguments.output = name;
        if (!name)
            status = REFRAIN_FAIL_MEMORY(error);
    }
    if (!status)
        status = check_run(trace, error);
    if (!status)
        status = write_pack(&arguments, trace, &report, error);
    if (!status && arguments.json)
        status = print_json(&arguments, trace, &report, error);
    else if (!status)
        print_report(&arguments, trace, &report);
    refrain_trace_close(trace);
    free(name);
    return status;
}

const struct refrain_command refrain_command_pack = {
    .name = "pack",
    .summary = "a trace as one file, in which what ranks have in common stands once",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain pack app-20250101-120000.refrain -o app.refrain-pack\n  refrain stats app.refrain-pack\n",
};
