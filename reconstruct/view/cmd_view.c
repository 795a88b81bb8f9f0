/* cmd_view.c: refrain view: the run as a picture: one page that holds the trace and draws any part of it. */
#define _GNU_SOURCE
#include "command.h"
#include "replay.h"
#include "view_page.h"

#include <argp.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_FORCE = 256 };

struct arguments {
    const char *trace, *path;
    bool force;
};

static const struct argp_option options[] = {
    {"output", 'o', "FILE", 0, "Page to write, such as app.html; - is standard output", 0},
    {"force", OPTION_FORCE, NULL, 0, "Overwrite FILE", 0},
    {0}};

static error_t parse_option(int key, char *value, struct argp_state *state) {
    struct arguments *arguments = state->input;
    switch (key) {
    case 'o':
        arguments->path = value;
        return 0;
    case OPTION_FORCE:
        arguments->force = true;
        return 0;
    case ARGP_KEY_SUCCESS:
        if (!arguments->path)
            argp_error(state, "no output given: -o FILE.html");
        return 0;
    default:
        return refrain_take_argument(key, value, state, "trace", &arguments->trace);
    }
}

static const struct argp argp = {
    options,
    parse_option,
    "TRACE",
    "Writes the run as a page to look at.\v"
    "The page is one file, to be opened from disk by a browser; it needs no network and no server. It holds the trace "
    "itself and regenerates what is on the screen: a bar for each rank and thread, message lines, collectives, where "
    "each rank waits for others, the profile of any window, the program tree with its formulas, who sent what to "
    "whom. The key ? lists the keys.",
    NULL,
    NULL,
    NULL};

static enum refrain_status write_page(const struct refrain_trace *trace, const struct arguments *arguments,
                                      struct refrain_error *error) {
    if (strcmp(arguments->path, "-") == 0)
        return refrain_view_write(trace, stdout, "standard output", error);
    FILE *file = fopen(arguments->path, arguments->force ? "we" : "wxe");
    if (!file && errno == EEXIST)
        return REFRAIN_FAIL(error, "%s: exists; --force overwrites it", arguments->path);
    if (!file)
        return REFRAIN_FAIL(error, "%s: cannot be written: %s", arguments->path, strerror(errno));
    enum refrain_status status = refrain_view_write(trace, file, arguments->path, error);
    if (fclose(file) != 0 && !status)
        status = REFRAIN_FAIL(error, "%s: cannot be written: %s", arguments->path, strerror(errno));
    if (status)
        unlink(arguments->path);
    return status;
}

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct arguments arguments = {0};
    refrain_command_parse(&refrain_command_view, argc, argv, &arguments);
    if (!refrain_view_built())
        return REFRAIN_FAIL(error, "this refrain was built without the page of refrain view, which takes npm, node and "
                                   "clang with a C library for WebAssembly (apt-get install nodejs npm clang lld "
                                   "wasi-libc libclang-rt-14-dev-wasm32): install them and build refrain again");
    struct refrain_trace *trace;
    enum refrain_status status = refrain_trace_open(arguments.trace, true, &trace, error);
    if (status)
        return status;
    refrain_warn_missing(trace);
    status = refrain_replayable(trace, false, error);
    if (!status)
        status = write_page(trace, &arguments, error);
    refrain_trace_close(trace);
    return status;
}

const struct refrain_command refrain_command_view = {
    .name = "view",
    .summary = "the run as a picture: a page for any browser",
    .argp = &argp,
    .run = run,
    .examples = "refrain view app-*.refrain -o app.html  # then open app.html\n",
};
