/* time_option.h: times of a run on the command line (--from 1.5s, --to 25% -> nanoseconds). */
#ifndef REFRAIN_TIME_OPTION_H
#define REFRAIN_TIME_OPTION_H

#include "trace_read.h"
#include <stdbool.h>

struct refrain_time_option {
    bool given, percent; /* percent: of the run's length */
    double value;        /* ns, or percent */
};

/* Reads "1.5", "1.5s", "200ms", "30us", "10ns" or "25%"; false when it is none of these. */
bool refrain_time_option(const char *text, struct refrain_time_option *option);

/* Nanoseconds since the start of the run; `otherwise` when it was not given. */
int64_t refrain_time_option_ns(const struct refrain_time_option *option, const struct refrain_trace *trace,
                               int64_t otherwise);

#endif
