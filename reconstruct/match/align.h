/* align.h: the locations' events made one consistent run (streams, one per location -> events of all, earliest first).
 *
 *     stream 0 --> [group] --.                          .-> messages in flight, by (comm, source, dest, tag)
 *     stream 1 --> [group] ---+--> earliest first -----<--> collectives under way, by (comm, kind, ordinal)
 *     stream n --> [group] --'                          '-> event
 *
 * Reconstructed times are estimates where several blocks share a time, so that a receive can come out before its send.
 * They are consistent when a message arrives after it was sent, no rank leaves a barrier, an allreduce ... before all
 * have entered, no rank leaves a broadcast before its root has entered, and the root leaves no reduction before the
 * others have entered. A location that comes too early waits inside its MPI call, and everything after moves with it;
 * later MPI calls are shortened as far as they can be until the location is back at its own times, so that totals hold.
 * Held in memory: one group of events per location, messages in flight, collectives under way.
 *
 * Collectives are numbered by rank, communicator and kind, whatever thread makes them. No location waits for a rank
 * that has no stream or whose streams have ended: messages from it and to it stay unmatched. Values that are only
 * likely can make all locations wait for each other. Then the earliest one continues without its message. When that
 * message is sent, it gets no receive, so that the messages behind it keep their partners. Nor do messages and
 * collectives of a pause get partners. Receives get their messages in the order in which they were posted
 * (posting_order.h). */
#ifndef REFRAIN_ALIGN_H
#define REFRAIN_ALIGN_H

#include "match/posting_order.h"
#include "match/turns.h"
#include <refrain/read.h>

/* A merged run and its position. */
struct refrain_align;

enum refrain_align_times {
    REFRAIN_TIMES_AS_THEY_ARE,    /* recorded times: no event waits */
    REFRAIN_TIMES_CONSISTENT,     /* reconstructed times: moved as little as the rules above need */
    REFRAIN_TIMES_WITHOUT_PROBES, /* without the time in probes, and without the waiting caused by it (virtual_time.h)
                                   */
};

/* Reads the first events of each stream. The streams belong to the caller. Null without memory. With `turns` (not with
 * REFRAIN_TIMES_AS_THEY_ARE), the events of each location come in time order, but events of several locations in any
 * order. Null: all events come in time order. */
struct refrain_align *refrain_align_open(struct refrain_stream *const *streams, size_t n,
                                         enum refrain_align_times times, struct refrain_turns *turns);

/* The next event of all locations, with its match, and the index of its stream. Null at the end, without memory
 * (refrain_align_failed), or if turns->wrong gives a reason. Valid until the next call. */
const struct refrain_event *refrain_align_next(struct refrain_align *align, size_t *stream);

/* True if memory ran out. Then no further events are returned. */
bool refrain_align_failed(const struct refrain_align *align);

void refrain_align_report(const struct refrain_align *align, struct refrain_cursor_report *report);

void refrain_align_close(struct refrain_align *align);

#endif
