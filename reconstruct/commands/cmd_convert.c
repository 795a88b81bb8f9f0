/* cmd_convert.c: refrain convert: events that refrain or another tool wrote become a trace. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "import/import_source.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define FIRST_REPORT_NS 2000000000

struct arguments {
    const char *path, *directory, *format;
};

enum { OPTION_FORMAT = 256 };

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_FORMAT:
        if (strcmp(value, "text") != 0 && strcmp(value, "otf2") != 0)
            argp_error(state, "%s: otf2 or text is expected", value);
        arguments->format = value;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!arguments->directory)
            argp_error(state, "no output given: -o NAME.refrain");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static int64_t now_ns(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

struct shown {
    int64_t since_ns;
    bool shown;
};

static void show_progress(void *data, uint64_t events, int64_t time_ns) {
    struct shown *shown = data;
    if (now_ns() - shown->since_ns < FIRST_REPORT_NS)
        return;
    shown->shown = true;
    fprintf(stderr, "\rrefrain: %s events, at %.3f s of the run ", refrain_show_count(events), (double)time_ns / 1e9);
}

/* An OTF2 archive is a directory or its anchor file, which begins with its own mark. */
static bool is_otf2(const char *path) {
    struct stat status;
    char mark[4] = "";
    if (stat(path, &status) != 0 || S_ISDIR(status.st_mode))
        return S_ISDIR(status.st_mode);
    size_t n = strlen(path);
    if (n > 5 && strcmp(path + n - 5, ".otf2") == 0)
        return true;
    FILE *file = fopen(path, "rb");
    bool marked = file && fread(mark, 1, sizeof mark, file) == sizeof mark && memcmp(mark, "OTF2", sizeof mark) == 0;
    if (file)
        fclose(file);
    return marked;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    struct shown shown = {.since_ns = now_ns()};
    struct refrain_import_result result = {0};
    refrain_command_parse(&refrain_command_convert, argc, argv, &arguments);
    struct refrain_import_request request = {.path = arguments.path,
                                             .directory = arguments.directory,
                                             .progress =
                                                 isatty(STDERR_FILENO) && !refrain_warn_quiet ? show_progress : NULL,
                                             .data = &shown};
    if (access(arguments.path, F_OK) != 0)
        return REFRAIN_FAIL(error, "%s: there is no such file or directory", arguments.path);
    bool otf2 = arguments.format ? strcmp(arguments.format, "otf2") == 0 : is_otf2(arguments.path);
#ifdef REFRAIN_HAVE_OTF2
    enum refrain_status status = (otf2 ? refrain_import_otf2 : refrain_import_text)(&request, &result, error);
#else
    enum refrain_status status =
        otf2 ? REFRAIN_FAIL(error, "%s: this refrain was built without the OTF2 library", arguments.path)
             : refrain_import_text(&request, &result, error);
#endif
    if (shown.shown)
        fputs("\r\033[K", stderr);
    if (!status && result.left_out)
        refrain_warn("%s records are left out, for which a trace has no place (metrics, parameters, OpenMP's own ...)",
                     refrain_show_count(result.left_out));
    if (!status && !refrain_warn_quiet)
        printf("%s: %s events of %d ranks\n", arguments.directory, refrain_show_count(result.events),
               (int)result.ranks);
    return status;
}

static const struct refrain_option options[] = {
    {"format", OPTION_FORMAT, "otf2|text", "The format of the input (default: what its contents look like)", 0,
     REFRAIN_OWN},
    {"output", 'o', "NAME.refrain", "The trace to write: a directory that does not exist yet", 0,
     REFRAIN_TEXT(directory)},
    REFRAIN_ARGUMENT("OTF2 archive or text", path),
    {0}};

static const char doc[] =
    "Makes a trace of an OTF2 archive or of text, so that refrain events, stats, diff and compare work on it.\v"
    "OTF2 archives may be those of any tool: EZTrace, Score-P, TAU, refrain. A rank is a process of MPI; without MPI "
    "the processes are ranks in the order of their definitions. Text is what refrain reconstruct --format text and "
    "refrain events write; written with --all it has nonblocking communication as well.\n\n"
    "The trace holds the events as recorded, like one of REFRAIN_MODE=events, and no formulas. If something fails, no "
    "trace is left behind.";

static const struct argp argp = {.parser = parse_option, .args_doc = "ARCHIVE|TEXT", .doc = doc};

const struct refrain_command refrain_command_convert = {
    .name = "convert",
    .summary = "a trace from an OTF2 archive of any tool, or from text",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain convert scorep-20260101/traces.otf2 -o scorep.refrain\n"
                "  refrain stats scorep.refrain\n"
                "  refrain compare scorep.refrain app-*.refrain\n",
};
