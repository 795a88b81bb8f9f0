/* late_sender.h: how long a location has waited for senders (writers of formats with counters or metrics). */
#ifndef REFRAIN_LATE_SENDER_H
#define REFRAIN_LATE_SENDER_H

#include "event.h"

/* Of a location: from the entry to a call, or the message before in it, until the message that the call receives was
 * sent, if that was later. All zero at first. */
struct refrain_late_sender {
    int64_t from_ns;
    int64_t total_ns;
};

/* An event of the location comes. True: it receives a message that was waited for, and total_ns has grown. */
static inline bool refrain_late_sender(struct refrain_late_sender *late, const struct refrain_event *event) {
    if (event->kind == REFRAIN_EVENT_ENTER)
        late->from_ns = event->time_ns;
    if (event->kind != REFRAIN_EVENT_RECV || !event->match || event->match_time_ns <= late->from_ns)
        return false;
    late->total_ns += event->match_time_ns - late->from_ns;
    late->from_ns = event->match_time_ns;
    return true;
}

#endif
