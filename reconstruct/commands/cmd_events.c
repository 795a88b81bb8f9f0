/* cmd_events.c: refrain events: the events that were recorded as they happened. */
#include "command.h"
#include "output.h"

enum refrain_status refrain_cmd_events(int argc, char **argv, struct refrain_error *error) {
    static const char doc[] =
        "Prints the events that a run with REFRAIN_MODE=events or both recorded, in time order.\v"
        "The lines are those of refrain reconstruct --format text, to standard output unless -o names a file. "
        "--format otf2 writes an archive as refrain reconstruct does.";
    struct argp argp = refrain_output_argp;
    struct refrain_output output = {.default_format = "text", .recorded = true};
    argp.doc = doc;
    argp_err_exit_status = REFRAIN_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &output);
    return refrain_output_write(&output, error);
}
