/* output.h: events of a trace into a file of the user's choice (reconstruct, events -> replay.h, writers). */
#ifndef REFRAIN_OUTPUT_H
#define REFRAIN_OUTPUT_H

#include "format.h"
#include "replay.h"
#include <argp.h>

struct refrain_output {
    const char *trace; /* path */
    const char *path;  /* file or directory; null or "-" standard output */
    const struct refrain_format *format;
    const char *default_format; /* when neither --format nor the suffix of `path` names one */
    bool force;                 /* overwrite */
    bool all;                   /* text: further kinds of events */
    bool recorded;              /* what was recorded instead of what was learned */
};

/* Options -o, --format, --force, --all and the argument TRACE; input is a struct refrain_output. */
extern const struct argp refrain_output_argp;

enum refrain_status refrain_output_write(const struct refrain_output *output, struct refrain_error *error);

#endif
