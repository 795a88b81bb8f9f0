/* cmd_events.c: refrain events: the events that were recorded as they happened. */
#include "commands/command.h"
#include "commands/output.h"

static const char doc[] =
    "Prints the events that a run with REFRAIN_MODE=events or both recorded, in time order.\v"
    "The lines are those of refrain reconstruct --format text, to standard output unless -o names a file. "
    "--format otf2 writes an archive as refrain reconstruct does.";

/* output.h has options and parser; only the help text is of this command. */
static const struct argp argp = {
    .parser = refrain_output_parse, .args_doc = "TRACE", .doc = doc, .help_filter = refrain_output_help};

static enum refrain_status run(int argc, char **argv, struct refrain_error *error) {
    struct refrain_output output = {.default_format = "text", .recorded = true};
    refrain_command_parse(&refrain_command_events, argc, argv, &output);
    return refrain_output_write(&output, error);
}

const struct refrain_command refrain_command_events = {
    .name = "events",
    .summary = "the events that were recorded (REFRAIN_MODE=events or both)",
    .argp = &argp,
    .options = refrain_output_options,
    .run = run,
    .choices = refrain_output_choices,
    .examples = "  refrain events app-*.refrain | head\n",
};
