/* posting_order.h: in which order a location posted its receives (stream -> the same events; receives with the number
 * of receives that they overtook).
 *
 *     MPI_Irecv a     MPI_Irecv b     MPI_Wait b     MPI_Wait a         one source, tag and communicator
 *                                     overtook 1     overtook 0         so b has the second message, a the first
 *
 * MPI gives the messages of a channel (communicator, source, destination, tag) to receives in the order of posting,
 * with or without wildcards. A trace, however, has a message where its receive completes. So a receive that completes
 * leaves one message to each receive of its channel that was posted before and completes later. The channel of such a
 * receive is known when it completes. So events are read ahead until the channels of all receives of the same
 * communicator that were posted before are known, but not more than REFRAIN_READ_AHEAD events. A receive that completes
 * later than that counts as one of another channel. If it turns out to be of the same channel, it is marked as unsure.
 *
 * A receive that is freed while it is pending (MPI_Request_free) takes a message, too. An UNTOLD_RECEIVES event with
 * its request says which. If the message is unknown, the receives that overtake it are unsure. */
#ifndef REFRAIN_POSTING_ORDER_H
#define REFRAIN_POSTING_ORDER_H

#include "common/store.h"
#include "match/stream.h"

#define REFRAIN_READ_AHEAD 512u
#define REFRAIN_MOST_PASSED 4096u

/* A location's pending receives, and the events that were read ahead. Zero at first. */
struct refrain_posting_order {
    struct refrain_posted *posted; /* [first, n), in the order of posting; the first one is pending */
    size_t first, n, capacity;
    struct refrain_ahead *ahead; /* a ring buffer */
    size_t next_ahead, n_ahead, capacity_ahead;
    size_t n_late;               /* pending receives whose completion was not found ahead */
    struct refrain_store passed; /* channels of receives that may have overtaken those; at most REFRAIN_MOST_PASSED */
    int64_t latest;              /* request of the receive that was posted last */
    bool ended;                  /* the stream has ended */
    bool behind;                 /* the stream has ended, or events were read ahead */
    bool no_memory;
    struct refrain_event given; /* the event delivered last, if it was read ahead or events behind it were */
};

/* As refrain_stream_next(), and sets `overtook` of receives. Null at the end, or without memory (sets no_memory); not
 * to be called again after that. */
static inline struct refrain_event *refrain_posting_order_next(struct refrain_posting_order *order,
                                                               struct refrain_stream *stream);

void refrain_posting_order_close(struct refrain_posting_order *order);

/* ---- used by the function above ---- */

/* Slow path, after events were read ahead. */
struct refrain_event *refrain_posting_order_next_ahead(struct refrain_posting_order *order,
                                                       struct refrain_stream *stream);

/* Slow path for an event of refrain_event_is_of_receives(), while none was read ahead. Null without memory. */
struct refrain_event *refrain_posting_order_handle(struct refrain_posting_order *order, struct refrain_stream *stream,
                                                   struct refrain_event *event);

/* True if the event posts, completes or cancels a receive. All other events are returned as they were read. */
static inline bool refrain_event_is_of_receives(const struct refrain_event *event) {
    const unsigned receives = 1u << REFRAIN_EVENT_RECV_POST | 1u << REFRAIN_EVENT_RECV | 1u << REFRAIN_EVENT_CANCEL |
                              1u << REFRAIN_EVENT_UNTOLD_RECEIVES;
    return receives >> event->kind & 1;
}

static inline struct refrain_event *refrain_posting_order_next(struct refrain_posting_order *order,
                                                               struct refrain_stream *stream) {
    if (order->behind)
        return refrain_posting_order_next_ahead(order, stream);
    struct refrain_event *event = refrain_stream_next(stream);
    return event && refrain_event_is_of_receives(event) ? refrain_posting_order_handle(order, stream, event) : event;
}

#endif
