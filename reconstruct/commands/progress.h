/* progress.h: shows the progress of a replay to a person who waits for it (events -> a writer, and a line on the
 * terminal). */
#ifndef REFRAIN_PROGRESS_H
#define REFRAIN_PROGRESS_H

#include "match/event.h"
#include "model/trace_read.h"

/* A writer that counts events and passes them to another writer. The caller keeps it until the replay has ended. */
struct refrain_progress {
    struct refrain_writer writer;
    uint64_t events;
    uint64_t approximate; /* number of events marked as approximate; receives that may have had another message are
                             not included, since the cursor counts them (unsure_receives) */
    struct refrain_writer *inner; /* private from here on */
    int64_t started_ns, end_ns;
    bool shown, to_terminal;
};

/* Opens a writer around `inner`, which gets all events, its begin and its end. If `shows` is set, it prints the
 * progress on standard error, provided that this is a terminal, --quiet was not given and two seconds have passed. */
void refrain_progress_open(struct refrain_progress *progress, struct refrain_writer *inner, bool shows);

/* The same with `shows` set, in the form that struct refrain_activity_request takes. `progress` points to a struct
 * refrain_progress. Returns its writer. */
struct refrain_writer *refrain_progress_around(void *progress, struct refrain_writer *inner);

/* Warns how many messages and calls of collectives had no counterpart (few correct programs have any), and how many
 * receives may have had another message. Prints nothing if there are none. */
void refrain_warn_unmatched(const struct refrain_trace *trace, const struct refrain_cursor_report *report);

#endif
