/* output.h: events of a trace into a file of the user's choice (reconstruct, events -> replay.h, writers). */
#ifndef REFRAIN_OUTPUT_H
#define REFRAIN_OUTPUT_H

#include "commands/time_option.h"
#include "formats/format.h"
#include "match/replay.h"
#include <argp.h>

struct refrain_output {
    const char *trace; /* path */
    const char *path;  /* file or directory; null or "-" standard output */
    const struct refrain_format *format;
    const char *default_format; /* when neither --format nor the suffix of `path` names one */
    bool force;                 /* overwrite */
    bool all;                   /* text: further kinds of events */
    bool paragraph;             /* picl: as ParaGraph needs it */
    bool picl_verbose;          /* picl: all fields, and their formats written out */
    bool has_picl_levels;       /* picl: which records there are; all, unless told */
    struct refrain_picl_levels picl_levels;
    bool waiting;                        /* formats with room for it: what each call waited for (waiting.h) */
    bool recorded;                       /* what was recorded instead of what was learned */
    bool compensate;                     /* times without what probes took */
    struct refrain_time_option from, to; /* a window, as the user says it ... */
    int64_t from_ns, to_ns;              /* ... and in the trace (refrain_output_window); 0: from the beginning ... */
    bool has_to;                         /* ... and without it to the end */
    int32_t *ranks;                      /* null: all; freed by refrain_output_write */
    size_t n_ranks;
    unsigned threads; /* 0: as many as help */
};

/* The parts of an argp parser with the options -o, --format, --force, --all, --waiting, --compensate, --from, --to,
 * --ranks, --threads and the argument TRACE; its input is a struct refrain_output. The help filter lists the formats;
 * the choices are those of
 * --format (command.h).
 */
extern const struct argp_option refrain_output_options[];
error_t refrain_output_parse(int key, char *value, struct argp_state *state);
char *refrain_output_help(int key, const char *text, void *input);
const char *refrain_output_choices(int key);

enum refrain_status refrain_output_write(struct refrain_output *output, struct refrain_error *error);

/* Sets the window in the trace, which is open. One that lies behind the run's end, or ends before it begins, is an
 * error of usage. */
enum refrain_status refrain_output_window(struct refrain_output *output, const struct refrain_trace *trace,
                                          struct refrain_error *error);

/* Writes a trace that is open, and whose window is set; it may be written several times. The caller frees
 * output->ranks. */
enum refrain_status refrain_output_write_trace(struct refrain_trace *trace, const struct refrain_output *output,
                                               struct refrain_error *error);

#endif
