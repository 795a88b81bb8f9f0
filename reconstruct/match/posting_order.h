/* posting_order.h: in which order a location posted its receives (stream -> the same events, receives with what they
 * overtook).
 *
 *     MPI_Irecv a     MPI_Irecv b     MPI_Wait b     MPI_Wait a         one source, tag and communicator
 *                                     overtook 1     overtook 0         so b has the second message, a the first
 *
 * MPI gives messages of one channel (communicator, source, destination, tag) to receives in the order in which these
 * were posted, wildcards or not, whereas a trace tells a message where its receive completes. So a receive that
 * completes leaves alone as many messages as there are receives of its channel that were posted before and complete
 * later. Which channel one of those is of is told when it completes: so where a receive overtakes any, events are read
 * ahead until that is known of all that are of its communicator, REFRAIN_READ_AHEAD at most. What completes later than
 * that counts as of another channel. Where it turns out to be of the same one, it is marked as unsure.
 *
 * A receive that is given up while it is under way (MPI_Request_free) takes its message as well, of which an event
 * tells that names its request. If it takes any message, and which is not known, those that overtake it are unsure. */
#ifndef REFRAIN_POSTING_ORDER_H
#define REFRAIN_POSTING_ORDER_H

#include "common/store.h"
#include "match/stream.h"

#define REFRAIN_READ_AHEAD 512u
#define REFRAIN_MOST_PASSED 4096u

/* A location's receives under way, and the events that were read ahead. Zero at first. */
struct refrain_posting_order {
    struct refrain_posted *posted; /* [first, n), in the order of posting; the first one is under way */
    size_t first, n, capacity;
    struct refrain_ahead *ahead; /* a ring */
    size_t next_ahead, n_ahead, capacity_ahead;
    size_t n_late;               /* receives under way whose end was not found ahead */
    struct refrain_store passed; /* channels of receives that may have overtaken such ones; at most MOST_PASSED */
    int64_t latest;              /* request that was posted last */
    bool ended;                  /* the stream has */
    bool behind;                 /* it has, or events were read ahead */
    bool no_memory;
    struct refrain_event given; /* the last one, if it was read ahead or others behind it were */
};

/* As refrain_stream_next(), with `overtook` set where the stream has not done so; null at the end, or without memory
 * (no_memory is set then). Not to be called again after that. */
static inline struct refrain_event *refrain_posting_order_next(struct refrain_posting_order *order,
                                                               struct refrain_stream *stream);

void refrain_posting_order_close(struct refrain_posting_order *order);

/* ---- of the above ---- */

/* The same where events have been read ahead. */
struct refrain_event *refrain_posting_order_go_on(struct refrain_posting_order *order, struct refrain_stream *stream);

/* The event that was read concerns receives; none was read ahead. Null without memory. */
struct refrain_event *refrain_posting_order_take(struct refrain_posting_order *order, struct refrain_stream *stream,
                                                 struct refrain_event *event);

/* Can the event change the order of receives, or has it a place in it? All others are given as they were read. */
static inline bool refrain_event_is_of_receives(const struct refrain_event *event) {
    const unsigned receives = 1u << REFRAIN_EVENT_RECV_POST | 1u << REFRAIN_EVENT_RECV | 1u << REFRAIN_EVENT_CANCEL |
                              1u << REFRAIN_EVENT_UNTOLD_RECEIVES;
    return receives >> event->kind & 1;
}

static inline struct refrain_event *refrain_posting_order_next(struct refrain_posting_order *order,
                                                               struct refrain_stream *stream) {
    if (order->behind)
        return refrain_posting_order_go_on(order, stream);
    struct refrain_event *event = refrain_stream_next(stream);
    return event && refrain_event_is_of_receives(event) ? refrain_posting_order_take(order, stream, event) : event;
}

#endif
