/* waited.h: accumulated waiting time of a location (writers of formats with counters or metrics).
 *
 * Each writer computes itself how long a location waited for senders. Waiting for any reason is known only with
 * --waiting: then events have their waits (waiting.h). */
#ifndef REFRAIN_WAITED_H
#define REFRAIN_WAITED_H

#include "analysis/waiting.h"
#include "match/event.h"

/* Waiting of a location. For senders: from the begin of a call, or the previous message in it, until the received
 * message was sent, if that was later. All zero at first. */
struct refrain_waited {
    int64_t from_ns;
    int64_t total_ns;
};

/* Processes an event of the location. True if it receives a message that was waited for; total_ns has then grown. */
static inline bool refrain_waited_for_sender(struct refrain_waited *waited, const struct refrain_event *event) {
    if (event->kind == REFRAIN_EVENT_ENTER)
        waited->from_ns = event->time_ns;
    if (event->kind != REFRAIN_EVENT_RECV || !event->match || event->match_time_ns <= waited->from_ns)
        return false;
    waited->total_ns += event->match_time_ns - waited->from_ns;
    waited->from_ns = event->match_time_ns;
    return true;
}

/* The location that waited and its call, as an event of that location at the time of the event that has the wait. */
static inline struct refrain_event refrain_waited_in(const struct refrain_event *event,
                                                     const struct refrain_wait *wait) {
    return (struct refrain_event){.approximate = wait->approximate,
                                  .rank = wait->rank,
                                  .thread = wait->thread,
                                  .time_ns = event->time_ns,
                                  .region = wait->region,
                                  .request = -1};
}

#endif
