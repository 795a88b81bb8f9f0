/* align.h: the locations' events made one consistent run (streams, one per location -> writer).
 *
 *     stream 0 --> [group] --.                          .-> messages in flight, by (comm, source, dest, tag)
 *     stream 1 --> [group] ---+--> earliest first -----<--> collectives under way, by (comm, ordinal)
 *     stream n --> [group] --'                          '-> writer
 *
 * Reconstructed times are made of mean durations, so that a receive can come out before its send. What is consistent: a
 * message arrives after it was sent; nobody leaves a barrier, an allreduce ... before all have entered, a broadcast
 * before its root, a root a reduction before the others. A location that comes too early waits inside its MPI call, and
 * everything after moves with it; later MPI calls are shortened as far as they can be until the location is back at its
 * own times, so that totals hold. Held in memory: one group of events per location, messages in flight, collectives
 * under way.
 *
 * What matches nothing (a rank that was killed, approximate values) is let through and counted.
 */
#ifndef REFRAIN_ALIGN_H
#define REFRAIN_ALIGN_H

#include "event.h"
#include <stddef.h>

/* A location's events in their order. */
struct refrain_stream {
    /* The next one; false at the end. */
    bool (*next)(struct refrain_stream *stream, struct refrain_event *event);
};

struct refrain_align_report {
    uint64_t events;
    uint64_t matched_messages;
    uint64_t unmatched_sends, unmatched_receives; /* messages with one end only */
    uint64_t unmatched_collectives;               /* collective calls that some member did not enter */
    uint64_t moved;                               /* groups that had to wait for another location */
    int64_t largest_move_ns;
};

/* Merges the streams in time order into writer->event. `adjust`: times are reconstructed and may be moved; otherwise
 * they stand as they are. Returns 0, -1 without memory, or the writer's status. `report` may be null. */
int refrain_align(struct refrain_stream *const *streams, size_t n, bool adjust, struct refrain_writer *writer,
                  struct refrain_align_report *report);

#endif
