/* channels.h: which receive gets which message (align_messages.c).
 *
 *     channel (comm, source, dest, tag)
 *         in flight      [message] [3 of a pause] [message]                   the earliest first
 *         not sent yet   gap 0 [receive waits]  gap 1 [2 passed over] ...     the next one first
 *
 * Messages of one channel are received in the order in which they were sent. So a receive gets the first message of its
 * channel that no other receive has. This message is in flight, or it is not sent yet: then the receive has a *claim*
 * to it. A receive that overtook others leaves that many messages to them. It takes a message from the middle of those
 * in flight, or its claim comes behind a *gap*: the number of messages between two claims that nobody has claimed yet.
 */
#ifndef REFRAIN_CHANNELS_H
#define REFRAIN_CHANNELS_H

#include "common/store.h"
#include "match/virtual_time.h"

struct refrain_channel {
    struct refrain_store_entry entry; /* a: source << 32 | dest; b: communicator and tag */
    struct refrain_store_list in_flight, claims;
    uint64_t gaps; /* number of unclaimed messages before the last claim */
};

/* A message in flight, or several messages that were sent in a pause. */
struct refrain_in_flight {
    struct refrain_store_entry entry;
    struct refrain_moment sent;
    uint64_t match;
    uint64_t untold; /* not 0: this many messages that were sent in a pause; nothing else is known of them */
    uint32_t thread;
};

enum refrain_claim_kind {
    REFRAIN_CLAIM_NONE,
    REFRAIN_CLAIM_WAITS,  /* a location waits for the message */
    REFRAIN_CLAIM_UNTOLD, /* the message is received in a pause */
    REFRAIN_CLAIM_PASSED, /* the receive continued without the message */
};

struct refrain_claim {
    struct refrain_store_entry entry;
    enum refrain_claim_kind kind;
    uint32_t location, event; /* WAITS: event `event` of the location's group */
    uint64_t gap;             /* number of unclaimed messages between the claim before it and this one */
    uint64_t n;               /* number of messages claimed; WAITS: 1 */
};

struct refrain_channels {
    struct refrain_store channels, in_flight, claims;
};

void refrain_channels_open(struct refrain_channels *channels);
void refrain_channels_close(struct refrain_channels *channels);

static inline struct refrain_channel *refrain_channel_at(const struct refrain_channels *channels, uint32_t channel) {
    return refrain_store_at(&channels->channels, channel);
}

/* Finds a channel, or adds it unless it exists: its number. 0 if it does not exist, or without memory. */
uint32_t refrain_channel_find(const struct refrain_channels *channels, uint64_t ranks, uint64_t what);
uint32_t refrain_channel_add(struct refrain_channels *channels, uint64_t ranks, uint64_t what);

/* Removes the channel if it has neither messages in flight nor claims. While there are few channels, it stays, empty,
 * for the next message. */
void refrain_channel_drop(struct refrain_channels *channels, uint32_t channel);

/* n messages are sent. Returns k > 0: the first k of them have the same claim, *claim, which is used up; or no claim
 * (REFRAIN_CLAIM_NONE), and the caller keeps them in flight. */
uint64_t refrain_channel_arrive(struct refrain_channels *channels, uint32_t channel, uint64_t n,
                                struct refrain_claim *claim);

/* Adds a message, or messages of a pause, to those in flight. False without memory. */
bool refrain_channel_append(struct refrain_channels *channels, uint32_t channel,
                            const struct refrain_in_flight *message);

/* Takes up to n messages in flight, behind the first `overtook`. Returns how many: one message with a match, or several
 * of one pause. 0: no such message is in flight, and *beyond of the `overtook` messages are not sent yet. */
uint64_t refrain_channel_take(struct refrain_channels *channels, uint32_t channel, uint64_t overtook, uint64_t n,
                              struct refrain_in_flight *message, uint64_t *beyond);

/* Claims claim->n messages that are not sent yet, behind the first `beyond` unclaimed ones. False without memory. */
bool refrain_channel_claim(struct refrain_channels *channels, uint32_t channel, uint64_t beyond,
                           const struct refrain_claim *claim);

/* The receive that waits for its message continues without it. False if it did not wait. */
bool refrain_channel_stop_waiting(struct refrain_channels *channels, uint32_t channel, uint32_t location,
                                  uint32_t event);

/* Removes the first claim, since no more messages will be sent. False if there is none. */
bool refrain_channel_give_up(struct refrain_channels *channels, uint32_t channel, struct refrain_claim *claim);

/* Drops all messages in flight, since nobody will receive them. Returns how many of them had a match. */
uint64_t refrain_channel_clear(struct refrain_channels *channels, uint32_t channel);

/* Number of messages in flight, without those of pauses. */
uint64_t refrain_channel_in_flight(const struct refrain_channels *channels, uint32_t channel);

#endif
