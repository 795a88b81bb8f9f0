/* channels.h: which receive gets which message (align_messages.c).
 *
 *     channel (comm, source, dest, tag)
 *         in flight   [message] [3 of a pause] [message]                    the earliest first
 *         to come      gap 0 [receive waits]  gap 1 [2 passed over] ...     the next one first
 *
 * Messages of one channel are received in the order in which they were sent. So a receive has the first message of its
 * channel that no other one has: one in flight, or one that is still to come, to which it then has a *claim*. A receive
 * that overtook others leaves that many messages to them: it takes one from the middle of those in flight, or its claim
 * comes behind a *gap* of so many messages that have no claim yet. */
#ifndef REFRAIN_CHANNELS_H
#define REFRAIN_CHANNELS_H

#include "common/store.h"
#include "match/virtual_time.h"

struct refrain_channel {
    struct refrain_store_entry entry; /* a: source << 32 | dest; b: communicator and tag */
    struct refrain_store_list in_flight, claims;
    uint64_t gaps; /* messages before the last claim that have none */
};

/* A message in flight, or several that were sent in a pause. */
struct refrain_in_flight {
    struct refrain_store_entry entry;
    struct refrain_moment sent;
    uint64_t match;
    uint64_t untold; /* not 0: so many of which nothing is known but that they were sent in a pause */
    uint32_t thread;
};

enum refrain_claim_kind {
    REFRAIN_CLAIM_NONE,
    REFRAIN_CLAIM_WAITS,  /* a location waits for the message */
    REFRAIN_CLAIM_UNTOLD, /* it is received in a pause */
    REFRAIN_CLAIM_PASSED, /* its receive went on without it */
};

struct refrain_claim {
    struct refrain_store_entry entry;
    enum refrain_claim_kind kind;
    uint32_t location, event; /* WAITS: event `event` of the location's group */
    uint64_t gap;             /* messages before it and behind the claim before it */
    uint64_t n;               /* messages that it is to; WAITS: 1 */
};

struct refrain_channels {
    struct refrain_store channels, in_flight, claims;
};

void refrain_channels_open(struct refrain_channels *channels);
void refrain_channels_close(struct refrain_channels *channels);

static inline struct refrain_channel *refrain_channel_at(const struct refrain_channels *channels, uint32_t channel) {
    return refrain_store_at(&channels->channels, channel);
}

/* The number of a channel; 0 where there is none and it is not to be added, or without memory. */
uint32_t refrain_channel_find(const struct refrain_channels *channels, uint64_t ranks, uint64_t what);
uint32_t refrain_channel_add(struct refrain_channels *channels, uint64_t ranks, uint64_t what);

/* Forgets the channel where nothing is in flight and nothing claimed; as long as there are few it is left, empty, for
 * the next message. */
void refrain_channel_drop(struct refrain_channels *channels, uint32_t channel);

/* Of n messages that come, the first k have one claim, or none: returns k > 0, and the claim. It is used up by that. */
uint64_t refrain_channel_come(struct refrain_channels *channels, uint32_t channel, uint64_t n,
                              struct refrain_claim *claim);

/* Those that have no claim are in flight now; false without memory. */
bool refrain_channel_keep(struct refrain_channels *channels, uint32_t channel, const struct refrain_in_flight *message);

/* Takes up to n messages in flight behind the first `overtook`: returns how many that are of one kind, one with a match
 * or several of a pause. 0: none is in flight there, and *beyond of the `overtook` are still to come. */
uint64_t refrain_channel_take(struct refrain_channels *channels, uint32_t channel, uint64_t overtook, uint64_t n,
                              struct refrain_in_flight *message, uint64_t *beyond);

/* Claims claim->n messages that are to come, behind the first `beyond` that have no claim; false without memory. */
bool refrain_channel_claim(struct refrain_channels *channels, uint32_t channel, uint64_t beyond,
                           const struct refrain_claim *claim);

/* Who waited for the message goes on without it. False: nobody did. */
bool refrain_channel_pass(struct refrain_channels *channels, uint32_t channel, uint32_t location, uint32_t event);

/* The first claim is given up, since nothing is to come; false when there is none. */
bool refrain_channel_give_up(struct refrain_channels *channels, uint32_t channel, struct refrain_claim *claim);

/* Nobody will receive what is in flight: how many messages that are with a match. */
uint64_t refrain_channel_clear(struct refrain_channels *channels, uint32_t channel);

/* Messages with a match in flight. */
uint64_t refrain_channel_in_flight(const struct refrain_channels *channels, uint32_t channel);

#endif
