/* cmd_reconstruct.c: refrain reconstruct: events regenerated from what was learned. */
#include "commands/command.h"
#include "commands/output.h"

static const char doc[] =
    "Regenerates the events of a run from its formulas and durations, in time order.\v"
    "otf2 (the default) makes OUT/traces.otf2.\n"
    "text is one event a line, tab-separated: rank, seconds since the start, event (enter, leave, send, recv, "
    "collective), name, then key=value pairs. Ranks are those of MPI_COMM_WORLD.\n\n"
    "Times are exact to 16 ns as long as REFRAIN_TIME_MEMORY held each block. In longer runs an event lies within a "
    "span of exact length, and totals are right; refrain info says how long spans are. Times of different ranks are "
    "moved as little as it takes for every message to be received after it was sent. With REFRAIN_TIME_MEMORY=0 they "
    "are "
    "means.\n\n"
    "A run that was killed is regenerated up to its last probe. Events whose values are not known exactly end in "
    "\"approximate\".";

/* output.h has options and parser; only the help text is of this command. */
static const struct argp argp = {
    .parser = refrain_output_parse, .args_doc = "TRACE", .doc = doc, .help_filter = refrain_output_help};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct refrain_output output = {.default_format = "otf2"};
    refrain_command_parse(&refrain_command_reconstruct, argc, argv, &output);
    return refrain_output_write(&output, error);
}

const struct refrain_command refrain_command_reconstruct = {
    .name = "reconstruct",
    .summary = "the events of the run again, as OTF2 or text",
    .argp = &argp,
    .options = refrain_output_options,
    .run = run,
    .choices = refrain_output_choices,
    .examples = "  refrain reconstruct app-*.refrain -o out          # out/traces.otf2\n"
                "  refrain reconstruct app-*.refrain --format text -o - | grep recv\n"
                "  refrain reconstruct app-*.refrain --from 1.5 --to 1600ms --ranks 0-3 -o part",
};
