/* time_option.h: times of a run on the command line (--from 1.5s, --to 25% -> nanoseconds). */
#ifndef REFRAIN_TIME_OPTION_H
#define REFRAIN_TIME_OPTION_H

#include "model/trace_read.h"
#include <argp.h>
#include <stdbool.h>

struct refrain_time_option {
    bool given, percent; /* percent: `value` is in percent of the run's length */
    double value;        /* ns, or percent */
};

/* The forms of a TIME, for help, and of the options of a window. */
#define REFRAIN_TIME_FORMS "seconds since the start of the run, or 1.5s, 200ms, 30us, 10ns, or 25% of the run"
#define REFRAIN_TIME_FROM "Only what comes from TIME on: " REFRAIN_TIME_FORMS
#define REFRAIN_TIME_TO "Only what comes before TIME"

/* Parses "1.5", "1.5s", "200ms", "30us", "10ns" or "25%"; false if the text is none of these. */
bool refrain_time_option(const char *text, struct refrain_time_option *option);

/* The same for an option's value; any other text is an error of usage, which ends the program. */
void refrain_time_option_parse(const char *text, struct refrain_time_option *option, const struct argp_state *state);

/* The window in nanoseconds since the start of the run; INT64_MIN and INT64_MAX for an end that was not given. A window
 * that begins after the run's end, or that ends before it begins, is an error of usage. */
enum refrain_status refrain_time_option_window(const struct refrain_time_option *from,
                                               const struct refrain_time_option *to, const struct refrain_trace *trace,
                                               int64_t *from_ns, int64_t *to_ns, struct refrain_error *error);

#endif
