/* progress.h: how far a replay is, for a person who waits for it (events -> a writer, and a line on the terminal). */
#ifndef REFRAIN_PROGRESS_H
#define REFRAIN_PROGRESS_H

#include "match/event.h"
#include "model/trace_read.h"

/* A writer around a writer. The caller keeps it until the replay has ended. */
struct refrain_progress {
    struct refrain_writer writer;
    uint64_t events, approximate; /* how many there were, and how many of them are so marked, but for receives that may
                                     have had another message, which the cursor counts */
    struct refrain_writer *inner; /* private from here on */
    int64_t started_ns, end_ns;
    bool shown, to_terminal;
};

/* `shows`: say it on standard error when that is a terminal, --quiet was not given and two seconds have passed. Events
 * go to `inner`, whose begin and end are called. */
void refrain_progress_open(struct refrain_progress *progress, struct refrain_writer *inner, bool shows);

/* The same that shows it, for struct refrain_activity_request: `progress` is a struct refrain_progress. Returns its
 * writer. */
struct refrain_writer *refrain_progress_around(void *progress, struct refrain_writer *inner);

/* Says which ends of messages and calls of collectives had no counterpart, which is as it should be in few programs,
 * and how many receives may have had another message. Where there are none it says nothing. */
void refrain_warn_unmatched(const struct refrain_trace *trace, const struct refrain_cursor_report *report);

#endif
