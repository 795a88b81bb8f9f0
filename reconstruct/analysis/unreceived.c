/* unreceived.c: counts the messages of each channel that were sent and not received (unreceived.h). */
#include "analysis/unreceived.h"
#include "common/store.h"
#include "match/event.h"
#include "match/replayable.h"

#include <stdlib.h>

/* Keys: source << 32 | destination; communicator << 32 | tag. */
struct channel {
    struct refrain_store_entry entry;
    int64_t messages; /* negative if a receive came before its send */
};

/* Adds to a channel. Drops channels without a message in transit. */
static bool count(struct refrain_store *channels, int32_t source, int32_t destination,
                  const struct refrain_event *event, int64_t messages) {
    uint64_t ranks = (uint64_t)(uint32_t)source << 32 | (uint32_t)destination;
    uint64_t what = (uint64_t)(event->comm ? event->comm->index : UINT32_MAX) << 32 | (uint32_t)event->tag;
    uint32_t number = refrain_store_find(channels, ranks, what);
    if (!number && !(number = refrain_store_add(channels, ranks, what)))
        return false;
    struct channel *channel = refrain_store_at(channels, number);
    channel->messages += messages;
    if (channel->messages == 0)
        refrain_store_remove(channels, number);
    return true;
}

static bool is_wanted(const bool *wanted, size_t n_wanted, int32_t rank) {
    return rank >= 0 && (size_t)rank < n_wanted && wanted[rank];
}

/* False without memory. */
static bool take(struct refrain_store *channels, const struct refrain_event *event, const bool *wanted,
                 size_t n_wanted) {
    bool untold = event->kind == REFRAIN_EVENT_UNTOLD_SENDS || event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES;
    int64_t messages = untold ? event->value : 1;
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_UNTOLD_SENDS:
        return !is_wanted(wanted, n_wanted, event->peer) || count(channels, event->rank, event->peer, event, messages);
    case REFRAIN_EVENT_RECV:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        return event->peer < 0 || !is_wanted(wanted, n_wanted, event->rank) ||
               count(channels, event->peer, event->rank, event, -messages);
    default:
        return true;
    }
}

static int by_key(const void *left, const void *right) {
    const struct refrain_unreceived_channel *a = left, *b = right;
    if (a->destination != b->destination)
        return a->destination < b->destination ? -1 : 1;
    if (a->source != b->source)
        return a->source < b->source ? -1 : 1;
    uint32_t comm_a = a->comm ? a->comm->index : UINT32_MAX, comm_b = b->comm ? b->comm->index : UINT32_MAX;
    if (comm_a != comm_b)
        return comm_a < comm_b ? -1 : 1;
    return (a->tag > b->tag) - (a->tag < b->tag);
}

/* Lists the channels with messages. False without memory. */
static bool list(const struct refrain_store *channels, const struct refrain_trace *trace,
                 struct refrain_unreceived *unreceived) {
    unreceived->channels = calloc(channels->keys.n + 1, sizeof *unreceived->channels);
    for (uint32_t i = 1; unreceived->channels && i < channels->n; i++) {
        const struct channel *channel = refrain_store_at(channels, i);
        if (!refrain_store_live(channels, i) || channel->messages <= 0)
            continue;
        uint64_t comm = channel->entry.b >> 32;
        unreceived->channels[unreceived->n++] =
            (struct refrain_unreceived_channel){.source = (int32_t)(channel->entry.a >> 32),
                                                .destination = (int32_t)(channel->entry.a & UINT32_MAX),
                                                .comm = comm < trace->n_comms ? &trace->comms[comm] : NULL,
                                                .tag = (int32_t)(channel->entry.b & UINT32_MAX),
                                                .messages = (uint64_t)channel->messages};
    }
    if (unreceived->channels)
        qsort(unreceived->channels, unreceived->n, sizeof *unreceived->channels, by_key);
    return unreceived->channels != NULL;
}

enum refrain_status refrain_unreceived_read(struct refrain_trace *trace, const bool *wanted, size_t n_wanted,
                                            struct refrain_unreceived *unreceived, struct refrain_error *error) {
    struct refrain_store channels = {.entry_bytes = sizeof(struct channel)};
    struct refrain_cursor_options options = REFRAIN_CURSOR_ALL;
    struct refrain_cursor *cursor;
    const struct refrain_event *event;
    *unreceived = (struct refrain_unreceived){0};
    options.untold = true;
    options.recorded = trace->processes[0].header->mode == REFRAIN_MODE_EVENTS;
    enum refrain_status status = refrain_replayable(trace, options.recorded, error);
    if (!status)
        status = refrain_cursor_open(trace, &options, &cursor, error);
    if (status)
        return status;
    bool memory = true;
    while (memory && (event = refrain_cursor_step(cursor)))
        memory = take(&channels, event, wanted, n_wanted);
    status = refrain_cursor_close(cursor, error);
    if (!memory || (!status && !list(&channels, trace, unreceived)))
        status = REFRAIN_FAIL_MEMORY(error);
    refrain_store_close(&channels);
    return status;
}

void refrain_unreceived_close(struct refrain_unreceived *unreceived) {
    free(unreceived->channels);
    *unreceived = (struct refrain_unreceived){0};
}
