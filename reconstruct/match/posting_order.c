/* posting_order.c: pending receives, and which receives overtake them (posting_order.h). */
#include "match/posting_order.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

enum state {
    PENDING,   /* pending, and its message is unknown */
    KNOWN,     /* its completion has been read, but not delivered */
    KNOWN_ANY, /* freed while pending; a source or tag of -1 is unknown */
    NOT_FOUND, /* pending; its completion is not among the events that were read ahead */
    OVER,      /* its completion or cancellation was delivered */
};

struct refrain_posted {
    int64_t request;
    const struct refrain_comm_info *comm;
    int64_t tag;
    int32_t peer;
    enum state state;
};

/* A channel, keyed by communicator and source, and by tag. Some of its receives may have overtaken one that is
 * NOT_FOUND. */
struct passed {
    struct refrain_store_entry entry;
    int64_t latest; /* the latest of these receives was posted after all requests with smaller numbers */
};

/* An event that was read ahead. If it is a receive, this was posted after all requests with numbers below `before`. */
struct refrain_ahead {
    struct refrain_event event;
    int64_t before;
};

/* ---- pending receives ---- */

/* Makes room for one more receive: removes those that are OVER, and grows the table if it is still at least half full.
 * False without memory. */
static bool make_room(struct refrain_posting_order *order) {
    size_t kept = 0;
    for (size_t i = order->first; i < order->n; i++)
        if (order->posted[i].state != OVER)
            order->posted[kept++] = order->posted[i];
    order->first = 0;
    order->n = kept;
    if (kept < order->capacity / 2)
        return true;
    return REFRAIN_ARENA_ROOM(order->posted, order->capacity, order->capacity);
}

static bool add_posted(struct refrain_posting_order *order, const struct refrain_event *event) {
    if (event->request < 0 || (order->n > 0 && event->request <= order->latest))
        return true;
    if (order->n == order->capacity && !make_room(order))
        return false;
    order->latest = event->request;
    order->posted[order->n++] =
        (struct refrain_posted){.request = event->request, .comm = event->comm, .state = PENDING};
    return true;
}

/* The index of the first receive with this request or a later one. */
static size_t find_posted(const struct refrain_posting_order *order, int64_t request) {
    size_t low = order->first, high = order->n;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (order->posted[middle].request < request)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static struct refrain_posted *posted_by(const struct refrain_posting_order *order, int64_t request) {
    size_t i = request < 0 ? order->n : find_posted(order, request);
    return i < order->n && order->posted[i].request == request ? &order->posted[i] : NULL;
}

/* Marks the receive as OVER. Called when its completion is delivered. */
static void end_receive(struct refrain_posting_order *order, int64_t request) {
    struct refrain_posted *posted = posted_by(order, request);
    if (posted)
        posted->state = OVER;
    while (order->first < order->n && order->posted[order->first].state == OVER)
        order->first++;
}

/* ---- reading ahead ---- */

static uint64_t source_key(const struct refrain_event *event) {
    return (uint64_t)(event->comm ? event->comm->index : UINT32_MAX) << 32 | (uint32_t)event->peer;
}

/* True if the values match. `any` matches all if it is unknown (-1). */
static bool matches(int64_t any, int64_t one) {
    return any < 0 || any == one;
}

/* True if a receive that was delivered may have overtaken this one, whose completion was not found ahead. */
static bool may_be_passed(const struct refrain_posting_order *order, const struct refrain_event *event) {
    const struct refrain_store *passed = &order->passed;
    uint64_t source = source_key(event), tag = (uint64_t)event->tag;
    if (passed->keys.n >= REFRAIN_MOST_PASSED)
        return true;
    if (event->peer >= 0 && event->tag >= 0) {
        uint32_t at = refrain_store_find(passed, source, tag);
        return at && ((struct passed *)refrain_store_at(passed, at))->latest > event->request;
    }
    for (uint32_t i = 1; i < passed->n; i++) {
        const struct passed *one = refrain_store_at(passed, i);
        if (refrain_store_live(passed, i) && one->entry.a >> 32 == source >> 32 &&
            matches(event->peer, (int32_t)(uint32_t)one->entry.a) && matches(event->tag, (int64_t)one->entry.b) &&
            one->latest > event->request)
            return true;
    }
    return false;
}

static bool ends_receive(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_RECV || event->kind == REFRAIN_EVENT_CANCEL ||
           event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES;
}

/* Updates the receives after an event was read. *before: if the event is a receive, this was posted after all requests
 * with smaller numbers. *found: the receive that the event completes, if its message was unknown, else null. False
 * without memory.
 */
static bool note_event(struct refrain_posting_order *order, struct refrain_event *event, int64_t *before,
                       const struct refrain_posted **found) {
    bool cancelled = event->kind == REFRAIN_EVENT_CANCEL;
    struct refrain_posted *posted = ends_receive(event) ? posted_by(order, event->request) : NULL;
    *before = event->request >= 0 ? event->request : order->latest + 1;
    *found = posted && posted->state == PENDING ? posted : NULL;
    if (posted && posted->state == NOT_FOUND) {
        event->unsure = !cancelled && may_be_passed(order, event);
        if (--order->n_late == 0)
            refrain_store_close(&order->passed);
    }
    if (posted) {
        bool any = event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES && (event->peer < 0 || event->tag < 0);
        posted->state = any ? KNOWN_ANY : KNOWN;
        posted->tag = event->tag;
        posted->peer = cancelled ? -1 : event->peer;
    }
    return event->kind != REFRAIN_EVENT_RECV_POST || add_posted(order, event);
}

static struct refrain_ahead *ahead_at(const struct refrain_posting_order *order, size_t i) {
    return &order->ahead[(order->next_ahead + i) & (order->capacity_ahead - 1)];
}

static bool grow_ahead(struct refrain_posting_order *order) {
    size_t before = order->capacity_ahead;
    if (!REFRAIN_ARENA_ROOM(order->ahead, before, order->capacity_ahead))
        return false;
    if (before) /* the entries before next_ahead had wrapped around the end; they follow it now */
        memcpy(order->ahead + before, order->ahead, order->next_ahead * sizeof *order->ahead);
    return true;
}

/* Reads one more event. Sets `ended` if there is none. False without memory. */
static bool read_ahead(struct refrain_posting_order *order, struct refrain_stream *stream,
                       const struct refrain_posted **found) {
    *found = NULL;
    if (order->n_ahead == order->capacity_ahead && !grow_ahead(order))
        return false;
    struct refrain_ahead *ahead = ahead_at(order, order->n_ahead);
    const struct refrain_event *event = refrain_stream_next(stream);
    order->behind = true;
    order->ended = !event;
    if (order->ended)
        return true;
    ahead->event = *event;
    order->n_ahead++;
    return note_event(order, &ahead->event, &ahead->before, found);
}

/* ---- what overtakes what ---- */

/* True if the receive's message is unknown, and it may be of the event's channel. */
static bool may_be_overtaken(const struct refrain_posted *posted, const struct refrain_event *event) {
    return posted->state == PENDING && posted->comm == event->comm;
}

/* Notes that the event's receive may overtake one whose completion was not found. False without memory. */
static bool note_overtaking(struct refrain_posting_order *order, const struct refrain_event *event, int64_t before) {
    if (event->peer < 0 || event->tag < 0 || order->passed.keys.n >= REFRAIN_MOST_PASSED)
        return true;
    order->passed.entry_bytes = sizeof(struct passed);
    uint64_t source = source_key(event), tag = (uint64_t)event->tag;
    uint32_t at = refrain_store_find(&order->passed, source, tag);
    if (!at && !(at = refrain_store_add(&order->passed, source, tag)))
        return false;
    struct passed *passed = refrain_store_at(&order->passed, at);
    if (passed->latest < before)
        passed->latest = before;
    return true;
}

/* Reads ahead until the channels of all receives are known that were posted before the event's one. False without
 * memory. */
static bool read_until_known(struct refrain_posting_order *order, struct refrain_stream *stream,
                             const struct refrain_event *event, int64_t before) {
    size_t n = 0;
    for (size_t i = order->first, end = find_posted(order, before); i < end; i++)
        n += may_be_overtaken(&order->posted[i], event);
    while (n > 0 && !order->ended && order->n_ahead < REFRAIN_READ_AHEAD) {
        const struct refrain_posted *found;
        if (!read_ahead(order, stream, &found))
            return false;
        n -= found && found->comm == event->comm && found->request < before;
    }
    bool late = false;
    for (size_t i = order->first, end = find_posted(order, before); (n > 0 || order->n_late > 0) && i < end; i++) {
        struct refrain_posted *posted = &order->posted[i];
        if (may_be_overtaken(posted, event)) {
            posted->state = NOT_FOUND;
            order->n_late++;
        }
        late |= posted->state == NOT_FOUND && posted->comm == event->comm;
    }
    return !late || note_overtaking(order, event, before);
}

/* Returns the number of receives of the event's channel that were posted before it and complete later. */
static uint32_t overtaken(const struct refrain_posting_order *order, const struct refrain_event *event,
                          int64_t before) {
    uint32_t n = 0;
    for (size_t i = order->first, end = find_posted(order, before); i < end; i++) {
        const struct refrain_posted *posted = &order->posted[i];
        n += posted->state == KNOWN && posted->comm == event->comm && posted->peer == event->peer &&
             posted->tag == event->tag;
    }
    return n;
}

/* True if a receive that was posted before the event's one was freed while pending, and may have got a message of the
 * event's channel. */
static bool overtakes_any(const struct refrain_posting_order *order, const struct refrain_event *event,
                          int64_t before) {
    for (size_t i = order->first, end = find_posted(order, before); i < end; i++) {
        const struct refrain_posted *posted = &order->posted[i];
        if (posted->state == KNOWN_ANY && posted->comm == event->comm && matches(posted->peer, event->peer) &&
            matches(posted->tag, event->tag))
            return true;
    }
    return false;
}

/* True if the event receives a message, and a receive that was posted before it is still pending. */
static bool may_overtake(const struct refrain_posting_order *order, const struct refrain_event *event, int64_t before) {
    bool receives = event->kind == REFRAIN_EVENT_RECV || event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES;
    return receives && order->first < order->n && order->posted[order->first].request < before;
}

/* Delivers the event. */
static struct refrain_event *deliver(struct refrain_posting_order *order, struct refrain_event *event) {
    if (ends_receive(event))
        end_receive(order, event->request);
    return event;
}

/* Delivers an event that may overtake others. Null without memory. */
static struct refrain_event *deliver_overtaking(struct refrain_posting_order *order, struct refrain_stream *stream,
                                                const struct refrain_event *event, int64_t before) {
    if (event != &order->given)
        order->given = *event; /* reading ahead may reuse its memory */
    if (!read_until_known(order, stream, &order->given, before)) {
        order->no_memory = true;
        return NULL;
    }
    order->given.overtook = overtaken(order, &order->given, before);
    order->given.unsure |= overtakes_any(order, &order->given, before);
    return deliver(order, &order->given);
}

struct refrain_event *refrain_posting_order_handle(struct refrain_posting_order *order, struct refrain_stream *stream,
                                                   struct refrain_event *event) {
    int64_t before;
    const struct refrain_posted *found;
    order->no_memory = !note_event(order, event, &before, &found);
    if (order->no_memory)
        return NULL;
    return may_overtake(order, event, before) ? deliver_overtaking(order, stream, event, before)
                                              : deliver(order, event);
}

struct refrain_event *refrain_posting_order_next_ahead(struct refrain_posting_order *order,
                                                       struct refrain_stream *stream) {
    if (order->n_ahead == 0)
        return NULL;
    const struct refrain_ahead *ahead = ahead_at(order, 0);
    int64_t before = ahead->before;
    order->given = ahead->event;
    order->next_ahead = (order->next_ahead + 1) & (order->capacity_ahead - 1);
    order->behind = --order->n_ahead > 0 || order->ended;
    return may_overtake(order, &order->given, before) ? deliver_overtaking(order, stream, &order->given, before)
                                                      : deliver(order, &order->given);
}

void refrain_posting_order_close(struct refrain_posting_order *order) {
    refrain_free(order->posted);
    refrain_free(order->ahead);
    refrain_store_close(&order->passed);
    *order = (struct refrain_posting_order){0};
}
