/* messages.h: the two ends of a message brought together (writers of formats that draw an arrow or write one record for
 * both ends).
 *
 * Messages of one (communicator, source, destination, tag) keep their order, in which they were sent and in which they
 * arrived. Held in memory: ends whose other end has not come. An end whose other end cannot come, since that rank has
 * no file or is not known, is not held. */
#ifndef REFRAIN_MESSAGES_H
#define REFRAIN_MESSAGES_H

#include "event.h"
#include <stddef.h>

/* What a writer wants to know about an end when the other one comes. */
struct refrain_message {
    uint64_t number;  /* of the message, from 1 in the order in which the first end came */
    size_t location;  /* of the end */
    int64_t enter_ns; /* when its call was entered */
    int64_t time_ns;  /* of its event */
    int64_t bytes;
    uint64_t at; /* the writer's own */
};

/* How long a location has waited for senders: from the entry to a call, or the message before in it, until the message
 * that the call receives was sent, if that was later. All zero at first. */
struct refrain_waiting {
    int64_t from_ns; /* set at each entry */
    int64_t total_ns;
};

/* A message comes that was sent at `sent_ns`. True: it was waited for. */
static inline bool refrain_waiting_message(struct refrain_waiting *waiting, int64_t sent_ns) {
    if (sent_ns <= waiting->from_ns)
        return false;
    waiting->total_ns += sent_ns - waiting->from_ns;
    waiting->from_ns = sent_ns;
    return true;
}

struct refrain_messages;

/* `ordered`: sends come before their receives, as in what is reconstructed. Null without memory. */
struct refrain_messages *refrain_messages_make(const struct refrain_trace *trace, bool ordered);
void refrain_messages_free(struct refrain_messages *messages);

/* A SEND or RECV event comes. *number: that of its message. True: its other end had come before, and is in *other. */
bool refrain_messages_meet(struct refrain_messages *messages, const struct refrain_event *event,
                           const struct refrain_message *own, struct refrain_message *other, uint64_t *number);

/* Whether memory ran out, so that some ends have no other one. */
bool refrain_messages_no_memory(const struct refrain_messages *messages);

#endif
