/* picl_requests.h: the requests of one process that are pending, as far as PICL's event types ask for them
 * (write_picl.c).
 *
 *     a send or receive begins -> pending -> it completes or is cancelled
 *     the message of a send that is pending arrives -> when that was
 *
 * Held in memory: those that are pending. */
#ifndef REFRAIN_PICL_REQUESTS_H
#define REFRAIN_PICL_REQUESTS_H

#include "match/event.h"
#include <stddef.h>

struct refrain_picl_requests {
    struct refrain_picl_request *all; /* in the order in which they began; owned */
    size_t n, capacity;
    size_t n_sends; /* of them; the others are receives */
    bool no_memory;
};

void refrain_picl_requests_free(struct refrain_picl_requests *requests);

/* A SEND or RECV_POST with a request comes. */
void refrain_picl_requests_begin(struct refrain_picl_requests *requests, const struct refrain_event *event);

/* The message of that match has arrived; nothing where no request that is pending sent it. */
void refrain_picl_requests_arrive(struct refrain_picl_requests *requests, uint64_t match, int64_t time_ns);

/* The request is pending no more. When its message arrived; -1: not by now; INT64_MAX: that is not known. */
int64_t refrain_picl_requests_end(struct refrain_picl_requests *requests, int64_t request);

#endif
