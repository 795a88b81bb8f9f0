/* picl_requests.h: the pending requests of one process, as far as PICL's event types need them (write_picl.c).
 *
 *     a send or receive begins -> pending -> it completes or is cancelled
 *     the message of a pending send arrives -> time of arrival
 *
 * Held in memory: the pending requests. */
#ifndef REFRAIN_PICL_REQUESTS_H
#define REFRAIN_PICL_REQUESTS_H

#include "match/event.h"
#include <stddef.h>

struct refrain_picl_requests {
    struct refrain_picl_request *all; /* in the order in which they began; owned */
    size_t n, capacity;
    size_t n_sends; /* pending sends; the others are receives */
    bool no_memory;
};

void refrain_picl_requests_free(struct refrain_picl_requests *requests);

/* Processes a SEND or RECV_POST with a request. */
void refrain_picl_requests_begin(struct refrain_picl_requests *requests, const struct refrain_event *event);

/* The message with this match has arrived. No effect if no pending request sent it. */
void refrain_picl_requests_arrive(struct refrain_picl_requests *requests, uint64_t match, int64_t time_ns);

/* Removes the request. Returns the time when its message arrived; -1: not yet; INT64_MAX: unknown. */
int64_t refrain_picl_requests_end(struct refrain_picl_requests *requests, int64_t request);

#endif
