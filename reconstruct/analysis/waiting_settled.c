/* waiting_settled.c: holds events until the waits of their calls are known (waiting_settled.h). */
#include "analysis/waiting_settled.h"
#include "analysis/waiting_parts.h"
#include "common/array.h"

#include <string.h>

struct held {
    struct refrain_event event;          /* its waits: those below */
    struct refrain_wait wait, peer_wait; /* ns 0: none */
    struct refrain_waiting_call *call;   /* the call that it leaves, or null */
};

struct refrain_settled {
    struct refrain_waiting *waiting;
    struct held given; /* the event returned last, or the next one */
    bool has_given;    /* the next one: it was not held */
    struct held *held; /* [first, n) are held; those before are zeroed */
    size_t first, n, capacity;
    bool ended;
};

/* ---- unknown waits ---- */

/* True if rank `rank` may have begun to receive a message of the call while the call was open. */
static bool may_receive(const struct refrain_waiting *waiting, int32_t rank,
                        const struct refrain_waiting_call *sender) {
    const struct refrain_location_index *index = &waiting->index;
    uint32_t end = (uint32_t)rank < index->n_ranks ? index->first_of_rank[rank + 1] : 0;
    for (uint32_t i = end ? index->first_of_rank[rank] : 0; i < end; i++) {
        const struct refrain_waiting_location *location = &waiting->locations[i];
        for (const struct refrain_waiting_call *call = location->call; call; call = call->outer)
            if (call->enter_ns > sender->waited_until_ns && call->enter_ns < sender->leave_ns)
                return true;
        const struct refrain_waiting_request *receive = location->receives;
        for (; receive && receive->posted_ns > sender->waited_until_ns; receive = receive->earlier)
            if (receive->posted_ns < sender->leave_ns)
                return true;
    }
    return false;
}

/* True if all waits of the call are known. Removes its known messages, so that they are not checked again. */
static bool is_settled(struct refrain_waiting *waiting, struct refrain_waiting_call *call) {
    for (struct refrain_waiting_message *message; (message = call->unsettled);) {
        if (!message->gone && may_receive(waiting, message->receiver, call))
            return false;
        call->unsettled = message->next_unsettled;
        refrain_waiting_release_message(waiting, message);
    }
    return true;
}

/* The end of the call is being returned, or all is closed: forgets what was kept to find its waits. Later waits are not
 * seen. */
static void let_go(struct refrain_settled *settled, struct refrain_waiting_call *call) {
    call->given = true;
    refrain_waiting_drop_unsettled(settled->waiting, call);
    refrain_waiting_release_call(settled->waiting, call);
}

/* ---- events that are held ---- */

static void fill(struct held *held, const struct refrain_event *event, struct refrain_waiting_call *call) {
    held->event = *event;
    held->wait = event->wait ? *event->wait : (struct refrain_wait){0};
    held->peer_wait = event->peer_wait ? *event->peer_wait : (struct refrain_wait){0};
    held->call = call;
}

/* Makes room for one more, by removing returned events. */
static bool make_room(struct refrain_settled *settled) {
    if (settled->n < settled->capacity)
        return true;
    if (settled->first > settled->capacity / 2) {
        size_t n = settled->n - settled->first;
        memmove(settled->held, settled->held + settled->first, n * sizeof *settled->held);
        memset(settled->held + n, 0, settled->first * sizeof *settled->held);
        settled->first = 0;
        settled->n = n;
        return true;
    }
    if (!REFRAIN_ARENA_ROOM(settled->held, settled->n, settled->capacity)) {
        settled->waiting->no_memory = true;
        return false;
    }
    memset(settled->held + settled->n, 0, (settled->capacity - settled->n) * sizeof *settled->held);
    return true;
}

/* Returns settled->given, with all waits of its call for receivers. */
static const struct refrain_event *give(struct refrain_settled *settled) {
    struct held *given = &settled->given;
    if (given->call) {
        given->peer_wait = given->call->as_sender;
        let_go(settled, given->call);
        given->call = NULL;
    }
    given->event.wait = given->wait.ns ? &given->wait : NULL;
    given->event.peer_wait = given->peer_wait.ns ? &given->peer_wait : NULL;
    return &given->event;
}

static const struct refrain_event *give_first(struct refrain_settled *settled) {
    struct held *first = &settled->held[settled->first];
    settled->given = *first;
    memset(first, 0, sizeof *first); /* zeros make a copy of this memory smaller */
    if (++settled->first == settled->n)
        settled->first = settled->n = 0;
    return give(settled);
}

/* True if the first held event can be returned. */
static bool is_due(struct refrain_settled *settled) {
    if (settled->first == settled->n)
        return false;
    struct refrain_waiting_call *call = settled->held[settled->first].call;
    return !call || settled->ended || settled->n - settled->first >= REFRAIN_WAITING_HELD ||
           is_settled(settled->waiting, call);
}

bool refrain_settled_put(struct refrain_settled *settled, const struct refrain_event *event) {
    struct refrain_waiting *waiting = settled->waiting;
    if (settled->first == settled->n && (!waiting->left || is_settled(waiting, waiting->left))) {
        fill(&settled->given, event, waiting->left);
        settled->has_given = true;
        return true;
    }
    if (!make_room(settled))
        return false;
    fill(&settled->held[settled->n++], event, waiting->left);
    return true;
}

const struct refrain_event *refrain_settled_get(struct refrain_settled *settled) {
    if (settled->has_given) {
        settled->has_given = false;
        return give(settled);
    }
    return is_due(settled) ? give_first(settled) : NULL;
}

void refrain_settled_end(struct refrain_settled *settled) {
    settled->ended = true;
}

/* ---- open and close ---- */

struct refrain_settled *refrain_settled_open(struct refrain_waiting *waiting) {
    struct refrain_settled *settled = refrain_calloc(1, sizeof *settled);
    if (!settled)
        return NULL;
    settled->waiting = waiting;
    waiting->settles = true;
    return settled;
}

uint64_t refrain_settled_unseen(const struct refrain_settled *settled) {
    return settled->waiting->n_unseen;
}

void refrain_settled_close(struct refrain_settled *settled) {
    if (!settled)
        return;
    for (size_t i = settled->first; i < settled->n; i++)
        if (settled->held[i].call)
            let_go(settled, settled->held[i].call);
    settled->waiting->settles = false;
    refrain_free(settled->held);
    refrain_free(settled);
}
