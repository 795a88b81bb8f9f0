/* channels.c: keeps the messages in flight, and the claims to messages that are not sent yet (channels.h). */
#include "match/channels.h"
#include <refrain/amounts.h>

#define MOST_IDLE 256u /* empty channels are kept while there are at most this many channels */

void refrain_channels_open(struct refrain_channels *channels) {
    *channels = (struct refrain_channels){.channels.entry_bytes = sizeof(struct refrain_channel),
                                          .in_flight.entry_bytes = sizeof(struct refrain_in_flight),
                                          .claims.entry_bytes = sizeof(struct refrain_claim)};
}

void refrain_channels_close(struct refrain_channels *channels) {
    refrain_store_close(&channels->channels);
    refrain_store_close(&channels->in_flight);
    refrain_store_close(&channels->claims);
}

static struct refrain_in_flight *in_flight_at(const struct refrain_channels *channels, uint32_t number) {
    return refrain_store_at(&channels->in_flight, number);
}

static struct refrain_claim *claim_at(const struct refrain_channels *channels, uint32_t number) {
    return refrain_store_at(&channels->claims, number);
}

uint32_t refrain_channel_find(const struct refrain_channels *channels, uint64_t ranks, uint64_t what) {
    return refrain_store_find(&channels->channels, ranks, what);
}

uint32_t refrain_channel_add(struct refrain_channels *channels, uint64_t ranks, uint64_t what) {
    uint32_t channel = refrain_store_find(&channels->channels, ranks, what);
    return channel ? channel : refrain_store_add(&channels->channels, ranks, what);
}

void refrain_channel_drop(struct refrain_channels *channels, uint32_t number) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    if (channel->in_flight.first || channel->claims.first)
        return;
    if (channels->channels.keys.n > MOST_IDLE)
        refrain_store_remove(&channels->channels, number);
    else
        *channel = (struct refrain_channel){.entry = channel->entry};
}

/* ---- claims ---- */

/* Removes the claim behind `before` (0: the first one). */
static void remove_claim(struct refrain_channels *channels, struct refrain_channel *channel, uint32_t before) {
    uint32_t number = before ? refrain_store_next(&channels->claims, before) : channel->claims.first;
    refrain_store_unlink(&channels->claims, &channel->claims, before);
    refrain_store_give(&channels->claims, number);
}

uint64_t refrain_channel_arrive(struct refrain_channels *channels, uint32_t number, uint64_t n,
                                struct refrain_claim *claim) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    struct refrain_claim *first = channel->claims.first ? claim_at(channels, channel->claims.first) : NULL;
    if (!first || first->gap > 0) {
        uint64_t k = first ? refrain_least(n, first->gap) : n;
        if (first) {
            first->gap -= k;
            channel->gaps -= k;
        }
        claim->kind = REFRAIN_CLAIM_NONE;
        return k;
    }
    uint64_t k = refrain_least(n, first->n);
    *claim = *first;
    first->n -= k;
    if (first->n == 0)
        remove_claim(channels, channel, 0);
    return k;
}

/* Appends a claim to n messages, `gap` messages behind the last claim. */
static bool append_claim(struct refrain_channels *channels, uint32_t number, uint64_t gap,
                         const struct refrain_claim *claim, uint64_t n) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    struct refrain_claim *last = channel->claims.last ? claim_at(channels, channel->claims.last) : NULL;
    if (last && gap == 0 && last->kind == claim->kind && claim->kind != REFRAIN_CLAIM_WAITS) {
        last->n = refrain_sum(last->n, n);
        return true;
    }
    uint32_t at = refrain_store_take(&channels->claims);
    if (!at)
        return false;
    *claim_at(channels, at) = *claim;
    claim_at(channels, at)->gap = gap;
    claim_at(channels, at)->n = n;
    channel->gaps = refrain_sum(channel->gaps, gap);
    refrain_store_insert(&channels->claims, &channel->claims, channel->claims.last, at);
    return true;
}

bool refrain_channel_claim(struct refrain_channels *channels, uint32_t number, uint64_t beyond,
                           const struct refrain_claim *claim) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    uint64_t n = claim->n;
    uint32_t before = 0, at = channel->claims.first;
    if (beyond >= channel->gaps)
        return append_claim(channels, number, beyond - channel->gaps, claim, n);
    while (n > 0 && at) {
        struct refrain_claim *next = claim_at(channels, at);
        if (beyond >= next->gap) {
            beyond -= next->gap;
            before = at;
            at = next->entry.next;
            continue;
        }
        uint32_t new = refrain_store_take(&channels->claims);
        if (!new)
            return false;
        next = claim_at(channels, at);
        struct refrain_claim *part = claim_at(channels, new);
        *part = *claim;
        part->gap = beyond;
        part->n = refrain_least(n, next->gap - beyond);
        next->gap -= beyond + part->n;
        channel->gaps -= part->n;
        n -= part->n;
        beyond = 0;
        refrain_store_insert(&channels->claims, &channel->claims, before, new);
        before = new;
    }
    return n == 0 || append_claim(channels, number, beyond, claim, n);
}

bool refrain_channel_stop_waiting(struct refrain_channels *channels, uint32_t number, uint32_t location,
                                  uint32_t event) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    uint32_t before = 0, at = channel->claims.first;
    for (; at; before = at, at = refrain_store_next(&channels->claims, at)) {
        const struct refrain_claim *claim = claim_at(channels, at);
        if (claim->kind == REFRAIN_CLAIM_WAITS && claim->location == location && claim->event == event)
            break;
    }
    if (!at)
        return false;
    struct refrain_claim *claim = claim_at(channels, at), *last = before ? claim_at(channels, before) : NULL;
    claim->kind = REFRAIN_CLAIM_PASSED;
    if (last && last->kind == REFRAIN_CLAIM_PASSED && claim->gap == 0) {
        last->n = refrain_sum(last->n, 1);
        remove_claim(channels, channel, before);
    }
    return true;
}

bool refrain_channel_give_up(struct refrain_channels *channels, uint32_t number, struct refrain_claim *claim) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    if (!channel->claims.first)
        return false;
    *claim = *claim_at(channels, channel->claims.first);
    channel->gaps -= refrain_least(channel->gaps, claim->gap);
    remove_claim(channels, channel, 0);
    return true;
}

/* ---- messages in flight ---- */

bool refrain_channel_append(struct refrain_channels *channels, uint32_t number,
                            const struct refrain_in_flight *message) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    uint32_t at = refrain_store_take(&channels->in_flight);
    if (!at)
        return false;
    *in_flight_at(channels, at) = *message;
    refrain_store_insert(&channels->in_flight, &channel->in_flight, channel->in_flight.last, at);
    return true;
}

uint64_t refrain_channel_take(struct refrain_channels *channels, uint32_t number, uint64_t overtook, uint64_t n,
                              struct refrain_in_flight *message, uint64_t *beyond) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    uint32_t before = 0, at = channel->in_flight.first;
    for (; at; before = at, at = refrain_store_next(&channels->in_flight, at)) {
        const struct refrain_in_flight *found = in_flight_at(channels, at);
        uint64_t many = found->untold ? found->untold : 1;
        if (overtook < many)
            break;
        overtook -= many;
    }
    *beyond = overtook;
    if (!at)
        return 0;
    struct refrain_in_flight *found = in_flight_at(channels, at);
    uint64_t k = found->untold ? refrain_least(n, found->untold - overtook) : 1;
    *message = *found;
    found->untold -= found->untold ? k : 0;
    if (found->untold == 0) {
        refrain_store_unlink(&channels->in_flight, &channel->in_flight, before);
        refrain_store_give(&channels->in_flight, at);
    }
    return k;
}

uint64_t refrain_channel_in_flight(const struct refrain_channels *channels, uint32_t number) {
    uint64_t n = 0;
    for (uint32_t at = refrain_channel_at(channels, number)->in_flight.first; at;
         at = refrain_store_next(&channels->in_flight, at))
        n += in_flight_at(channels, at)->untold == 0;
    return n;
}

uint64_t refrain_channel_clear(struct refrain_channels *channels, uint32_t number) {
    struct refrain_channel *channel = refrain_channel_at(channels, number);
    uint64_t n = refrain_channel_in_flight(channels, number);
    while (channel->in_flight.first) {
        uint32_t at = channel->in_flight.first;
        refrain_store_unlink(&channels->in_flight, &channel->in_flight, 0);
        refrain_store_give(&channels->in_flight, at);
    }
    return n;
}
