/* event_lines.h: any source of events as lines of text (traces, text files -> compare). */
#ifndef REFRAIN_EVENT_LINES_H
#define REFRAIN_EVENT_LINES_H

#include "common/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A line of refrain reconstruct --format text, divided into its parts. */
struct refrain_event_line {
    int32_t rank;
    uint32_t thread;
    int64_t time_ns;
    bool approximate;
    const char
        *fields; /* event, name and keys, without thread= and approximate; NUL-terminated, valid during the call */
};

typedef bool refrain_visit_line(void *data,
                                const struct refrain_event_line *line); /* Returns false to end with "no memory". */

/* Calls `visit` for each event of `source`: a text file or a trace. TRACE:events means the recorded events, TRACE:stat
 * the reconstructed ones, and TRACE alone the first of these that the trace has. */
enum refrain_status refrain_event_lines(const char *source, refrain_visit_line *visit, void *data,
                                        struct refrain_error *error);

#endif
