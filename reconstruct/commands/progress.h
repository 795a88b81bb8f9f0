/* progress.h: shows the progress of a replay to a person who waits for it (events -> a writer, and a line on the
 * terminal). */
#ifndef REFRAIN_PROGRESS_H
#define REFRAIN_PROGRESS_H

#include "match/event.h"
#include "model/trace_read.h"

/* A writer around another writer. The caller keeps it until the replay has ended. */
struct refrain_progress {
    struct refrain_writer writer;
    uint64_t events, approximate; /* number of events, and of those that are marked; not counted are receives that may
                                     have had another message, which the cursor counts */
    struct refrain_writer *inner; /* private from here on */
    int64_t started_ns, end_ns;
    bool shown, to_terminal;
};

/* `shows`: prints the progress on standard error if that is a terminal, --quiet was not given and two seconds have
 * passed. Passes events on to `inner`, and calls its begin and end. */
void refrain_progress_open(struct refrain_progress *progress, struct refrain_writer *inner, bool shows);

/* The same, always with progress, for struct refrain_activity_request: `progress` is a struct refrain_progress. Returns
 * its writer. */
struct refrain_writer *refrain_progress_around(void *progress, struct refrain_writer *inner);

/* Warns how many messages and calls of collectives had no counterpart, which is so in few correct programs, and how
 * many receives may have had another message. Prints nothing if there are none. */
void refrain_warn_unmatched(const struct refrain_trace *trace, const struct refrain_cursor_report *report);

#endif
