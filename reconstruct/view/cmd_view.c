/* cmd_view.c: refrain view: shows the run as a picture: a page that contains the trace and draws any part of it, or a
 * figure. */
#define _GNU_SOURCE
#include "commands/command.h"
#include "commands/time_option.h"
#include "commands/whole_file.h"
#include "match/replayable.h"
#include "view/view_page.h"
#include "view/view_png.h"
#include "view/view_svg.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_RANKS = 256, OPTION_WIDTH };

#define LEAST_WIDTH 100
#define MOST_WIDTH 20000

struct arguments {
    const char *traces[2], *path; /* traces[1]: null, or another run to show below the first */
    bool force, svg, png, wide;   /* wide: with --width */
    struct refrain_time_option from, to;
    struct refrain_figure figure;
};

static const struct refrain_option options[] = {
    {"output", 'o', "FILE", "What to write, such as app.html; - is standard output", 0, REFRAIN_TEXT(path)},
    {"force", 0, NULL, "Overwrite FILE", 0, REFRAIN_FLAG(force)},
    {"svg", 0, NULL, "Write a figure (SVG) instead of a page; also where FILE ends in .svg", 1, REFRAIN_FLAG(svg)},
    {"png", 0, NULL, "Write a figure as PNG (needs rsvg-convert); also where FILE ends in .png", 1, REFRAIN_FLAG(png)},
    {"from", 0, "TIME", "Figure: " REFRAIN_TIME_FROM, 1, REFRAIN_TIME(from)},
    {"to", 0, "TIME", "Figure: " REFRAIN_TIME_TO, 1, REFRAIN_TIME(to)},
    {"ranks", OPTION_RANKS, "LIST", "Figure: only these ranks, such as 0-3,8", 1, REFRAIN_OWN},
    {"width", OPTION_WIDTH, "PIXELS", "Figure: width of the bars (default 900)", 1, REFRAIN_OWN},
    {0}};

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static unsigned pixels(const char *text, struct argp_state *state) {
    char *end;
    unsigned long width = strtoul(text, &end, 10);
    if (*end || width < LEAST_WIDTH || width > MOST_WIDTH)
        argp_error(state, "%s: a width of %d to %d pixels is expected", text, LEAST_WIDTH, MOST_WIDTH);
    return (unsigned)width;
}

/* Checks that the options fit together. Without --svg or --png, the name of the output decides its format. */
static void settle(struct arguments *arguments, struct argp_state *state) {
    if (!arguments->path)
        argp_error(state, "no output given: -o FILE.html, FILE.svg or FILE.png");
    if (arguments->svg && arguments->png)
        argp_error(state, "--svg and --png exclude each other");
    if (!arguments->svg && !arguments->png) {
        arguments->svg = ends_with(arguments->path, ".svg");
        arguments->png = ends_with(arguments->path, ".png");
    }
    if (arguments->traces[1] && (arguments->svg || arguments->png))
        argp_error(state, "a figure shows one trace, and two are given");
    if (!arguments->svg && !arguments->png &&
        (arguments->from.given || arguments->to.given || arguments->figure.ranks || arguments->wide))
        argp_error(state, "--from, --to, --ranks and --width need a figure: --svg or --png");
}

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case OPTION_RANKS:
        if (!refrain_figure_ranks(value))
            argp_error(state, "%s is not a list of ranks, such as 0-3,8", value);
        arguments->figure.ranks = value;
        return 0;
    case OPTION_WIDTH:
        arguments->wide = true;
        arguments->figure.width = pixels(value, state);
        return 0;
    case ARGP_KEY_SUCCESS:
        settle(arguments, state);
        return 0;
    case ARGP_KEY_ARG:
        if (arguments->traces[1])
            argp_error(state, "at most two traces are shown, and %s is a third one", value);
        arguments->traces[arguments->traces[0] != NULL] = value;
        return 0;
    case ARGP_KEY_END:
        if (!arguments->traces[0])
            argp_error(state, "no trace given");
        return 0;
    default:
        return ARGP_ERR_UNKNOWN;
    }
}

static const char doc[] =
    "Writes the run as a page to look at, or two runs, one above the other.\v"
    "The page is one file, to be opened from disk by a browser; it needs no network and no server. It holds the trace "
    "itself and regenerates what is on the screen: a bar for each rank and thread, message lines, collectives, where "
    "each rank waits for others, the profile of any window, the program tree with its formulas, who sent what to "
    "whom. The key ? lists the keys.\n\n"
    "With a second trace the page shows both, the other one below: they move together, by the steps of the program "
    "rather "
    "than by the clock, and a list says what became slower in the other one by more than it varies by itself, and goes "
    "to where that is worst.\n\n"
    "With --svg or --png it is a figure of a window instead, for papers. A PNG has twice as many pixels as --width "
    "says; "
    "rsvg-convert -f pdf makes PDF of an SVG.";

static const struct argp argp = {.parser = parse_option, .args_doc = "TRACE [OTHER]", .doc = doc};

static enum refrain_status write_png(struct refrain_trace *trace, const struct arguments *arguments, FILE *file,
                                     const char *path, struct refrain_error *error) {
    char *svg = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&svg, &bytes);
    if (!memory)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_figure_write(trace, &arguments->figure, memory, error);
    if (fclose(memory) != 0 && !status)
        status = REFRAIN_FAIL_MEMORY(error);
    if (!status)
        status = refrain_png_write(svg, bytes, file, path, error);
    free(svg);
    return status;
}

static enum refrain_status set_window(const struct refrain_trace *trace, struct arguments *arguments,
                                      struct refrain_error *error) {
    int64_t from_ns, to_ns;
    enum refrain_status status =
        refrain_time_option_window(&arguments->from, &arguments->to, trace, &from_ns, &to_ns, error);
    if (!status && arguments->from.given)
        arguments->figure.from_s = (double)from_ns / 1e9;
    if (!status && arguments->to.given)
        arguments->figure.to_s = (double)to_ns / 1e9;
    return status;
}

static enum refrain_status write_one(struct refrain_trace *const traces[2], const struct arguments *arguments,
                                     FILE *file, const char *path, struct refrain_error *error) {
    if (arguments->png)
        return write_png(traces[0], arguments, file, path, error);
    if (arguments->svg)
        return refrain_figure_write(traces[0], &arguments->figure, file, error);
    return traces[1] ? refrain_view_write_two(traces, file, path, error)
                     : refrain_view_write(traces[0], file, path, error);
}

static enum refrain_status write_file(struct refrain_trace *const traces[2], const struct arguments *arguments,
                                      struct refrain_error *error) {
    struct refrain_whole_file whole;
    const char *path = strcmp(arguments->path, "-") == 0 ? "standard output" : arguments->path;
    enum refrain_status status = refrain_whole_file_open(&whole, arguments->path, arguments->force, error);
    if (status)
        return status;
    status = write_one(traces, arguments, whole.file, path, error);
    return refrain_whole_file_close(&whole, status, error);
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {.figure = {.to_s = -1, .width = 900}};
    refrain_command_parse(&refrain_command_view, argc, argv, &arguments);
    if (!arguments.svg && !arguments.png && !refrain_view_built())
        return REFRAIN_FAIL(error, "this refrain was built without the page of refrain view, which takes npm, node and "
                                   "clang with a C library for WebAssembly (apt-get install nodejs npm clang lld "
                                   "wasi-libc libclang-rt-14-dev-wasm32): install them and build refrain again");
    struct refrain_trace *traces[2] = {NULL, NULL};
    enum refrain_status status = REFRAIN_OK;
    for (int i = 0; !status && i < 2 && arguments.traces[i]; i++) {
        status = refrain_trace_open(arguments.traces[i], true, &traces[i], error);
        if (status)
            break;
        refrain_warn_missing(traces[i]);
        /* A trace without formulas needs recorded events. */
        if (refrain_replayable(traces[i], false, NULL) != REFRAIN_OK)
            status = refrain_replayable(traces[i], true, error);
    }
    if (!status)
        status = set_window(traces[0], &arguments, error);
    if (!status)
        status = write_file(traces, &arguments, error);
    for (int i = 0; i < 2; i++)
        if (traces[i])
            refrain_trace_close(traces[i]);
    return status;
}

const struct refrain_command refrain_command_view = {
    .name = "view",
    .summary = "the run as a picture: a page for any browser",
    .argp = &argp,
    .options = options,
    .run = run,
    .examples = "  refrain view app-*.refrain -o app.html                  # a page\n"
                "  refrain view before.refrain after.refrain -o both.html  # two runs\n"
                "  refrain view app-*.refrain --from 1.2 --to 1.3 -o app.svg  # a figure\n"
                "  refrain view app-*.refrain --from 1.2 --to 1.3 --ranks 0-7 -o app.png\n",
};
