/* output.c: opens the output of events, and shows the progress of writing (output.h). */
#define _GNU_SOURCE
#include "commands/output.h"
#include "analysis/waiting.h"
#include "commands/command.h"
#include "commands/filter_writer.h"
#include "commands/job_threads.h"
#include "commands/progress.h"
#include "commands/thread_writer.h"
#include "match/replayable.h"
#include "model/mpi_call.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { OPTION_FORMAT = 256, OPTION_PICL_LEVELS, OPTION_RANKS, OPTION_THREADS };

#define AT(member) offsetof(struct refrain_output, member)

const struct refrain_option refrain_output_options[] = {
    {"output", 'o', "OUT", "File or directory to write; - is standard output, where the format is a file", 0,
     REFRAIN_IS_TEXT, AT(path)},
    {"format", OPTION_FORMAT, "FORMAT",
     "One of those below; by default the one that OUT's suffix names, else otf2 (reconstruct) or text (events)", 0,
     REFRAIN_OWN},
    {"force", 0, NULL, "Overwrite OUT", 0, REFRAIN_IS_FLAG, AT(force)},
    {"all", 0, NULL, "Text: also postings and completions of nonblocking operations", 0, REFRAIN_IS_FLAG, AT(all)},
    {"waiting", 0, NULL,
     "Also say what each call waited for. Text: for=KIND, waited=SECONDS, by=RANK and at=FILE:LINE of who was late; "
     "OTF2, "
     "chrome "
     "and perfetto: the same for each wait, and their sum so far as a counter; EPILOG: the sum",
     0, REFRAIN_IS_FLAG, AT(waiting)},
    {"paragraph", 0, NULL, "PICL: write what ParaGraph reads: states that do not overlap, sends and receives in pairs",
     0, REFRAIN_IS_FLAG, AT(paragraph)},
    {"picl-verbose", 0, NULL,
     "PICL: write all fields of each record, and their formats as scanf takes them instead of numbers", 0,
     REFRAIN_IS_FLAG, AT(picl_verbose)},
    {"picl-levels", OPTION_PICL_LEVELS, "M,U,T",
     "PICL: 1 or 0 for each of: records of message passing and files, of user events (functions, MPI calls), of "
     "tracing. "
     "Statistics "
     "are always written",
     0, REFRAIN_OWN},
    {"compensate", 0, NULL, "Subtract what probes took, and the waiting that they caused", 0, REFRAIN_IS_FLAG,
     AT(compensate)},
    {"from", 0, "TIME", REFRAIN_TIME_FROM, 0, REFRAIN_IS_TIME, AT(from)},
    {"to", 0, "TIME", REFRAIN_TIME_TO, 0, REFRAIN_IS_TIME, AT(to)},
    {"ranks", OPTION_RANKS, "LIST", "Only events of these ranks, such as 0,4-7", 0, REFRAIN_OWN},
    {"threads", OPTION_THREADS, "N",
     "Use N threads: they open the trace together; then one replays while another writes, or with otf2 all others do. "
     "The output is the same. "
     "By default one for each processor",
     0, REFRAIN_OWN},
    {NULL, 0, "trace", NULL, 0, REFRAIN_IS_TEXT, AT(trace)},
    {0}};

/* Parses "0,4-7" into output->ranks; false if it is no list of ranks. Ends the program without memory. */
static bool parse_ranks(struct refrain_output *output, const char *text, const struct argp_state *state) {
    for (const char *p = text;;) {
        char *end;
        long first = strtol(p, &end, 10), last = first;
        if (end == p || *p == '-')
            return false;
        if (*end == '-') {
            p = end + 1;
            last = strtol(p, &end, 10);
            if (end == p)
                return false;
        }
        if (first < 0 || last < first || last > INT32_MAX || last - first >= 1 << 24)
            return false;
        int32_t *ranks = realloc(output->ranks, (output->n_ranks + (size_t)(last - first) + 1) * sizeof *ranks);
        if (!ranks)
            argp_failure(state, EXIT_FAILURE, 0, "there is too little memory for the ranks of %s", text);
        output->ranks = ranks;
        for (long rank = first; rank <= last; rank++)
            ranks[output->n_ranks++] = (int32_t)rank;
        if (*end == 0)
            return true;
        if (*end != ',')
            return false;
        p = end + 1;
    }
}

/* Parses "1,0,1" into output->picl_levels; false if it is no list of levels. */
static bool parse_levels(struct refrain_output *output, const char *text) {
    if (strlen(text) != 5 || text[1] != ',' || text[3] != ',')
        return false;
    for (size_t i = 0; i < 5; i += 2)
        if (text[i] != '0' && text[i] != '1')
            return false;
    output->has_picl_levels = true;
    output->picl_levels = (struct refrain_picl_levels){text[0] == '1', text[2] == '1', text[4] == '1'};
    return true;
}

/* Parses a number of threads, at least one; false if it is none. */
static bool parse_threads(const char *text, unsigned *threads) {
    char *end;
    unsigned long n = strtoul(text, &end, 10);
    *threads = (unsigned)n;
    return end != text && *end == 0 && text[0] != '-' && n >= 1 && n <= 4096;
}

static void settle_format(struct refrain_output *output, struct argp_state *state) {
    if (!output->format && output->path)
        output->format = refrain_format_of_path(output->path);
    if (!output->format && output->default_format)
        output->format = refrain_format_named(output->default_format);
    if (!output->format)
        argp_error(state, "no format given: --format is one of %s", refrain_format_names());
    else if (output->format->directory && !output->path)
        argp_error(state, "no output given: -o DIRECTORY");
    else if (output->format->directory && strcmp(output->path, "-") == 0)
        argp_error(state, "%s is a directory and cannot be standard output: -o DIRECTORY", output->format->name);
}

error_t refrain_output_parse(int key, char *value, struct argp_state *state) {
    struct refrain_output *output = state->input;
    switch (key) {
    case OPTION_FORMAT:
        output->format = refrain_format_named(value);
        if (!output->format)
            argp_error(state, "%s is not a format; the formats are %s", value, refrain_format_names());
        return 0;
    case OPTION_PICL_LEVELS:
        if (!parse_levels(output, value))
            argp_error(state, "%s: three levels, 0 or 1 each, are expected, such as 1,0,1", value);
        return 0;
    case OPTION_RANKS:
        if (!parse_ranks(output, value, state))
            argp_error(state, "%s is not a list of ranks, such as 0,4-7", value);
        return 0;
    case OPTION_THREADS:
        if (!parse_threads(value, &output->threads))
            argp_error(state, "%s: a number of threads, 1 or more, is expected", value);
        return 0;
    case ARGP_KEY_SUCCESS:
        settle_format(output, state);
        if (!output->has_picl_levels)
            output->picl_levels = (struct refrain_picl_levels){true, true, true};
        if (output->paragraph && (output->picl_verbose || output->has_picl_levels))
            argp_error(state, "--paragraph excludes --picl-levels and --picl-verbose");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

/* Inserts the table of formats between the options and the command's own text. */
char *refrain_output_help(int key, const char *text, void *input) {
    (void)input;
    if (key != ARGP_KEY_HELP_POST_DOC)
        return (char *)(uintptr_t)text;
    char *help = NULL;
    size_t bytes;
    FILE *stream = open_memstream(&help, &bytes);
    if (!stream)
        return (char *)(uintptr_t)text;
    fputs("Formats:\n", stream);
    for (size_t i = 0; refrain_formats[i]; i++)
        fprintf(stream, "  %-10s %s%s%s%s\n", refrain_formats[i]->name, refrain_formats[i]->summary,
                refrain_formats[i]->suffix ? " (" : "", refrain_formats[i]->suffix ? refrain_formats[i]->suffix : "",
                refrain_formats[i]->suffix ? ")" : "");
    fprintf(stream, "\n%s", text ? text : "");
    fclose(stream);
    return help;
}

const char *refrain_output_choices(int key) {
    static char names[1024];
    size_t n = 0;
    if (key != OPTION_FORMAT)
        return NULL;
    for (size_t i = 0; refrain_formats[i] && n < sizeof names; i++)
        n += (size_t)snprintf(names + n, sizeof names - n, "%s%s", i ? "|" : "", refrain_formats[i]->name);
    return names;
}

/* ---- writing ---- */

/* Returns a writer that adds waits to events (if they are wanted), drops unwanted events and passes the others to
 * `inner`, the format's writer. Null without memory: then `inner` has been ended. */
static struct refrain_writer *chain(const struct refrain_output *output, struct refrain_writer *inner,
                                    struct refrain_error *error) {
    const bool in_order = output->format->by_order && !output->paragraph && output->from_ns;
    const struct refrain_filter filter = {.sent_from_ns = in_order ? output->from_ns : REFRAIN_TIME_FIRST,
                                          .format = output->format->name};
    struct refrain_writer *filtered = refrain_filter_writer(inner, &filter), *waiting = filtered;
    if (filtered && (output->waiting || output->format->waiting))
        waiting = refrain_waiting_writer(filtered, error);
    if (!waiting) {
        inner = filtered ? filtered : inner;
        inner->end(inner);
        REFRAIN_FAIL_MEMORY(error);
        return NULL;
    }
    return waiting;
}

static struct refrain_cursor_options options_of(const struct refrain_output *output, unsigned *threads) {
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    options.each = refrain_job_threads;
    options.of_each = threads;
    options.recorded = output->recorded;
    options.compensate = output->compensate;
    options.untold = output->format->untold;
    if (output->from_ns)
        options.from_ns = output->from_ns;
    if (output->has_to)
        options.to_ns = output->to_ns;
    options.ranks = output->ranks;
    options.n_ranks = output->n_ranks;
    return options;
}

static enum refrain_status replay_to(struct refrain_trace *trace, const struct refrain_output *output,
                                     struct refrain_turns *turns, struct refrain_writer *inner,
                                     struct refrain_error *error) {
    struct refrain_progress progress;
    struct refrain_writer *beside = NULL;
    unsigned threads = output->threads ? output->threads : refrain_job_processors();
    struct refrain_cursor_options options = options_of(output, &threads);
    struct refrain_cursor_report report = {0};
    struct refrain_writer *outer = chain(output, inner, error);
    if (!outer)
        return REFRAIN_ERROR;
    /* With several writing threads, the thread that replays counts the progress. A single writing thread counts it. */
    const bool several = threads > 2 && turns;
    if (several && (beside = refrain_thread_writer(outer, output->format->part, threads - 1)))
        outer = beside;
    refrain_progress_open(&progress, outer, output->path && strcmp(output->path, "-") != 0);
    if (threads > 1 && !several)
        beside = refrain_thread_writer(&progress.writer, NULL, 1);
    if (output->compensate)
        refrain_warn_uncalibrated(trace);
    struct refrain_replay replay = {.turns = turns};
    enum refrain_status status =
        refrain_write_as(trace, &options, &replay, beside && !several ? beside : &progress.writer, &report, error);
    if (turns && turns->wrong)
        return status; /* the caller writes the output again, in time order */
    refrain_warn_unmatched(trace, &report);
    if (progress.approximate)
        refrain_warn("%s of %s events are approximate: refrain info says what was given up; a larger "
                     "REFRAIN_TOTAL_MEMORY keeps more",
                     refrain_show_count(progress.approximate), refrain_show_count(progress.events));
    return status;
}

/* True if events of different locations may be written in any order, so that several threads can write. Windows and
 * files whose creation was not traced are defined from the events of all ranks in time order. */
static bool goes_by_turns(const struct refrain_trace *trace, const struct refrain_output *output) {
    for (size_t i = 0; i < trace->n_regions; i++) {
        enum refrain_mpi_kind kind = refrain_mpi_kind(&trace->regions[i]);
        if (refrain_mpi_is_file(kind) || refrain_mpi_is_window(kind))
            return false;
    }
    return output->format->part && !output->recorded && !output->compensate && !output->from_ns && !output->has_to &&
           !output->waiting;
}

enum refrain_status refrain_output_write_trace(struct refrain_trace *trace, const struct refrain_output *output,
                                               struct refrain_error *error) {
    enum refrain_status status = refrain_replayable(trace, output->recorded, error);
    struct refrain_format_request request = {.path = output->path,
                                             .force = output->force,
                                             .all = output->all,
                                             .waiting = output->waiting,
                                             .paragraph = output->paragraph,
                                             .picl_verbose = output->picl_verbose,
                                             .picl_levels = output->picl_levels};
    struct refrain_writer *writer = NULL;
    refrain_warn_missing(trace);
    if (!status && goes_by_turns(trace, output)) {
        struct refrain_turns turns = {0};
        request.turns = &turns;
        status = refrain_format_open(output->format, &request, &writer, error);
        if (!status)
            status = replay_to(trace, output, &turns, writer, error);
        if (!turns.wrong)
            return status;
        request.turns = NULL;
        status = REFRAIN_OK;
    }
    if (!status)
        status = refrain_format_open(output->format, &request, &writer, error);
    return status ? status : replay_to(trace, output, NULL, writer, error);
}

enum refrain_status refrain_output_window(struct refrain_output *output, const struct refrain_trace *trace,
                                          struct refrain_error *error) {
    enum refrain_status status =
        refrain_time_option_window(&output->from, &output->to, trace, &output->from_ns, &output->to_ns, error);
    output->has_to = output->to.given;
    if (!output->from.given)
        output->from_ns = 0;
    return status;
}

enum refrain_status refrain_output_write(struct refrain_output *output, struct refrain_error *error) {
    struct refrain_trace *trace;
    signal(SIGXFSZ, SIG_IGN); /* So exceeding the limit on file sizes is an error with a message, as a full disk is. */
    enum refrain_status status = refrain_trace_open(output->trace, true, &trace, error);
    if (!status) {
        status = refrain_output_window(output, trace, error);
        if (!status)
            status = refrain_output_write_trace(trace, output, error);
        refrain_trace_close(trace);
    }
    free(output->ranks);
    return status;
}
