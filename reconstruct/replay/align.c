/* align.c: merges locations in time order and keeps cause before effect (align.h). */
#include "align.h"
#include "pair_table.h"

#include <stdlib.h>
#include <string.h>

/* ---- messages and collectives ---- */

/* One channel: messages of one (comm, source, dest, tag) keep their order. Either sends wait or receives do. */
struct channel {
    struct refrain_pair_node node;
    int64_t *sends; /* times, a ring */
    size_t first, count, capacity;
    size_t *waiters; /* locations */
    size_t n_waiters, capacity_waiters;
};

enum rule { RULE_NONE, RULE_ALL, RULE_FROM_ROOT, RULE_TO_ROOT };

struct collective {
    struct refrain_pair_node node;
    size_t entered, left, size;
    int64_t latest_enter_ns, root_enter_ns;
    bool root_entered;
    size_t *waiters;
    size_t n_waiters, capacity_waiters;
};

/* Per (location, comm): how many collectives it has entered. */
struct ordinal {
    struct refrain_pair_node node;
    uint64_t next;
};

struct location {
    struct refrain_stream *stream;
    struct refrain_event *group; /* emitted together, at one time */
    size_t n_group, capacity_group;
    struct refrain_event ahead; /* read, but of the next group */
    bool has_ahead, exhausted;
    size_t waiting;  /* causes that have not come */
    int64_t time_ns; /* of the group */
    int64_t now_ns;  /* of the last event emitted */
    int64_t shift_ns;
    struct collective *inside; /* whose LEAVE is to come */
    enum rule rule;
    bool is_root;
    bool wait_collective;
};

struct align {
    struct location *locations;
    size_t n;
    size_t *heap;
    size_t n_heap;
    struct refrain_pair_table channels, collectives, ordinals;
    bool adjust;
    struct refrain_writer *writer;
    struct refrain_align_report report;
    bool no_memory;
};

static bool append(size_t **list, size_t *n, size_t *capacity, size_t value) {
    if (*n == *capacity) {
        size_t larger = *capacity ? *capacity * 2 : 4;
        size_t *p = realloc(*list, larger * sizeof *p);
        if (!p)
            return false;
        *list = p;
        *capacity = larger;
    }
    (*list)[(*n)++] = value;
    return true;
}

/* ---- the queue of locations whose group is ready, earliest first ---- */

static bool earlier(const struct align *align, size_t a, size_t b) {
    const struct location *x = &align->locations[a], *y = &align->locations[b];
    return x->time_ns != y->time_ns ? x->time_ns < y->time_ns : a < b;
}

static void queue_put(struct align *align, size_t location) {
    size_t i = align->n_heap++;
    while (i > 0 && earlier(align, location, align->heap[(i - 1) / 2])) {
        align->heap[i] = align->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    align->heap[i] = location;
}

static size_t queue_take(struct align *align) {
    size_t result = align->heap[0], moved = align->heap[--align->n_heap], i = 0;
    for (;;) {
        size_t child = 2 * i + 1;
        if (child >= align->n_heap)
            break;
        if (child + 1 < align->n_heap && earlier(align, align->heap[child + 1], align->heap[child]))
            child++;
        if (!earlier(align, align->heap[child], moved))
            break;
        align->heap[i] = align->heap[child];
        i = child;
    }
    align->heap[i] = moved;
    return result;
}

/* ---- causes ---- */

/* The location's group may not be before `time_ns`. */
static void hold_until(struct align *align, struct location *location, int64_t time_ns) {
    if (time_ns <= location->time_ns)
        return;
    align->report.moved++;
    if (time_ns - location->time_ns > align->report.largest_move_ns)
        align->report.largest_move_ns = time_ns - location->time_ns;
    location->time_ns = time_ns;
}

/* A cause that the location waited for has come, at `time_ns`. */
static void satisfy(struct align *align, size_t number, int64_t time_ns) {
    struct location *location = &align->locations[number];
    hold_until(align, location, time_ns);
    if (--location->waiting == 0)
        queue_put(align, number);
}

static struct channel *channel_of(struct align *align, const struct refrain_event *event, int32_t source,
                                  int32_t dest) {
    struct refrain_pair key = {(uint64_t)(uint32_t)source << 32 | (uint32_t)dest,
                               (uint64_t)(event->comm ? event->comm->index : UINT32_MAX) << 32 ^ (uint64_t)event->tag};
    struct channel *channel = (struct channel *)refrain_pair_table_find(&align->channels, key);
    if (channel)
        return channel;
    channel = calloc(1, sizeof *channel);
    if (!channel)
        return NULL;
    channel->node.key = key;
    if (!refrain_pair_table_add(&align->channels, &channel->node)) {
        free(channel);
        return NULL;
    }
    return channel;
}

static void drop_channel(struct align *align, struct channel *channel) {
    if (channel->count || channel->n_waiters)
        return;
    refrain_pair_table_remove(&align->channels, &channel->node);
    free(channel->sends);
    free(channel->waiters);
    free(channel);
}

static void sent(struct align *align, const struct refrain_event *event) {
    if (event->peer < 0)
        return;
    struct channel *channel = channel_of(align, event, event->rank, event->peer);
    if (!channel) {
        align->no_memory = true;
        return;
    }
    if (channel->n_waiters) {
        size_t waiter = channel->waiters[0];
        memmove(channel->waiters, channel->waiters + 1, --channel->n_waiters * sizeof *channel->waiters);
        align->report.matched_messages++;
        satisfy(align, waiter, event->time_ns + 1);
        drop_channel(align, channel);
        return;
    }
    if (channel->count == channel->capacity) {
        size_t larger = channel->capacity ? channel->capacity * 2 : 4;
        int64_t *sends = malloc(larger * sizeof *sends);
        if (!sends) {
            align->no_memory = true;
            return;
        }
        for (size_t i = 0; i < channel->count; i++)
            sends[i] = channel->sends[(channel->first + i) % channel->capacity];
        free(channel->sends);
        channel->sends = sends;
        channel->first = 0;
        channel->capacity = larger;
    }
    channel->sends[(channel->first + channel->count++) % channel->capacity] = event->time_ns;
}

/* A receive of the location's group: takes the message in flight, or waits for it. */
static void received(struct align *align, size_t number, const struct refrain_event *event) {
    if (event->peer < 0)
        return;
    struct location *location = &align->locations[number];
    struct channel *channel = channel_of(align, event, event->peer, event->rank);
    if (!channel) {
        align->no_memory = true;
        return;
    }
    if (channel->count) {
        int64_t time_ns = channel->sends[channel->first];
        channel->first = (channel->first + 1) % channel->capacity;
        channel->count--;
        align->report.matched_messages++;
        hold_until(align, location, time_ns + 1);
        drop_channel(align, channel);
        return;
    }
    if (append(&channel->waiters, &channel->n_waiters, &channel->capacity_waiters, number))
        location->waiting++;
    else
        align->no_memory = true;
}

static enum rule rule_of(const char *name) {
    static const struct {
        const char *name;
        enum rule rule;
    } rules[] = {{"barrier", RULE_ALL},     {"allreduce", RULE_ALL},      {"allgather", RULE_ALL},
                 {"allgatherv", RULE_ALL},  {"alltoall", RULE_ALL},       {"alltoallv", RULE_ALL},
                 {"alltoallw", RULE_ALL},   {"reduce_scatter", RULE_ALL}, {"reduce_scatter_block", RULE_ALL},
                 {"bcast", RULE_FROM_ROOT}, {"scatter", RULE_FROM_ROOT},  {"scatterv", RULE_FROM_ROOT},
                 {"reduce", RULE_TO_ROOT},  {"gather", RULE_TO_ROOT},     {"gatherv", RULE_TO_ROOT}};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(name, rules[i].name) == 0)
            return rules[i].rule;
    return RULE_NONE;
}

/* Wakes those for whom the collective has become complete enough. */
static void wake(struct align *align, struct collective *collective) {
    size_t kept = 0;
    for (size_t i = 0; i < collective->n_waiters; i++) {
        size_t waiter = collective->waiters[i];
        bool from_root = align->locations[waiter].rule == RULE_FROM_ROOT;
        if (from_root ? collective->root_entered : collective->entered == collective->size)
            satisfy(align, waiter, from_root ? collective->root_enter_ns : collective->latest_enter_ns);
        else
            collective->waiters[kept++] = waiter;
    }
    collective->n_waiters = kept;
}

static void drop_collective(struct align *align, struct collective *collective) {
    refrain_pair_table_remove(&align->collectives, &collective->node);
    free(collective->waiters);
    free(collective);
}

static void entered_collective(struct align *align, size_t number, const struct refrain_event *event) {
    struct location *location = &align->locations[number];
    enum rule rule = event->region ? rule_of(event->region->collective) : RULE_NONE;
    if (rule == RULE_NONE || !event->comm || event->comm->remote_size > 0 || event->comm->size <= 1 ||
        event->approximate || event->request >= 0) /* a nonblocking one makes nobody wait in its call */
        return;
    uint64_t comm = event->comm->index;
    struct refrain_pair key = {(uint64_t)number, comm};
    struct ordinal *ordinal = (struct ordinal *)refrain_pair_table_find(&align->ordinals, key);
    if (!ordinal) {
        ordinal = calloc(1, sizeof *ordinal);
        if (!ordinal || (ordinal->node.key = key, !refrain_pair_table_add(&align->ordinals, &ordinal->node))) {
            free(ordinal);
            align->no_memory = true;
            return;
        }
    }
    struct refrain_pair of_collective = {comm, ordinal->next++};
    struct collective *collective = (struct collective *)refrain_pair_table_find(&align->collectives, of_collective);
    if (!collective) {
        collective = calloc(1, sizeof *collective);
        if (!collective ||
            (collective->node.key = of_collective, !refrain_pair_table_add(&align->collectives, &collective->node))) {
            free(collective);
            align->no_memory = true;
            return;
        }
        collective->size = (size_t)event->comm->size;
        collective->latest_enter_ns = INT64_MIN;
    }
    location->inside = collective;
    location->rule = rule;
    location->is_root = event->peer == event->rank;
    collective->entered++;
    if (event->time_ns > collective->latest_enter_ns)
        collective->latest_enter_ns = event->time_ns;
    if (location->is_root) {
        collective->root_entered = true;
        collective->root_enter_ns = event->time_ns;
    }
    wake(align, collective);
}

/* The group leaves a collective: it may have to wait for others. */
static void leaving_collective(struct align *align, size_t number) {
    struct location *location = &align->locations[number];
    struct collective *collective = location->inside;
    bool waits = location->rule == RULE_ALL || (location->rule == RULE_FROM_ROOT && !location->is_root) ||
                 (location->rule == RULE_TO_ROOT && location->is_root);
    if (!waits)
        return;
    bool from_root = location->rule == RULE_FROM_ROOT;
    if (from_root ? collective->root_entered : collective->entered == collective->size) {
        hold_until(align, location, from_root ? collective->root_enter_ns : collective->latest_enter_ns);
        return;
    }
    location->waiting++;
    location->wait_collective = true;
    if (!append(&collective->waiters, &collective->n_waiters, &collective->capacity_waiters, number))
        align->no_memory = true;
}

static void left_collective(struct align *align, struct location *location) {
    struct collective *collective = location->inside;
    location->inside = NULL;
    location->wait_collective = false;
    if (collective && ++collective->left == collective->size)
        drop_collective(align, collective);
}

/* ---- groups ---- */

static bool read_event(struct location *location, struct refrain_event *event) {
    if (location->has_ahead) {
        *event = location->ahead;
        location->has_ahead = false;
        return true;
    }
    if (location->exhausted)
        return false;
    location->exhausted = !location->stream->next(location->stream, event);
    return !location->exhausted;
}

static bool group_add(struct location *location, const struct refrain_event *event) {
    if (location->n_group == location->capacity_group) {
        size_t larger = location->capacity_group ? location->capacity_group * 2 : 4;
        struct refrain_event *group = realloc(location->group, larger * sizeof *group);
        if (!group)
            return false;
        location->group = group;
        location->capacity_group = larger;
    }
    location->group[location->n_group++] = *event;
    return true;
}

static bool completes(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_RECV || event->kind == REFRAIN_EVENT_SEND_COMPLETE ||
           event->kind == REFRAIN_EVENT_COLLECTIVE_COMPLETE || event->kind == REFRAIN_EVENT_CANCEL;
}

static bool leaves_mpi(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_LEAVE && event->region && event->region->kind == REFRAIN_REGION_MPI;
}

/* Reads the location's next group: one event, or all that completes in an MPI call with the leaving of it. */
static bool load(struct align *align, size_t number) {
    struct location *location = &align->locations[number];
    struct refrain_event event;
    location->n_group = 0;
    location->waiting = 0;
    if (!read_event(location, &event))
        return true;
    if (!group_add(location, &event))
        return false;
    bool elastic = completes(&event) || leaves_mpi(&event);
    while (completes(&event) && read_event(location, &event)) {
        if (!completes(&event) && !leaves_mpi(&event)) {
            location->ahead = event;
            location->has_ahead = true;
            break;
        }
        if (!group_add(location, &event))
            return false;
    }
    const struct refrain_event *last = &location->group[location->n_group - 1];
    if (!align->adjust) {
        location->time_ns = last->time_ns;
        queue_put(align, number);
        return true;
    }
    location->time_ns = elastic ? last->time_ns : last->time_ns + location->shift_ns;
    if (location->time_ns < location->now_ns)
        location->time_ns = location->now_ns;
    for (size_t i = 0; i < location->n_group; i++)
        if (location->group[i].kind == REFRAIN_EVENT_RECV)
            received(align, number, &location->group[i]);
    if (leaves_mpi(last) && location->inside)
        leaving_collective(align, number);
    if (location->waiting == 0)
        queue_put(align, number);
    return true;
}

static int emit(struct align *align, size_t number) {
    struct location *location = &align->locations[number];
    struct refrain_event *last = &location->group[location->n_group - 1];
    location->shift_ns = location->time_ns - last->time_ns;
    location->now_ns = location->time_ns;
    bool left = leaves_mpi(last);
    for (size_t i = 0; i < location->n_group; i++) {
        struct refrain_event *event = &location->group[i];
        if (align->adjust)
            event->time_ns = location->time_ns;
        align->report.events++;
        int status = align->writer->event ? align->writer->event(align->writer, event) : 0;
        if (status)
            return status;
        if (align->adjust && event->kind == REFRAIN_EVENT_SEND)
            sent(align, event);
        if (align->adjust && event->kind == REFRAIN_EVENT_COLLECTIVE)
            entered_collective(align, number, event);
    }
    if (left && location->inside)
        left_collective(align, location);
    return load(align, number) ? 0 : -1;
}

/* Nothing can go on: the earliest location that waits is let through without its cause. */
static bool release_earliest(struct align *align) {
    size_t earliest = align->n;
    for (size_t i = 0; i < align->n; i++)
        if (align->locations[i].waiting > 0 && (earliest == align->n || earlier(align, i, earliest)))
            earliest = i;
    if (earliest == align->n)
        return false;
    struct location *location = &align->locations[earliest];
    for (size_t b = 0; b < align->channels.capacity; b++)
        for (struct refrain_pair_node *node = align->channels.buckets[b]; node; node = node->next) {
            struct channel *channel = (struct channel *)node;
            size_t kept = 0;
            for (size_t i = 0; i < channel->n_waiters; i++)
                if (channel->waiters[i] == earliest)
                    align->report.unmatched_receives++;
                else
                    channel->waiters[kept++] = channel->waiters[i];
            channel->n_waiters = kept;
        }
    if (location->wait_collective) {
        struct collective *collective = location->inside;
        size_t kept = 0;
        for (size_t i = 0; i < collective->n_waiters; i++)
            if (collective->waiters[i] != earliest)
                collective->waiters[kept++] = collective->waiters[i];
        align->report.unmatched_collectives += collective->n_waiters - kept;
        collective->n_waiters = kept;
    }
    location->waiting = 0;
    queue_put(align, earliest);
    return true;
}

static void close_align(struct align *align) {
    for (size_t i = 0; i < align->n && align->locations; i++)
        free(align->locations[i].group);
    struct refrain_pair_table *tables[] = {&align->channels, &align->collectives, &align->ordinals};
    for (size_t t = 0; t < 3; t++) {
        for (size_t b = 0; b < tables[t]->capacity; b++)
            for (struct refrain_pair_node *node = tables[t]->buckets[b], *next; node; node = next) {
                next = node->next;
                if (t == 0) {
                    align->report.unmatched_sends += ((struct channel *)node)->count;
                    free(((struct channel *)node)->sends);
                    free(((struct channel *)node)->waiters);
                } else if (t == 1) {
                    free(((struct collective *)node)->waiters);
                }
                free(node);
            }
        free(tables[t]->buckets);
    }
    free(align->locations);
    free(align->heap);
}

int refrain_align(struct refrain_stream *const *streams, size_t n, bool adjust, struct refrain_writer *writer,
                  struct refrain_align_report *report) {
    struct align align = {.n = n, .adjust = adjust, .writer = writer};
    align.locations = calloc(n + 1, sizeof *align.locations);
    align.heap = calloc(n + 1, sizeof *align.heap);
    int status = align.locations && align.heap ? 0 : -1;
    for (size_t i = 0; status == 0 && i < n; i++) {
        align.locations[i].stream = streams[i];
        align.locations[i].now_ns = INT64_MIN;
        if (!load(&align, i))
            status = -1;
    }
    while (status == 0 && (align.n_heap > 0 || release_earliest(&align))) {
        status = emit(&align, queue_take(&align));
        if (status == 0 && align.no_memory)
            status = -1;
    }
    close_align(&align);
    if (report)
        *report = align.report;
    return status;
}
