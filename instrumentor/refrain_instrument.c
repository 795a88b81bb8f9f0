/* refrain_instrument.c: refrain-instrument FILE.c -o OUT.c [options] [-- COMPILER FLAGS] */
#include "command.h"
#include "instrument.h"
#include "toolchain.h"
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char usage[] =
    "NAME\n"
    "    refrain-instrument - write a C file with refrain's probes in it\n\n"
    "SYNOPSIS\n"
    "    refrain-instrument FILE.c -o OUT.c [--detail=D] [--filter FILE] [--verbose] [-- CFLAGS...]\n\n"
    "DESCRIPTION\n"
    "    OUT.c holds FILE.c with probes inserted and the file's program tree in front, under FILE.c's name and line\n"
    "    numbers. Where nothing is worth a probe it is a copy. CFLAGS are the options FILE.c is compiled with (-I, -D, "
    "-std=,\n"
    "    -include, ...). refrain-cc and refrain-mpicc do all this as a part of compiling.\n\n"
    "OPTIONS\n"
    "    -o OUT.c                     where to write; - is standard output\n"
    "    --detail=D                   what gets a probe: communication: what can reach an MPI call (default); all: "
    "also\n"
    "                                 decisions and loops that reach none, but for those of a few instructions; "
    "every:\n"
    "                                 those, too\n"
    "    --filter FILE                functions and files to leave out, in Score-P's filter syntax\n"
    "    --verbose                    say what was left alone, and why\n"
    "    --version                    say which refrain this is\n\n"
    "EXIT STATUS\n"
    "    0 written, 1 FILE.c cannot be instrumented or OUT.c not written, 2 wrong usage\n";

static const char program[] = "refrain-instrument";

struct arguments {
    const char *source, *out, *filter;
    bool all, every, verbose;
    int flags; /* index of the first compiler flag */
};

static int fail(const char *what, const char *why) {
    fprintf(stderr, "%s: error: %s: %s\n", program, what, why);
    return 1;
}

/* Returns -1 to continue, else an exit status. */
static int read_arguments(struct arguments *arguments, int argc, char **argv) {
    arguments->flags = argc;
    for (int i = 1; i < argc; i++) {
        const char *text = argv[i];
        if (strcmp(text, "--") == 0) {
            arguments->flags = i + 1;
            break;
        } else if (strcmp(text, "--help") == 0) {
            fputs(usage, stdout);
            return 0;
        } else if (strcmp(text, "--version") == 0) {
            printf("%s %s\n", program, REFRAIN_VERSION);
            return 0;
        } else if (strcmp(text, "-o") == 0 && i + 1 < argc) {
            arguments->out = argv[++i];
        } else if (strcmp(text, "--filter") == 0 && i + 1 < argc) {
            arguments->filter = argv[++i];
        } else if (strncmp(text, "--filter=", 9) == 0) {
            arguments->filter = text + 9;
        } else if (strcmp(text, "--detail=every") == 0 || strcmp(text, "--detail=all") == 0 ||
                   strcmp(text, "--detail=communication") == 0) {
            arguments->every = strcmp(text, "--detail=every") == 0;
            arguments->all = arguments->every || strcmp(text, "--detail=all") == 0;
        } else if (strcmp(text, "--verbose") == 0) {
            arguments->verbose = true;
        } else if (text[0] == '-' || arguments->source) {
            fprintf(stderr, "%s: error: '%s' is not understood; see %s --help\n", program, text, program);
            return 2;
        } else {
            arguments->source = text;
        }
    }
    if (!arguments->source || !arguments->out) {
        fputs(usage, stderr);
        return 2;
    }
    return -1;
}

int main(int argc, char **argv) {
    struct arguments arguments = {0};
    struct refrain_filter filter = {0};
    struct refrain_text out = {0}, reason = {0};
    struct refrain_list flags = {0};
    int status = read_arguments(&arguments, argc, argv);
    if (status >= 0)
        return status;
    if (arguments.filter && !refrain_filter_read(&filter, arguments.filter, &reason))
        return fail("filter", reason.bytes);
    refrain_list_add(&flags, "-xc");
    if (!refrain_toolchain_headers(&flags, &reason))
        return fail(arguments.source, reason.bytes);
    refrain_command_flags_of(argv + arguments.flags, (size_t)(argc - arguments.flags), &flags);
    if (!refrain_text_read(&out, arguments.source))
        return fail(arguments.source, strerror(errno));
    struct refrain_text edited = {0};
    struct refrain_instrument_options options = {.program = program,
                                                 .source = arguments.source,
                                                 .flags = (const char *const *)flags.items,
                                                 .n_flags = flags.count,
                                                 .filter = &filter,
                                                 .all = arguments.all,
                                                 .every = arguments.every,
                                                 .strict = true,
                                                 .verbose = arguments.verbose};
    enum refrain_instrument_status result = refrain_instrument(&options, &edited, &reason);
    if (result == REFRAIN_INSTRUMENT_LEFT_ALONE)
        return fail(arguments.source, reason.bytes);
    const struct refrain_text *chosen = result == REFRAIN_INSTRUMENT_DONE ? &edited : &out;
    if (arguments.verbose && result == REFRAIN_INSTRUMENT_NOTHING)
        fprintf(stderr, "%s: %s: %s\n", program, arguments.source, reason.bytes);
    if (!refrain_text_write(chosen, strcmp(arguments.out, "-") == 0 ? "/dev/stdout" : arguments.out))
        return fail(arguments.out, strerror(errno));
    refrain_text_free(&edited);
    refrain_text_free(&out);
    refrain_text_free(&reason);
    refrain_list_free(&flags);
    refrain_filter_free(&filter);
    return 0;
}
