/* stream.h: the events of one location in time order, read several at a time (location_stream.c -> posting_order.h,
 * align.c). */
#ifndef REFRAIN_STREAM_H
#define REFRAIN_STREAM_H

#include "match/event.h"

/* Events read at a time. 16 take 2 % fewer instructions to replay, but make each state that refrain view saves larger.
 */
#define REFRAIN_STREAM_EVENTS 8u

struct refrain_stream {
    /* Reads up to n further events (n > 0) and returns their number; 0 at the end. May instead set `from` to its own
     * memory, with any number of events, which stays valid until the next call. */
    size_t (*read)(struct refrain_stream *stream, struct refrain_event *events, size_t n);
    int32_t rank;
    uint32_t next, n; /* from[next, n) have been read, but not returned */
    struct refrain_event *from;
    struct refrain_event events[REFRAIN_STREAM_EVENTS];
};

/* The next event if it has been read already, else null. Does not consume it. */
static inline struct refrain_event *refrain_stream_read(struct refrain_stream *stream) {
    return stream->next < stream->n ? &stream->from[stream->next] : NULL;
}

/* Consumes and returns the next event; null at the end. Valid until the next call. The caller may change it. */
static inline struct refrain_event *refrain_stream_next(struct refrain_stream *stream) {
    if (stream->next == stream->n) {
        stream->next = 0;
        stream->from = stream->events;
        stream->n = (uint32_t)stream->read(stream, stream->events, REFRAIN_STREAM_EVENTS);
        if (stream->n == 0)
            return NULL;
    }
    return &stream->from[stream->next++];
}

#endif
