/* messages.c: a queue of waiting ends for each channel that has any (messages.h). */
#include "messages.h"
#include "trace_read.h"

#include <stdlib.h>
#include <string.h>

struct channel {
    struct channel *next; /* in its bucket */
    int32_t source, dest;
    uint32_t comm;
    int64_t tag;
    bool receives; /* which ends wait */
    struct refrain_message *waiting;
    size_t first, n, capacity; /* a ring */
};

struct refrain_messages {
    const struct refrain_trace *trace;
    struct channel **buckets;
    size_t n, capacity;
    uint64_t last_number;
    bool ordered, no_memory;
};

static size_t bucket_of(const struct refrain_messages *messages, const struct channel *key) {
    uint64_t hash = ((uint64_t)(uint32_t)key->source << 32 | (uint32_t)key->dest) * 0x9e3779b97f4a7c15u;
    hash ^= ((uint64_t)key->comm << 32 ^ (uint64_t)key->tag) * 0xc2b2ae3d27d4eb4fu;
    return (size_t)(hash ^ hash >> 29) & (messages->capacity - 1);
}

static bool grow(struct refrain_messages *messages) {
    struct channel **old = messages->buckets;
    size_t n = messages->capacity;
    messages->capacity = n ? n * 2 : 256;
    messages->buckets = calloc(messages->capacity, sizeof(struct channel *));
    if (!messages->buckets) {
        messages->buckets = old;
        messages->capacity = n;
        return false;
    }
    for (size_t i = 0; i < n; i++)
        for (struct channel *channel = old[i], *next; channel; channel = next) {
            next = channel->next;
            size_t bucket = bucket_of(messages, channel);
            channel->next = messages->buckets[bucket];
            messages->buckets[bucket] = channel;
        }
    free(old);
    return true;
}

/* The link to the channel of a key, or to where it would be. */
static struct channel **find(struct refrain_messages *messages, const struct channel *key) {
    struct channel **link = &messages->buckets[bucket_of(messages, key)];
    while (*link && ((*link)->source != key->source || (*link)->dest != key->dest || (*link)->comm != key->comm ||
                     (*link)->tag != key->tag))
        link = &(*link)->next;
    return link;
}

static bool hold(struct channel *channel, const struct refrain_message *own, uint64_t number) {
    if (channel->n == channel->capacity) {
        size_t capacity = channel->capacity ? channel->capacity * 2 : 4;
        struct refrain_message *waiting = malloc(capacity * sizeof *waiting);
        if (!waiting)
            return false;
        for (size_t i = 0; i < channel->n; i++)
            waiting[i] = channel->waiting[(channel->first + i) % channel->capacity];
        free(channel->waiting);
        channel->waiting = waiting;
        channel->first = 0;
        channel->capacity = capacity;
    }
    struct refrain_message *end = &channel->waiting[(channel->first + channel->n++) % channel->capacity];
    *end = *own;
    end->number = number;
    return true;
}

bool refrain_messages_meet(struct refrain_messages *messages, const struct refrain_event *event,
                           const struct refrain_message *own, struct refrain_message *other, uint64_t *number) {
    bool receive = event->kind == REFRAIN_EVENT_RECV;
    struct channel key = {.source = receive ? event->peer : event->rank,
                          .dest = receive ? event->rank : event->peer,
                          .comm = event->comm ? event->comm->index : UINT32_MAX,
                          .tag = event->tag,
                          .receives = receive};
    *number = messages->last_number + 1;
    struct channel **link = find(messages, &key), *channel = *link;
    if (channel && channel->n && channel->receives != receive) {
        *other = channel->waiting[channel->first];
        *number = other->number;
        channel->first = (channel->first + 1) % channel->capacity;
        if (--channel->n == 0) {
            *link = channel->next;
            messages->n--;
            free(channel->waiting);
            free(channel);
        }
        return true;
    }
    messages->last_number++;
    if (event->peer < 0 || !refrain_trace_process(messages->trace, event->peer) || (receive && messages->ordered))
        return false;
    if (channel)
        channel->receives = receive;
    if (!channel) {
        if (messages->n >= messages->capacity && !grow(messages))
            messages->no_memory = true;
        channel = malloc(sizeof *channel);
        if (!channel) {
            messages->no_memory = true;
            return false;
        }
        *channel = key;
        link = &messages->buckets[bucket_of(messages, &key)];
        channel->next = *link;
        *link = channel;
        messages->n++;
    }
    if (!hold(channel, own, *number))
        messages->no_memory = true;
    return false;
}

struct refrain_messages *refrain_messages_make(const struct refrain_trace *trace, bool ordered) {
    struct refrain_messages *messages = calloc(1, sizeof *messages);
    if (messages && !grow(messages)) {
        free(messages);
        return NULL;
    }
    if (messages) {
        messages->trace = trace;
        messages->ordered = ordered;
    }
    return messages;
}

void refrain_messages_free(struct refrain_messages *messages) {
    for (size_t i = 0; messages && i < messages->capacity; i++)
        for (struct channel *channel = messages->buckets[i], *next; channel; channel = next) {
            next = channel->next;
            free(channel->waiting);
            free(channel);
        }
    if (messages)
        free(messages->buckets);
    free(messages);
}

bool refrain_messages_no_memory(const struct refrain_messages *messages) {
    return messages->no_memory;
}
