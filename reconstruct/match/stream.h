/* stream.h: a location's events in their order, some of them read at a time (location_stream.c -> posting_order.h,
 * align.c). */
#ifndef REFRAIN_STREAM_H
#define REFRAIN_STREAM_H

#include "match/event.h"

/* Read at a time. 16 take 2 % fewer instructions to replay, and make each state that refrain view keeps larger. */
#define REFRAIN_STREAM_EVENTS 8u

struct refrain_stream {
    /* Reads up to n further events, n > 0: returns how many; 0 at the end. Or sets `from` to where it has some, more
     * than n if it likes, which stay there until it is asked again. */
    size_t (*read)(struct refrain_stream *stream, struct refrain_event *events, size_t n);
    int32_t rank;
    uint32_t next, n; /* those of from[] that were read and not given */
    struct refrain_event *from;
    struct refrain_event events[REFRAIN_STREAM_EVENTS];
};

/* The next event if it has been read already, else null. It stays the next one. */
static inline struct refrain_event *refrain_stream_read(struct refrain_stream *stream) {
    return stream->next < stream->n ? &stream->from[stream->next] : NULL;
}

/* The next event, null at the end. Valid until the next call; the caller may change it. */
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
