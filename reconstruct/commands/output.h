/* output.h: events of a trace into a file of the user's choice (reconstruct, events -> replay.h, writers). */
#ifndef REFRAIN_OUTPUT_H
#define REFRAIN_OUTPUT_H

#include "commands/command.h"
#include "commands/time_option.h"
#include "formats/format.h"
#include "match/replay.h"
#include <argp.h>

struct refrain_output {
    const char *trace; /* path */
    const char *path;  /* file or directory; null or "-" standard output */
    const struct refrain_format *format;
    const char *default_format; /* if neither --format nor the suffix of `path` names one */
    bool force;                 /* overwrite */
    bool all;                   /* text: more kinds of events */
    bool paragraph;             /* picl: for ParaGraph */
    bool picl_verbose;          /* picl: all fields, and their formats in full */
    bool has_picl_levels;       /* picl: the kinds of records; unless set: all */
    struct refrain_picl_levels picl_levels;
    bool waiting;    /* in formats that can say it: how long each call waited, and for what (waiting.h) */
    bool recorded;   /* the recorded events instead of the learned ones */
    bool compensate; /* times without what the probes took */
    struct refrain_time_option from, to; /* the window as the user gave it, ... */
    int64_t from_ns, to_ns; /* ... in the trace's times (refrain_output_window); 0: from the beginning ... */
    bool has_to;            /* ... unless set, to the end */
    int32_t *ranks;         /* null: all; freed by refrain_output_write */
    size_t n_ranks;
    unsigned threads; /* 0: as many as are useful */
};

/* The parts of a command: options -o, --format, --force, --all, --waiting, --compensate, --from, --to, --ranks,
 * --threads, and the argument TRACE. Its input is a struct refrain_output. The help filter lists the formats; the words
 * that --format takes are the choices (command.h). */
extern const struct refrain_option refrain_output_options[];
error_t refrain_output_parse(int key, char *value, struct argp_state *state);
char *refrain_output_help(int key, const char *text, void *input);
const char *refrain_output_choices(int key);

enum refrain_status refrain_output_write(struct refrain_output *output, struct refrain_error *error);

/* Computes the window in times of the open trace. A window that begins after the run's end, or that ends before it
 * begins, is an error of usage. */
enum refrain_status refrain_output_window(struct refrain_output *output, const struct refrain_trace *trace,
                                          struct refrain_error *error);

/* Writes an open trace whose window is set. It may be called several times. The caller frees output->ranks. */
enum refrain_status refrain_output_write_trace(struct refrain_trace *trace, const struct refrain_output *output,
                                               struct refrain_error *error);

#endif
