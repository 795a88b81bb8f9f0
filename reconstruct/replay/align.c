/* align.c: merges locations in time order and keeps cause before effect (align.h). */
#include "align.h"
#include "arena.h"
#include "store.h"
#include "virtual_time.h"

#include <string.h>

/* Lists of the stores below: first and last number, 0 = empty; linked by `next`. */
struct list {
    uint32_t first, last;
};

/* One channel: messages of one (comm, source, dest, tag) keep their order. Either sends wait or receives do. */
struct channel {
    struct refrain_store_entry entry;
    struct list sends;         /* in flight */
    struct list waiters;       /* receives that came before their message */
    uint64_t passed;           /* messages still to come whose receive has been let through */
    uint32_t sender, receiver; /* of a run that is shared out: thread + 1, 0 none so far */
};

struct message {
    struct refrain_store_entry entry;
    struct refrain_moment sent;
    uint64_t match;
    uint64_t untold; /* not 0: it stands for so many that were sent in a pause */
    uint32_t thread;
};

/* A location that waits: for a message, event `event` of its group; or in a collective. */
struct waiter {
    struct refrain_store_entry entry;
    uint32_t location, event;
    uint64_t untold; /* not 0: nobody waits, but so many messages are received in a pause */
};

enum rule { RULE_NONE, RULE_ALL, RULE_FROM_ROOT, RULE_TO_ROOT };

/* None for those where each pair of ranks has a length of its own: who is sent nothing by another need not wait for it.
 */
static const unsigned char rules[REFRAIN_COLLECTIVES] = {
    [REFRAIN_COLLECTIVE_BARRIER] = RULE_ALL,       [REFRAIN_COLLECTIVE_ALLREDUCE] = RULE_ALL,
    [REFRAIN_COLLECTIVE_ALLGATHER] = RULE_ALL,     [REFRAIN_COLLECTIVE_ALLGATHERV] = RULE_ALL,
    [REFRAIN_COLLECTIVE_ALLTOALL] = RULE_ALL,      [REFRAIN_COLLECTIVE_REDUCE_SCATTER] = RULE_ALL,
    [REFRAIN_COLLECTIVE_BCAST] = RULE_FROM_ROOT,   [REFRAIN_COLLECTIVE_REDUCE_SCATTER_BLOCK] = RULE_ALL,
    [REFRAIN_COLLECTIVE_SCATTER] = RULE_FROM_ROOT, [REFRAIN_COLLECTIVE_SCATTERV] = RULE_FROM_ROOT,
    [REFRAIN_COLLECTIVE_REDUCE] = RULE_TO_ROOT,    [REFRAIN_COLLECTIVE_GATHER] = RULE_TO_ROOT,
    [REFRAIN_COLLECTIVE_GATHERV] = RULE_TO_ROOT,
};

/* One operation of all members; only those in which somebody may have to wait. */
struct collective {
    struct refrain_store_entry entry;
    const struct refrain_comm_info *comm;
    uint64_t ordinal;
    uint32_t kind, inside; /* locations in it now */
    uint32_t entered, left;
    struct refrain_moment latest_enter, root_enter;
    uint32_t own_entered; /* of a run that is shared out: locations of this process */
    bool root_entered;
    bool broken; /* somebody will never come ... */
    bool untold; /* ... as it did so in a pause */
    struct list waiters;
};

/* Per (rank, comm, kind): how many collectives it has entered. */
struct ordinal {
    struct refrain_store_entry entry;
    uint64_t next;
    uint32_t thread; /* that entered the latest */
};

struct location {
    struct refrain_stream *stream;
    struct refrain_event *group; /* emitted together, at one time */
    size_t n_group, capacity_group;
    struct refrain_event ahead; /* read, but of the next group */
    bool has_ahead, exhausted;
    bool wait_collective;
    bool is_root;
    uint8_t rule;
    uint32_t waiting; /* causes that have not come */
    uint32_t inside;  /* the collective whose LEAVE is to come, 0 = none */
    const struct refrain_region_info *inside_region;
    int64_t time_ns; /* of the group */
    int64_t now_ns;  /* of the last event emitted */
    int64_t shift_ns;
    struct refrain_virtual_time virtual_time; /* where probes are taken out */
    uint64_t messages;                        /* sent */
};

struct refrain_align {
    struct location *locations;
    size_t n;
    uint32_t *heap; /* locations whose group is ready, earliest first */
    size_t n_heap;
    uint32_t *running; /* by rank: locations that have not ended */
    size_t n_ranks;
    struct refrain_store channels, messages, waiters, collectives, ordinals;
    struct location *emitting; /* whose group is being given, null: none */
    size_t given;              /* events of it */
    int64_t now_ns;            /* of the last event of all */
    bool adjust, without_probes, no_memory;
    bool collectives_untold;     /* some passed in a pause */
    struct refrain_share *share; /* null: all locations are here */
    uint32_t *own_members;       /* by index of a communicator, + 1; 0 not counted yet */
    size_t n_own_members;
    unsigned turns; /* since news were asked for */
    struct refrain_cursor_report report;
};

#define TURNS_BETWEEN_NEWS 64u

/* Something that only one process with all locations can put in order. */
static void not_shareable(struct refrain_align *align, const char *why) {
    if (align->share && !align->share->wrong)
        align->share->wrong = why;
}

/* ---- lists ---- */

static bool list_append(struct refrain_store *store, struct list *list, uint32_t number) {
    if (!number)
        return false;
    ((struct refrain_store_entry *)refrain_store_at(store, number))->next = 0;
    if (list->last)
        ((struct refrain_store_entry *)refrain_store_at(store, list->last))->next = number;
    else
        list->first = number;
    list->last = number;
    return true;
}

static uint32_t next_of(const struct refrain_store *store, uint32_t number) {
    return ((const struct refrain_store_entry *)refrain_store_at(store, number))->next;
}

static void list_pop(struct refrain_store *store, struct list *list) {
    uint32_t number = list->first;
    list->first = next_of(store, number);
    if (!list->first)
        list->last = 0;
    refrain_store_give(store, number);
}

/* Takes out the waiters of a location, or only those for one event of its group. Returns how many. */
static uint32_t remove_waiters(struct refrain_align *align, struct list *list, uint32_t location, uint32_t event) {
    struct list kept = {0, 0};
    uint32_t removed = 0;
    for (uint32_t at = list->first, next; at; at = next) {
        const struct waiter *waiter = refrain_store_at(&align->waiters, at);
        next = waiter->entry.next;
        if (waiter->location == location && waiter->event == event) {
            refrain_store_give(&align->waiters, at);
            removed++;
        } else {
            list_append(&align->waiters, &kept, at);
        }
    }
    *list = kept;
    return removed;
}

static bool add_waiter(struct refrain_align *align, struct list *list, uint32_t location, uint32_t event) {
    uint32_t number = refrain_store_take(&align->waiters);
    if (!list_append(&align->waiters, list, number)) {
        align->no_memory = true;
        return false;
    }
    struct waiter *waiter = refrain_store_at(&align->waiters, number);
    waiter->location = location;
    waiter->event = event;
    return true;
}

/* ---- the queue of locations whose group is ready, earliest first ---- */

static uint32_t number_of(const struct refrain_align *align, const struct location *location) {
    return (uint32_t)(location - align->locations);
}

/* Is the group of x to be given before that of y? */
static bool is_earlier(const struct location *x, const struct location *y) {
    return x->time_ns != y->time_ns ? x->time_ns < y->time_ns : x < y;
}

static bool earlier(const struct refrain_align *align, size_t a, size_t b) {
    return is_earlier(&align->locations[a], &align->locations[b]);
}

static void queue_put(struct refrain_align *align, uint32_t location) {
    size_t i = align->n_heap++;
    while (i > 0 && earlier(align, location, align->heap[(i - 1) / 2])) {
        align->heap[i] = align->heap[(i - 1) / 2];
        i = (i - 1) / 2;
    }
    align->heap[i] = location;
}

/* Takes the first one out and puts `moved` in its place, which comes to where it belongs. */
static uint32_t queue_exchange(struct refrain_align *align, uint32_t moved) {
    uint32_t result = align->heap[0];
    size_t i = 0;
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

static uint32_t queue_take(struct refrain_align *align) {
    uint32_t last = align->heap[--align->n_heap];
    return align->n_heap > 0 ? queue_exchange(align, last) : last;
}

/* ---- waiting ---- */

/* The last event of the location's group, which is that of the leaving where there are several. */
static const struct refrain_event *last_of(const struct location *location) {
    return &location->group[location->n_group - 1];
}

/* The location's group may not be before what it waits for, at `cause`. */
static void hold_until(struct refrain_align *align, struct location *location, const struct refrain_moment *cause) {
    int64_t time_ns = cause->virtual_ns;
    if (align->without_probes) {
        refrain_virtual_cause(&location->virtual_time, cause);
        time_ns = location->virtual_time.cause.virtual_ns; /* the latest, in whatever order they came */
        location->time_ns =
            refrain_virtual_ns(&location->virtual_time, last_of(location)->time_ns, last_of(location)->probes_ns);
        if (location->time_ns <= time_ns)
            location->time_ns = time_ns + 1;
        if (location->time_ns < location->now_ns)
            location->time_ns = location->now_ns;
        return;
    }
    if (time_ns <= location->time_ns)
        return;
    align->report.moved++;
    if (time_ns - location->time_ns > align->report.largest_move_ns)
        align->report.largest_move_ns = time_ns - location->time_ns;
    location->time_ns = time_ns;
}

/* A cause that the location waited for has come, or (null) will never come. */
static void satisfy(struct refrain_align *align, uint32_t number, const struct refrain_moment *cause) {
    struct location *location = &align->locations[number];
    if (cause)
        hold_until(align, location, cause);
    if (--location->waiting == 0) {
        /* Others may have gone on beyond it meanwhile, where what it waited for never came. */
        if (location->time_ns < align->now_ns && !align->share)
            location->time_ns = align->now_ns;
        queue_put(align, number);
    }
}

static bool is_gone(const struct refrain_align *align, int32_t rank) {
    return rank < 0 || (size_t)rank >= align->n_ranks || align->running[rank] == 0;
}

/* When the group of the location that is given now is. */
static struct refrain_moment moment_of(const struct refrain_align *align, uint32_t number) {
    const struct location *location = &align->locations[number];
    return (struct refrain_moment){align->without_probes ? location->virtual_time.last.real_ns : location->time_ns,
                                   location->time_ns};
}

/* ---- messages ---- */

static uint64_t ranks_key(int32_t source, int32_t dest) {
    return (uint64_t)(uint32_t)source << 32 | (uint32_t)dest;
}

static uint64_t what_key(const struct refrain_event *event) {
    return (uint64_t)(event->comm ? event->comm->index : UINT32_MAX) << 32 ^ (uint64_t)event->tag;
}

static uint32_t channel_of(struct refrain_align *align, uint64_t ranks, uint64_t what, bool add) {
    uint32_t channel = refrain_store_find(&align->channels, ranks, what);
    if (!channel && add) {
        channel = refrain_store_add(&align->channels, ranks, what);
        align->no_memory |= !channel;
    }
    return channel;
}

static void drop_channel(struct refrain_align *align, uint32_t number) {
    const struct channel *channel = refrain_store_at(&align->channels, number);
    if (!channel->sends.first && !channel->waiters.first && !channel->passed)
        refrain_store_remove(&align->channels, number);
}

static void set_match(struct refrain_align *align, struct refrain_event *receive, const struct message *message) {
    receive->match = message->match;
    receive->match_time_ns = message->sent.virtual_ns;
    receive->match_thread = message->thread;
    align->report.matched_messages++;
}

static void unmatched_receive(struct refrain_align *align) {
    align->report.unmatched_receives++;
    not_shareable(align, "some messages are without their send");
}

/* What a message's receive may not be before. */
static struct refrain_moment arrival_of(const struct refrain_align *align, const struct message *message) {
    return (struct refrain_moment){message->sent.real_ns, message->sent.virtual_ns + !align->without_probes};
}

/* Takes away one of those that an entry stands for; true with the last one. */
static bool one_less(uint64_t *untold) {
    return --*untold == 0;
}

/* A message leaves whose receive is in a pause. */
static void pass_untold_receive(struct refrain_align *align, struct channel *channel) {
    struct waiter *waiter = refrain_store_at(&align->waiters, channel->waiters.first);
    align->report.other_end_untold++;
    if (one_less(&waiter->untold))
        list_pop(&align->waiters, &channel->waiters);
}

static bool next_receive_is_untold(const struct refrain_align *align, const struct channel *channel) {
    return channel->waiters.first &&
           ((const struct waiter *)refrain_store_at(&align->waiters, channel->waiters.first))->untold > 0;
}

/* The message is under way, to a rank of this process. */
static void under_way(struct refrain_align *align, const struct refrain_share_message *sent) {
    struct message message = {.sent = sent->sent, .match = sent->match, .thread = sent->thread};
    int32_t dest = (int32_t)(uint32_t)sent->ranks;
    uint32_t at = channel_of(align, sent->ranks, sent->what, !is_gone(align, dest));
    struct channel *channel = at ? refrain_store_at(&align->channels, at) : NULL;
    if (channel && channel->sender && channel->sender != sent->thread + 1)
        not_shareable(align, "threads of one rank send to the same receiver");
    if (channel && align->share)
        channel->sender = sent->thread + 1;
    if (channel && channel->passed) {
        channel->passed--;
        align->report.unmatched_sends++;
    } else if (channel && next_receive_is_untold(align, channel)) {
        pass_untold_receive(align, channel);
    } else if (channel && channel->waiters.first) {
        struct waiter waiter = *(struct waiter *)refrain_store_at(&align->waiters, channel->waiters.first);
        list_pop(&align->waiters, &channel->waiters);
        set_match(align, &align->locations[waiter.location].group[waiter.event], &message);
        struct refrain_moment arrival = arrival_of(align, &message);
        satisfy(align, waiter.location, &arrival);
    } else if (is_gone(align, dest)) {
        align->report.unmatched_sends++;
        return;
    } else {
        uint32_t place = refrain_store_take(&align->messages);
        if (!channel || !list_append(&align->messages, &channel->sends, place)) {
            align->no_memory = true;
            return;
        }
        struct message *kept = refrain_store_at(&align->messages, place);
        message.entry = kept->entry;
        *kept = message;
        return;
    }
    if (at)
        drop_channel(align, at);
}

static void sent(struct refrain_align *align, uint32_t number, struct refrain_event *event) {
    if (event->peer < 0)
        return;
    event->match = ((uint64_t)number + 1) << 40 | ++align->locations[number].messages;
    struct refrain_share_message message = {.ranks = ranks_key(event->rank, event->peer),
                                            .what = what_key(event),
                                            .sent = moment_of(align, number),
                                            .match = event->match,
                                            .thread = event->thread};
    if (align->share && !align->share->owns(align->share, event->peer))
        align->share->message(align->share, event->peer, &message);
    else
        under_way(align, &message);
}

void refrain_align_take_message(struct refrain_align *align, const struct refrain_share_message *message) {
    under_way(align, message);
}

/* A receive of the location's group: takes the message in flight, or waits for it. */
static void received(struct refrain_align *align, uint32_t number, uint32_t event_number) {
    struct location *location = &align->locations[number];
    struct refrain_event *event = &location->group[event_number];
    if (event->peer < 0)
        return;
    bool comes = !is_gone(align, event->peer);
    if (event->approximate)
        not_shareable(align, "some receives are approximate");
    uint32_t at = channel_of(align, ranks_key(event->peer, event->rank), what_key(event), comes);
    if (!at) {
        unmatched_receive(align);
        return;
    }
    struct channel *channel = refrain_store_at(&align->channels, at);
    if (channel->receiver && channel->receiver != event->thread + 1)
        not_shareable(align, "threads of one rank receive from the same sender");
    if (align->share)
        channel->receiver = event->thread + 1;
    struct message *message = channel->sends.first ? refrain_store_at(&align->messages, channel->sends.first) : NULL;
    if (message && message->untold) {
        align->report.other_end_untold++;
        if (one_less(&message->untold))
            list_pop(&align->messages, &channel->sends);
        drop_channel(align, at);
    } else if (message) {
        set_match(align, event, message);
        struct refrain_moment arrival = arrival_of(align, message);
        if (align->adjust)
            hold_until(align, location, &arrival);
        list_pop(&align->messages, &channel->sends);
        drop_channel(align, at);
    } else if (!comes || event->approximate) {
        unmatched_receive(align); /* whether its message is to come is not known */
        drop_channel(align, at);
    } else if (!align->adjust) {
        unmatched_receive(align);
        channel->passed++;
    } else if (add_waiter(align, &channel->waiters, number, event_number)) {
        location->waiting++;
    }
}

/* ---- messages of pauses ---- */

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* Messages that leave in a pause: the receives of them have no partner. */
static void sent_untold(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t n = event->value > 0 ? (uint64_t)event->value : 0;
    uint32_t at = event->peer < 0 || n == 0 || is_gone(align, event->peer)
                      ? 0
                      : channel_of(align, ranks_key(event->rank, event->peer), what_key(event), true);
    if (!at)
        return;
    struct channel *channel = refrain_store_at(&align->channels, at);
    uint64_t k = smaller(n, channel->passed);
    channel->passed -= k;
    n -= k;
    while (n > 0 && channel->waiters.first) {
        struct waiter *waiter = refrain_store_at(&align->waiters, channel->waiters.first);
        uint32_t location = waiter->location;
        bool waits = waiter->untold == 0;
        k = waits ? 1 : smaller(n, waiter->untold);
        n -= k;
        waiter->untold -= waits ? 0 : k;
        if (waiter->untold == 0)
            list_pop(&align->waiters, &channel->waiters);
        if (waits) {
            align->report.other_end_untold++;
            satisfy(align, location, NULL);
        }
    }
    if (n > 0) {
        uint32_t place = refrain_store_take(&align->messages);
        if (list_append(&align->messages, &channel->sends, place))
            ((struct message *)refrain_store_at(&align->messages, place))->untold = n;
        else
            align->no_memory = true;
    }
    drop_channel(align, at);
}

/* Messages that arrive in a pause: those of them that were sent outside of one have no receive. */
static void received_untold(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t n = event->value > 0 ? (uint64_t)event->value : 0;
    bool comes = !is_gone(align, event->peer);
    uint32_t at =
        event->peer < 0 || n == 0 ? 0 : channel_of(align, ranks_key(event->peer, event->rank), what_key(event), comes);
    if (!at)
        return;
    struct channel *channel = refrain_store_at(&align->channels, at);
    while (n > 0 && channel->sends.first) {
        struct message *message = refrain_store_at(&align->messages, channel->sends.first);
        uint64_t k = message->untold ? smaller(n, message->untold) : 1;
        align->report.other_end_untold += message->untold == 0;
        message->untold -= message->untold ? k : 0;
        n -= k;
        if (message->untold == 0)
            list_pop(&align->messages, &channel->sends);
    }
    if (n > 0 && comes && add_waiter(align, &channel->waiters, UINT32_MAX, 0))
        ((struct waiter *)refrain_store_at(&align->waiters, channel->waiters.last))->untold = n;
    drop_channel(align, at);
}

/* ---- collectives ---- */

static uint64_t kind_of(const struct refrain_event *event) {
    return (uint64_t)event->region->role * 2 + (event->request >= 0);
}

static uint64_t ordinal_key(const struct refrain_comm_info *comm, uint64_t kind) {
    return (uint64_t)comm->index << 8 | kind;
}

/* Will some member never enter the operation? */
static bool never_complete(const struct refrain_align *align, const struct collective *collective) {
    const struct refrain_comm_info *comm = collective->comm;
    for (int32_t i = 0; i < comm->size; i++) {
        int32_t rank = comm->members ? comm->members[i] : i;
        if (!is_gone(align, rank))
            continue;
        uint32_t at = refrain_store_find(&align->ordinals, (uint32_t)rank, ordinal_key(comm, collective->kind));
        if (!at || ((const struct ordinal *)refrain_store_at(&align->ordinals, at))->next <= collective->ordinal)
            return true;
    }
    return false;
}

/* Has another member than `entering` passed the operation by, in a pause? */
static bool was_passed_by(const struct refrain_align *align, const struct collective *collective, int32_t entering) {
    const struct refrain_comm_info *comm = collective->comm;
    for (int32_t i = 0; align->collectives_untold && i < comm->size; i++) {
        int32_t rank = comm->members ? comm->members[i] : i;
        uint32_t at = rank == entering
                          ? 0
                          : refrain_store_find(&align->ordinals, (uint32_t)rank, ordinal_key(comm, collective->kind));
        if (at && ((const struct ordinal *)refrain_store_at(&align->ordinals, at))->next > collective->ordinal)
            return true;
    }
    return false;
}

/* Counts a call of a collective that some member did not come to. */
static void incomplete(struct refrain_align *align, const struct collective *collective) {
    if (collective->untold)
        align->report.other_end_untold++;
    else
        align->report.unmatched_collectives++;
    not_shareable(align, "some collectives are without some of their members");
}

/* Has come what a location with that rule waits for, and when? */
static bool may_leave(const struct collective *collective, uint8_t rule, struct refrain_moment *cause) {
    bool from_root = rule == RULE_FROM_ROOT;
    *cause = from_root ? collective->root_enter : collective->latest_enter;
    return from_root ? collective->root_entered : collective->entered >= (uint32_t)collective->comm->size;
}

/* Wakes those for whom the collective has become complete enough, or who would wait for ever. */
static void wake(struct refrain_align *align, uint32_t number) {
    struct collective *collective = refrain_store_at(&align->collectives, number);
    struct list waiters = collective->waiters, kept = {0, 0};
    for (uint32_t at = waiters.first, next; at; at = next) {
        const struct waiter *waiter = refrain_store_at(&align->waiters, at);
        next = waiter->entry.next;
        struct location *location = &align->locations[waiter->location];
        struct refrain_moment cause;
        bool complete = may_leave(collective, location->rule, &cause);
        if (!complete && !collective->broken) {
            list_append(&align->waiters, &kept, at);
            continue;
        }
        uint32_t woken = waiter->location;
        refrain_store_give(&align->waiters, at);
        location->wait_collective = false;
        if (!complete)
            incomplete(align, collective);
        satisfy(align, woken, complete ? &cause : NULL);
    }
    collective->waiters = kept;
}

/* Members of the communicator that this process has. */
static uint32_t own_members(struct refrain_align *align, const struct refrain_comm_info *comm) {
    if (!align->share)
        return (uint32_t)comm->size;
    if (comm->index >= align->n_own_members) {
        size_t n = (size_t)comm->index + 64;
        uint32_t *larger = refrain_realloc(align->own_members, n * sizeof *larger);
        if (!larger) {
            align->no_memory = true;
            return 0;
        }
        memset(larger + align->n_own_members, 0, (n - align->n_own_members) * sizeof *larger);
        align->own_members = larger;
        align->n_own_members = n;
    }
    uint32_t *known = &align->own_members[comm->index];
    if (*known == 0) {
        *known = 1;
        for (int32_t i = 0; i < comm->size; i++)
            *known += align->share->owns(align->share, comm->members ? comm->members[i] : i);
    }
    return *known - 1;
}

/* The collective is no longer needed when all who were to leave have, and nobody else will tell of it. */
static void drop_collective(struct refrain_align *align, uint32_t number) {
    const struct collective *collective = refrain_store_at(&align->collectives, number);
    bool told = !align->share || collective->entered >= (uint32_t)collective->comm->size;
    if (collective->inside == 0 &&
        ((collective->left >= own_members(align, collective->comm) && told) || collective->broken))
        refrain_store_remove(&align->collectives, number);
}

static void left_collective(struct refrain_align *align, struct location *location) {
    uint32_t number = location->inside;
    struct collective *collective = refrain_store_at(&align->collectives, number);
    location->inside = 0;
    collective->inside--;
    collective->left++;
    drop_collective(align, number);
}

static uint32_t find_collective(struct refrain_align *align, const struct refrain_comm_info *comm, uint64_t kind,
                                uint64_t ordinal, int32_t rank) {
    uint64_t key = ordinal_key(comm, kind);
    uint32_t at = refrain_store_find(&align->collectives, key, ordinal);
    if (at || !(at = refrain_store_add(&align->collectives, key, ordinal)))
        return at;
    struct collective *collective = refrain_store_at(&align->collectives, at);
    collective->comm = comm;
    collective->ordinal = ordinal;
    collective->kind = (uint32_t)kind;
    collective->untold = was_passed_by(align, collective, rank);
    collective->broken = collective->untold || never_complete(align, collective);
    return at;
}

static uint32_t ordinal_of(struct refrain_align *align, const struct refrain_event *event, uint64_t key) {
    uint32_t at = refrain_store_find(&align->ordinals, (uint32_t)event->rank, key);
    if (!at && !(at = refrain_store_add(&align->ordinals, (uint32_t)event->rank, key)))
        align->no_memory = true;
    return at;
}

/* Collectives that the rank comes to in a pause: for the others they never become complete. */
static void entered_untold(struct refrain_align *align, const struct refrain_event *event) {
    uint64_t kind = (uint64_t)event->tag * 2 + (event->request >= 0);
    uint64_t n = event->value > 0 ? (uint64_t)event->value : 0;
    uint32_t at = event->comm && event->tag > 0 && event->tag < REFRAIN_COLLECTIVES
                      ? ordinal_of(align, event, ordinal_key(event->comm, kind))
                      : 0;
    if (!at)
        return;
    struct ordinal *ordinal = refrain_store_at(&align->ordinals, at);
    uint64_t first = ordinal->next;
    ordinal->next += n;
    align->collectives_untold = true;
    for (uint32_t i = 1; i < align->collectives.n; i++) {
        struct collective *collective = refrain_store_at(&align->collectives, i);
        if (!refrain_store_live(&align->collectives, i) || collective->comm != event->comm ||
            collective->kind != kind || collective->ordinal < first || collective->ordinal >= first + n)
            continue;
        collective->broken = collective->untold = true;
        wake(align, i);
    }
}

/* Members have entered, the latest of them then. */
static void entered_at(struct collective *collective, const struct refrain_moment *when, bool first) {
    struct refrain_moment *latest = &collective->latest_enter;
    if (first || when->virtual_ns > latest->virtual_ns)
        latest->virtual_ns = when->virtual_ns;
    if (first || when->real_ns > latest->real_ns)
        latest->real_ns = when->real_ns;
}

/* A location of this process has entered: what others have to know of that. */
static void tell_entered(struct refrain_align *align, struct collective *collective, bool is_root) {
    uint32_t own = own_members(align, collective->comm);
    struct refrain_share_entry entry = {
        .ordinal = collective->ordinal, .comm = collective->comm->index, .kind = collective->kind};
    if (own == (uint32_t)collective->comm->size)
        return;
    if (is_root) {
        entry.from_root = true;
        entry.when = collective->root_enter;
        align->share->entered(align->share, collective->comm, &entry);
    }
    if (++collective->own_entered == own) {
        entry.from_root = false;
        entry.entered = own;
        entry.when = collective->latest_enter; /* of others too, where they have told: the latest of all is asked for */
        align->share->entered(align->share, collective->comm, &entry);
    }
}

static void entered_collective(struct refrain_align *align, uint32_t number, struct refrain_event *event) {
    struct location *location = &align->locations[number];
    uint8_t rule = rules[event->region->role];
    if (!event->comm || event->region->role == REFRAIN_COLLECTIVE_NONE)
        return;
    uint32_t at = ordinal_of(align, event, ordinal_key(event->comm, kind_of(event)));
    if (!at)
        return;
    struct ordinal *counted = refrain_store_at(&align->ordinals, at);
    uint64_t ordinal = counted->next++;
    if (ordinal > 0 && counted->thread != event->thread)
        not_shareable(align, "threads of one rank call the same collective");
    counted->thread = event->thread;
    bool alone = event->comm->size <= 1;
    uint64_t scope = alone ? (uint64_t)1 << 23 | (uint32_t)event->rank : event->comm->index;
    event->match = scope << 40 | (kind_of(event) & 63) << 34 | (ordinal + 1);
    /* A nonblocking one makes nobody wait in its call. */
    if (!align->adjust || rule == RULE_NONE || event->comm->remote_size > 0 || alone || event->request >= 0)
        return;
    if (location->inside)
        left_collective(align, location);
    if (!(at = find_collective(align, event->comm, kind_of(event), ordinal, event->rank))) {
        align->no_memory = true;
        return;
    }
    struct collective *collective = refrain_store_at(&align->collectives, at);
    location->inside = at;
    location->inside_region = event->region;
    bool empty = event->received == 0 && event->region->role != REFRAIN_COLLECTIVE_BARRIER;
    location->rule = empty ? RULE_NONE : rule; /* who receives nothing need not wait either */
    location->is_root = event->peer == event->rank;
    collective->inside++;
    collective->entered++;
    struct refrain_moment now = moment_of(align, number);
    entered_at(collective, &now, collective->entered == 1);
    if (location->is_root) {
        collective->root_entered = true;
        collective->root_enter = now;
    }
    if (align->share)
        tell_entered(align, collective, location->is_root);
    wake(align, at);
}

void refrain_align_take_entry(struct refrain_align *align, const struct refrain_comm_info *comm,
                              const struct refrain_share_entry *entry) {
    uint32_t at = find_collective(align, comm, entry->kind, entry->ordinal, -1);
    if (!at) {
        align->no_memory = true;
        return;
    }
    struct collective *collective = refrain_store_at(&align->collectives, at);
    if (entry->from_root) {
        collective->root_entered = true;
        collective->root_enter = entry->when;
    } else {
        entered_at(collective, &entry->when, collective->entered == 0);
        collective->entered += entry->entered;
    }
    wake(align, at);
    drop_collective(align, at);
}

/* The group leaves a collective: it may have to wait for others. */
static void leaving_collective(struct refrain_align *align, uint32_t number) {
    struct location *location = &align->locations[number];
    struct collective *collective = refrain_store_at(&align->collectives, location->inside);
    bool waits = location->rule == RULE_ALL || (location->rule == RULE_FROM_ROOT && !location->is_root) ||
                 (location->rule == RULE_TO_ROOT && location->is_root);
    struct refrain_moment cause;
    if (!waits)
        return;
    if (may_leave(collective, location->rule, &cause)) {
        hold_until(align, location, &cause);
    } else if (collective->broken) {
        incomplete(align, collective);
    } else if (add_waiter(align, &collective->waiters, number, 0)) {
        location->waiting++;
        location->wait_collective = true;
    }
}

/* ---- groups ---- */

static bool is_message(const struct refrain_align *align, uint32_t number) {
    return ((const struct message *)refrain_store_at(&align->messages, number))->untold == 0;
}

/* The rank has no more events: nobody waits for it, and nothing is kept for it. */
static void rank_ended(struct refrain_align *align, int32_t rank) {
    for (uint32_t i = 1; i < align->channels.n; i++) {
        if (!refrain_store_live(&align->channels, i))
            continue;
        struct channel *channel = refrain_store_at(&align->channels, i);
        if ((int32_t)(channel->entry.a >> 32) == rank && channel->waiters.first) {
            while (channel->waiters.first) {
                struct waiter waiter = *(struct waiter *)refrain_store_at(&align->waiters, channel->waiters.first);
                list_pop(&align->waiters, &channel->waiters);
                if (waiter.untold)
                    continue;
                unmatched_receive(align);
                satisfy(align, waiter.location, NULL);
            }
        }
        if ((int32_t)(uint32_t)channel->entry.a == rank) {
            while (channel->sends.first) {
                align->report.unmatched_sends += is_message(align, channel->sends.first);
                list_pop(&align->messages, &channel->sends);
            }
            channel->passed = 0;
        }
        if ((int32_t)(channel->entry.a >> 32) == rank)
            channel->passed = 0;
        drop_channel(align, i);
    }
    for (uint32_t i = 1; i < align->collectives.n; i++) {
        if (!refrain_store_live(&align->collectives, i))
            continue;
        struct collective *collective = refrain_store_at(&align->collectives, i);
        if (!collective->broken && never_complete(align, collective)) {
            collective->broken = true;
            wake(align, i);
        }
    }
}

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

static struct refrain_event *group_add(struct location *location) {
    if (location->n_group == location->capacity_group) {
        size_t larger = location->capacity_group ? location->capacity_group * 2 : 4;
        struct refrain_event *group = refrain_realloc(location->group, larger * sizeof *group);
        if (!group)
            return NULL;
        location->group = group;
        location->capacity_group = larger;
    }
    return &location->group[location->n_group++];
}

static bool completes(const struct refrain_event *event) {
    const unsigned kinds = 1u << REFRAIN_EVENT_RECV | 1u << REFRAIN_EVENT_SEND_COMPLETE |
                           1u << REFRAIN_EVENT_COLLECTIVE_COMPLETE | 1u << REFRAIN_EVENT_CANCEL;
    return kinds >> event->kind & 1;
}

static bool leaves_mpi(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_LEAVE && event->region->kind == REFRAIN_REGION_MPI;
}

static bool leaves_collective(const struct location *location, const struct refrain_event *event) {
    return location->inside && event->kind == REFRAIN_EVENT_LEAVE && event->region == location->inside_region;
}

/* Reads the location's next group: one event, or all that completes in an MPI call with the leaving of it. */
static bool read_group(struct refrain_align *align, struct location *location) {
    struct refrain_event *event = group_add(location);
    if (!event)
        return false;
    if (!read_event(location, event)) {
        location->n_group--;
        return true;
    }
    while (align->adjust && completes(event)) {
        if (!(event = group_add(location)))
            return false;
        if (!read_event(location, event)) {
            location->n_group--;
            break;
        }
        if (!completes(event) && !leaves_mpi(event)) {
            location->ahead = *event;
            location->has_ahead = true;
            location->n_group--;
            break;
        }
    }
    return true;
}

/* Reads a location's next group where that is one event which waits for nobody, as most are: true, and it is ready.
 * Else false: what was read, if anything, is read again by read_group(). */
static bool load_alone(struct refrain_align *align, struct location *location) {
    struct refrain_event *event = location->group;
    if (location->inside || location->has_ahead || location->exhausted || align->without_probes)
        return false;
    if (!location->stream->next(location->stream, event)) {
        location->exhausted = true;
        return false;
    }
    if (align->adjust && completes(event)) {
        location->ahead = *event;
        location->has_ahead = true;
        return false;
    }
    location->n_group = 1;
    location->time_ns = event->time_ns;
    if (align->adjust && !leaves_mpi(event))
        location->time_ns += location->shift_ns;
    if (align->adjust && location->time_ns < location->now_ns)
        location->time_ns = location->now_ns;
    return true;
}

/* Reads a location's next group, which may have to wait. Without memory it is ended, and no_memory set. */
static void load(struct refrain_align *align, uint32_t number) {
    struct location *location = &align->locations[number];
    location->n_group = 0;
    location->waiting = 0;
    if (!read_group(align, location)) {
        align->no_memory = true;
        location->n_group = 0;
        return;
    }
    if (location->n_group == 0) {
        int32_t rank = location->stream->rank;
        if (location->inside)
            left_collective(align, location);
        if (--align->running[rank] == 0)
            rank_ended(align, rank);
        return;
    }
    const struct refrain_event *last = last_of(location);
    bool elastic = completes(&location->group[0]) || leaves_mpi(last);
    location->time_ns = elastic || !align->adjust ? last->time_ns : last->time_ns + location->shift_ns;
    if (align->without_probes)
        location->time_ns = refrain_virtual_ns(&location->virtual_time, last->time_ns, last->probes_ns);
    if (align->adjust && location->time_ns < location->now_ns)
        location->time_ns = location->now_ns;
    if (align->adjust)
        for (uint32_t i = 0; i < location->n_group; i++)
            if (location->group[i].kind == REFRAIN_EVENT_RECV)
                received(align, number, i);
    if (leaves_collective(location, last))
        leaving_collective(align, number);
}

static bool is_ready(const struct location *location) {
    return location->n_group > 0 && location->waiting == 0;
}

/* Nothing can go on: the earliest location that waits is let through without its cause. False when none waits. */
static bool release_earliest(struct refrain_align *align) {
    uint32_t earliest = (uint32_t)align->n;
    for (uint32_t i = 0; i < align->n; i++)
        if (align->locations[i].waiting > 0 && (earliest == align->n || earlier(align, i, earliest)))
            earliest = i;
    if (earliest == align->n)
        return false;
    struct location *location = &align->locations[earliest];
    for (uint32_t i = 0; i < location->n_group; i++) {
        struct refrain_event *event = &location->group[i];
        uint32_t at = event->kind == REFRAIN_EVENT_RECV && event->peer >= 0
                          ? channel_of(align, ranks_key(event->peer, event->rank), what_key(event), false)
                          : 0;
        struct channel *channel = at ? refrain_store_at(&align->channels, at) : NULL;
        if (channel && remove_waiters(align, &channel->waiters, earliest, i)) {
            unmatched_receive(align);
            channel->passed++;
        }
    }
    if (location->wait_collective) {
        struct collective *collective = refrain_store_at(&align->collectives, location->inside);
        align->report.unmatched_collectives += remove_waiters(align, &collective->waiters, earliest, 0);
        location->wait_collective = false;
    }
    location->waiting = 1;
    satisfy(align, earliest, NULL);
    return true;
}

/* ---- the run ---- */

/* The location goes on to the end of its group, in virtual time as in real time. */
static void pass_virtually(struct location *location, const struct refrain_event *last) {
    struct refrain_moment now = {last->time_ns,
                                 refrain_virtual_ns(&location->virtual_time, last->time_ns, last->probes_ns)};
    bool enters = last->kind == REFRAIN_EVENT_ENTER && last->region->kind == REFRAIN_REGION_MPI;
    refrain_virtual_pass(&location->virtual_time, now, last->probes_ns, enters);
}

/* The location's group is the one that is given now. */
static void begin_group(struct refrain_align *align, struct location *location) {
    const struct refrain_event *last = last_of(location);
    align->emitting = location;
    align->given = 0;
    location->shift_ns = location->time_ns - last->time_ns;
    location->now_ns = location->time_ns;
    align->now_ns = location->time_ns;
    if (align->without_probes)
        pass_virtually(location, last);
}

/* All of a group has been given. Its location's next one follows at once where no other is earlier, as is often so. */
static void given_group(struct refrain_align *align, struct location *location) {
    if (!load_alone(align, location)) {
        if (leaves_collective(location, last_of(location)))
            left_collective(align, location);
        align->emitting = NULL;
        load(align, number_of(align, location));
        if (align->no_memory || !is_ready(location))
            return;
    }
    if (align->n_heap > 0 && !is_earlier(location, &align->locations[align->heap[0]]))
        location = &align->locations[queue_exchange(align, number_of(align, location))];
    begin_group(align, location);
}

static bool any_waits(const struct refrain_align *align) {
    for (size_t i = 0; i < align->n; i++)
        if (align->locations[i].waiting > 0)
            return true;
    return false;
}

/* What other processes have told, now and then, or where nothing can be done without it. False: the run ends here. */
static bool look_for_news(struct refrain_align *align) {
    bool stuck = !align->emitting && align->n_heap == 0;
    while (!align->share->wrong && !align->no_memory && stuck) {
        if (!align->share->news(align->share, align, true)) {
            if (any_waits(align))
                not_shareable(align, "what is left waits for each other");
            return false;
        }
        stuck = align->n_heap == 0;
    }
    if (++align->turns >= TURNS_BETWEEN_NEWS) {
        align->turns = 0;
        align->share->news(align->share, align, false);
    }
    return !align->share->wrong && !align->no_memory;
}

const struct refrain_event *refrain_align_next(struct refrain_align *align) {
    if (align->emitting && align->given == align->emitting->n_group)
        given_group(align, align->emitting);
    if (align->no_memory)
        return NULL;
    if (align->share && !look_for_news(align))
        return NULL;
    if (!align->emitting) {
        while (align->n_heap == 0)
            if (align->share || !release_earliest(align))
                return NULL;
        begin_group(align, &align->locations[queue_take(align)]);
    }
    struct location *location = align->emitting;
    uint32_t number = (uint32_t)align->given++;
    struct refrain_event *event = &location->group[number];
    if (event->kind >= REFRAIN_EVENT_UNTOLD_SENDS)
        not_shareable(align, "some messages or collectives passed in a pause");
    align->report.events++;
    if (align->adjust)
        event->time_ns = location->time_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        sent(align, number_of(align, location), event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        entered_collective(align, number_of(align, location), event);
        break;
    case REFRAIN_EVENT_RECV:
        if (!align->adjust)
            received(align, number_of(align, location), number);
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
        sent_untold(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        received_untold(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        entered_untold(align, event);
        break;
    default:
        break;
    }
    return event;
}

size_t refrain_align_location(const struct refrain_align *align) {
    return align->emitting ? number_of(align, align->emitting) : align->n;
}

bool refrain_align_failed(const struct refrain_align *align) {
    return align->no_memory;
}

void refrain_align_report(const struct refrain_align *align, struct refrain_cursor_report *report) {
    *report = align->report;
    for (uint32_t i = 1; i < align->channels.n && align->n_heap == 0; i++)
        if (refrain_store_live(&align->channels, i)) {
            const struct channel *channel = refrain_store_at(&align->channels, i);
            for (uint32_t at = channel->sends.first; at; at = next_of(&align->messages, at))
                report->unmatched_sends += is_message(align, at);
        }
}

/* One with empty tables for n locations. */
static struct refrain_align *make(size_t n) {
    struct refrain_align *align = refrain_calloc(1, sizeof *align);
    if (!align)
        return NULL;
    align->n = n;
    align->channels.entry_bytes = sizeof(struct channel);
    align->messages.entry_bytes = sizeof(struct message);
    align->waiters.entry_bytes = sizeof(struct waiter);
    align->collectives.entry_bytes = sizeof(struct collective);
    align->ordinals.entry_bytes = sizeof(struct ordinal);
    align->locations = refrain_calloc(n + 1, sizeof *align->locations);
    align->heap = refrain_calloc(n + 1, sizeof *align->heap);
    if (align->locations && align->heap)
        return align;
    refrain_align_close(align);
    return NULL;
}

struct refrain_align *refrain_align_open(struct refrain_stream *const *streams, size_t n,
                                         enum refrain_align_times times, struct refrain_share *share) {
    struct refrain_align *align = make(n);
    if (!align)
        return NULL;
    align->adjust = times != REFRAIN_TIMES_AS_THEY_ARE;
    align->without_probes = times == REFRAIN_TIMES_WITHOUT_PROBES;
    align->share = share;
    align->now_ns = INT64_MIN;
    for (size_t i = 0; i < n; i++)
        if ((size_t)streams[i]->rank >= align->n_ranks)
            align->n_ranks = (size_t)streams[i]->rank + 1;
    align->running = refrain_calloc(align->n_ranks + 1, sizeof *align->running);
    if (!align->running) {
        refrain_align_close(align);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        align->locations[i].stream = streams[i];
        align->locations[i].now_ns = INT64_MIN;
        align->running[streams[i]->rank]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (share && !share->owns(share, streams[i]->rank))
            continue;
        load(align, i);
        if (is_ready(&align->locations[i]))
            queue_put(align, i);
    }
    return align;
}

void refrain_align_close(struct refrain_align *align) {
    if (!align)
        return;
    for (size_t i = 0; i < align->n && align->locations; i++)
        refrain_free(align->locations[i].group);
    refrain_store_close(&align->channels);
    refrain_store_close(&align->messages);
    refrain_store_close(&align->waiters);
    refrain_store_close(&align->collectives);
    refrain_store_close(&align->ordinals);
    refrain_free(align->locations);
    refrain_free(align->heap);
    refrain_free(align->running);
    refrain_free(align->own_members);
    refrain_free(align);
}
