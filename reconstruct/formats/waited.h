/* waited.h: how long a location has waited so far (writers of formats with counters or metrics).
 *
 * Each writer finds out by itself how long a location waited for senders. How long it waited for any reason it knows
 * with --waiting only: then events carry their waits (waiting.h). */
#ifndef REFRAIN_WAITED_H
#define REFRAIN_WAITED_H

#include "analysis/waiting.h"
#include "match/event.h"

/* Of a location; for senders: from the entry to a call, or the message before in it, until the message that the call
 * receives was sent, if that was later. All zero at first. */
struct refrain_waited {
    int64_t from_ns;
    int64_t total_ns;
};

/* An event of the location comes. True: it receives a message that was waited for, and total_ns has grown. */
static inline bool refrain_waited_for_sender(struct refrain_waited *waited, const struct refrain_event *event) {
    if (event->kind == REFRAIN_EVENT_ENTER)
        waited->from_ns = event->time_ns;
    if (event->kind != REFRAIN_EVENT_RECV || !event->match || event->match_time_ns <= waited->from_ns)
        return false;
    waited->total_ns += event->match_time_ns - waited->from_ns;
    waited->from_ns = event->match_time_ns;
    return true;
}

/* Who waited, in which call: as an event of that location, at the time of the event that carries the wait. */
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
