/* align_messages.c: receives wait for their messages (align_parts.h). */
#include "match/align_parts.h"

static uint64_t ranks_key(int32_t source, int32_t dest) {
    return (uint64_t)(uint32_t)source << 32 | (uint32_t)dest;
}

static int32_t source_of(const struct refrain_channel *channel) {
    return (int32_t)(channel->entry.a >> 32);
}

static int32_t dest_of(const struct refrain_channel *channel) {
    return (int32_t)(uint32_t)channel->entry.a;
}

static uint64_t what_key_of(const struct refrain_event *event, int64_t tag) {
    return (uint64_t)(event->comm ? event->comm->index : UINT32_MAX) << 32 ^ (uint64_t)tag;
}

static uint64_t what_key(const struct refrain_event *event) {
    return what_key_of(event, event->tag);
}

/* The channel's number. 0 if it does not exist and `add` is false, or without memory. */
static uint32_t channel_of(struct refrain_align *align, uint64_t ranks, uint64_t what, bool add) {
    if (!add)
        return refrain_channel_find(&align->channels, ranks, what);
    uint32_t channel = refrain_channel_add(&align->channels, ranks, what);
    align->no_memory |= !channel;
    return channel;
}

static void set_match(struct refrain_align *align, struct refrain_event *receive,
                      const struct refrain_in_flight *message) {
    receive->match = message->match;
    receive->match_time_ns = message->sent.virtual_ns;
    receive->match_thread = message->thread;
    align->report.matched_messages++;
}

/* The earliest time at which a message can be received. */
static struct refrain_moment arrival_of(const struct refrain_align *align, const struct refrain_in_flight *message) {
    return (struct refrain_moment){message->sent.real_ns, message->sent.virtual_ns + !align->without_probes};
}

/* ---- sends ---- */

void refrain_align_send(struct refrain_align *align, uint32_t number, struct refrain_event *event) {
    if (event->peer < 0)
        return;
    event->match = ((uint64_t)number + 1) << 40 | ++align->locations[number].messages;
    struct refrain_in_flight message = {
        .sent = refrain_align_moment(align, number), .match = event->match, .thread = event->thread};
    bool gone = refrain_align_gone(align, event->peer);
    uint32_t at = channel_of(align, ranks_key(event->rank, event->peer), what_key(event), !gone);
    if (!at) {
        align->report.unmatched_sends += gone;
        return;
    }
    struct refrain_claim claim;
    refrain_channel_arrive(&align->channels, at, 1, &claim);
    if (claim.kind == REFRAIN_CLAIM_PASSED) {
        align->report.unmatched_sends++;
    } else if (claim.kind == REFRAIN_CLAIM_UNTOLD) {
        align->report.other_end_untold++;
    } else if (claim.kind == REFRAIN_CLAIM_WAITS) {
        set_match(align, &align->locations[claim.location].group[claim.event], &message);
        struct refrain_moment arrival = arrival_of(align, &message);
        refrain_align_satisfy(align, claim.location, &arrival);
    } else if (gone) {
        align->report.unmatched_sends++;
    } else if (!refrain_channel_append(&align->channels, at, &message)) {
        align->no_memory = true;
    }
    refrain_channel_drop(&align->channels, at);
}

/* ---- receives ---- */

/* Counts a receive whose source has ended without sending the message. With turns, the source may have ended later than
 * the receive: then the receive waited until the source ended. */
static void count_unmatched_receive(struct refrain_align *align, struct refrain_align_location *location,
                                    int32_t source) {
    bool is_there = align->turn > 0 && (size_t)source < align->n_ranks;
    if (is_there && location->time_ns < align->ended_ns[source])
        location->time_ns = align->ended_ns[source];
    align->report.unmatched_receives++;
}

void refrain_align_receive(struct refrain_align *align, uint32_t number, uint32_t event_number) {
    struct refrain_align_location *location = &align->locations[number];
    struct refrain_event *event = &location->group[event_number];
    if (event->peer < 0)
        return;
    bool source_runs = !refrain_align_gone(align, event->peer);
    if (event->approximate)
        refrain_align_order_matters(align, "some receives are approximate");
    uint32_t at = channel_of(align, ranks_key(event->peer, event->rank), what_key(event), source_runs);
    if (!at) {
        count_unmatched_receive(align, location, event->peer);
        return;
    }
    struct refrain_in_flight message;
    uint64_t beyond;
    bool in_flight = refrain_channel_take(&align->channels, at, event->overtook, 1, &message, &beyond) > 0;
    if (in_flight && message.untold) {
        align->report.other_end_untold++;
    } else if (in_flight) {
        set_match(align, event, &message);
        struct refrain_moment arrival = arrival_of(align, &message);
        if (align->adjust)
            refrain_align_hold(align, location, &arrival);
    } else if (!source_runs) {
        count_unmatched_receive(align, location, event->peer);
    } else {
        /* An approximate receive that is delivered before its message was sent does not wait. It claims the message, so
         * that the next receive gets another one. */
        bool waits = align->adjust && !event->approximate;
        struct refrain_claim claim = {.kind = waits ? REFRAIN_CLAIM_WAITS : REFRAIN_CLAIM_PASSED,
                                      .location = number,
                                      .event = event_number,
                                      .n = 1};
        if (!refrain_channel_claim(&align->channels, at, beyond, &claim))
            align->no_memory = true;
        else if (waits)
            location->waiting++;
        else
            align->report.unmatched_receives++;
    }
    refrain_channel_drop(&align->channels, at);
}

void refrain_align_release_messages(struct refrain_align *align, uint32_t number) {
    struct refrain_align_location *location = &align->locations[number];
    for (uint32_t i = 0; i < location->n_group; i++) {
        const struct refrain_event *event = &location->group[i];
        uint32_t at = event->kind == REFRAIN_EVENT_RECV && event->peer >= 0
                          ? channel_of(align, ranks_key(event->peer, event->rank), what_key(event), false)
                          : 0;
        if (at && refrain_channel_stop_waiting(&align->channels, at, number, i))
            align->report.unmatched_receives++;
    }
}

/* ---- receives that took any message ---- */

static void add_unknown_channel(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t ranks = ranks_key(event->peer, event->rank), what = what_key(event);
    if (!refrain_store_find(&align->unsure, ranks, what) && !refrain_store_add(&align->unsure, ranks, what))
        align->no_memory = true;
}

void refrain_align_mark_unsure(struct refrain_align *align, struct refrain_event *receive) {
    const uint64_t ranks[] = {ranks_key(receive->peer, receive->rank), ranks_key(-1, receive->rank)},
                   what[] = {what_key(receive), what_key_of(receive, -1)};
    if (align->unsure.keys.n == 0 && !receive->unsure)
        return;
    for (unsigned i = 0; i < 4 && !receive->unsure; i++)
        receive->unsure = refrain_store_find(&align->unsure, ranks[i / 2], what[i % 2]) != 0;
    receive->approximate |= receive->unsure;
    align->report.unsure_receives += receive->unsure;
}

/* ---- messages of pauses ---- */

static uint64_t number_of(const struct refrain_event *event) {
    return event->value > 0 && event->peer >= 0 ? (uint64_t)event->value : 0;
}

/* A receive of a message that was sent in a pause has no partner. */
void refrain_align_sends_in_pause(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t n = number_of(event);
    uint32_t at = n == 0 || refrain_align_gone(align, event->peer)
                      ? 0
                      : channel_of(align, ranks_key(event->rank, event->peer), what_key(event), true);
    if (!at)
        return;
    while (n > 0) {
        struct refrain_claim claim;
        uint64_t k = refrain_channel_arrive(&align->channels, at, n, &claim);
        n -= k;
        if (claim.kind == REFRAIN_CLAIM_WAITS) {
            align->report.other_end_untold++;
            refrain_align_satisfy(align, claim.location, NULL);
        } else if (claim.kind == REFRAIN_CLAIM_NONE &&
                   !refrain_channel_append(&align->channels, at, &(struct refrain_in_flight){.untold = k})) {
            align->no_memory = true;
        }
    }
    refrain_channel_drop(&align->channels, at);
}

/* A message that was sent outside of a pause, but received in one, has no receive. */
void refrain_align_receives_in_pause(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t n = number_of(event), beyond = 0;
    align->report.unsure_receives += event->unsure;
    if (event->value > 0 && (event->peer < 0 || event->tag < 0)) {
        add_unknown_channel(align, event);
        return;
    }
    bool source_runs = !refrain_align_gone(align, event->peer);
    uint32_t at = n == 0 ? 0 : channel_of(align, ranks_key(event->peer, event->rank), what_key(event), source_runs);
    if (!at)
        return;
    struct refrain_in_flight message;
    for (uint64_t k = 1; n > 0 && k > 0; n -= k) {
        k = refrain_channel_take(&align->channels, at, event->overtook, n, &message, &beyond);
        align->report.other_end_untold += k > 0 && message.untold == 0;
    }
    struct refrain_claim claim = {.kind = REFRAIN_CLAIM_UNTOLD, .n = n};
    if (n > 0 && source_runs && !refrain_channel_claim(&align->channels, at, beyond, &claim))
        align->no_memory = true;
    refrain_channel_drop(&align->channels, at);
}

/* ---- the end of a rank ---- */

void refrain_align_messages_ended(struct refrain_align *align, int32_t rank) {
    for (uint32_t i = 1; i < align->channels.channels.n; i++) {
        if (!refrain_store_live(&align->channels.channels, i))
            continue;
        const struct refrain_channel *channel = refrain_channel_at(&align->channels, i);
        int32_t source = source_of(channel), dest = dest_of(channel);
        struct refrain_claim claim;
        while (source == rank && refrain_channel_give_up(&align->channels, i, &claim))
            if (claim.kind == REFRAIN_CLAIM_WAITS) {
                align->report.unmatched_receives++;
                refrain_align_satisfy(align, claim.location, NULL);
            }
        if (dest == rank)
            align->report.unmatched_sends += refrain_channel_clear(&align->channels, i);
        refrain_channel_drop(&align->channels, i);
    }
}

uint64_t refrain_align_messages_in_flight(const struct refrain_align *align) {
    uint64_t n = 0;
    for (uint32_t i = 1; i < align->channels.channels.n; i++)
        if (refrain_store_live(&align->channels.channels, i))
            n += refrain_channel_in_flight(&align->channels, i);
    return n;
}
