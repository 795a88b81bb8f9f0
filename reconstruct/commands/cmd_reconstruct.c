/* cmd_reconstruct.c: refrain reconstruct: events regenerated from what was learned. */
#include "command.h"
#include "output.h"

enum refrain_status refrain_cmd_reconstruct(int argc, char **argv, struct refrain_error *error) {
    static const char doc[] =
        "Regenerates the events of a run from its formulas and durations, in time order.\v"
        "otf2 (the default) makes OUT/traces.otf2.\n"
        "text is one event a line, tab-separated: rank, seconds since the start, event (enter, leave, send, recv, "
        "collective), name, then key=value pairs. Ranks are those of MPI_COMM_WORLD.\n\n"
        "A run that was killed is regenerated up to its last probe. Events whose values are not known exactly end in "
        "\"approximate\".";
    struct argp argp = refrain_output_argp;
    struct refrain_output output = {.default_format = "otf2"};
    argp.doc = doc;
    argp_err_exit_status = REFRAIN_USAGE;
    argp_parse(&argp, argc, argv, 0, NULL, &output);
    return refrain_output_write(&output, error);
}
