/* posting_order.c: receives under way, and what overtakes them (posting_order.h). */
#include "match/posting_order.h"
#include "common/arena.h"
#include "common/array.h"

#include <string.h>

enum state {
    UNDER_WAY, /* what it will receive is not known */
    KNOWN,     /* its completion has been read, but not given */
    KNOWN_ANY, /* it is given up: peer and tag may be any (-1), it is not known which */
    NOT_FOUND, /* its completion is not among the events that were read ahead */
    OVER,      /* completed or cancelled */
};

struct refrain_posted {
    int64_t request;
    const struct refrain_comm_info *comm;
    int64_t tag;
    int32_t peer;
    enum state state;
};

/* A channel, by its communicator and source, and tag. */
struct passed {
    struct refrain_store_entry entry;
    int64_t latest; /* the receives of smaller requests were posted before the latest one of it that was given */
};

/* An event that was read ahead. `before`: the receives of smaller requests were posted before it. */
struct refrain_ahead {
    struct refrain_event event;
    int64_t before;
};

/* ---- receives under way ---- */

/* Makes room for one more: those that are over go, and the table grows where others fill half of it. */
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

static bool post(struct refrain_posting_order *order, const struct refrain_event *event) {
    if (event->request < 0 || (order->n > 0 && event->request <= order->latest))
        return true;
    if (order->n == order->capacity && !make_room(order))
        return false;
    order->latest = event->request;
    order->posted[order->n++] =
        (struct refrain_posted){.request = event->request, .comm = event->comm, .state = UNDER_WAY};
    return true;
}

/* The number of the first receive of that request or a later one. */
static size_t find(const struct refrain_posting_order *order, int64_t request) {
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
    size_t i = request < 0 ? order->n : find(order, request);
    return i < order->n && order->posted[i].request == request ? &order->posted[i] : NULL;
}

/* The receive's completion has been given. */
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

/* Of any: a source or tag that is not known (-1). */
static bool is_of(int64_t any, int64_t one) {
    return any < 0 || any == one;
}

/* The receive may have been overtaken by one that was given already, as its end was not found ahead. */
static bool was_passed(const struct refrain_posting_order *order, const struct refrain_event *event) {
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
            is_of(event->peer, (int32_t)(uint32_t)one->entry.a) && is_of(event->tag, (int64_t)one->entry.b) &&
            one->latest > event->request)
            return true;
    }
    return false;
}

static bool ends_receive(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_RECV || event->kind == REFRAIN_EVENT_CANCEL ||
           event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES;
}

/* What an event says of receives, as soon as it is read: *before of one that receives; *found where it is the
 * completion of one of which nothing was known, else null. */
static bool note(struct refrain_posting_order *order, struct refrain_event *event, int64_t *before,
                 const struct refrain_posted **found) {
    bool cancelled = event->kind == REFRAIN_EVENT_CANCEL;
    struct refrain_posted *posted = ends_receive(event) ? posted_by(order, event->request) : NULL;
    *before = event->request >= 0 ? event->request : order->latest + 1;
    *found = posted && posted->state == UNDER_WAY ? posted : NULL;
    if (posted && posted->state == NOT_FOUND) {
        event->unsure = !cancelled && was_passed(order, event);
        if (--order->n_late == 0)
            refrain_store_close(&order->passed);
    }
    if (posted) {
        bool any = event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES && (event->peer < 0 || event->tag < 0);
        posted->state = any ? KNOWN_ANY : KNOWN;
        posted->tag = event->tag;
        posted->peer = cancelled ? -1 : event->peer;
    }
    return event->kind != REFRAIN_EVENT_RECV_POST || post(order, event);
}

static struct refrain_ahead *ahead_at(const struct refrain_posting_order *order, size_t i) {
    return &order->ahead[(order->next_ahead + i) & (order->capacity_ahead - 1)];
}

static bool grow_ahead(struct refrain_posting_order *order) {
    size_t before = order->capacity_ahead;
    if (!REFRAIN_ARENA_ROOM(order->ahead, before, order->capacity_ahead))
        return false;
    if (before) /* what went round the end follows it now */
        memcpy(order->ahead + before, order->ahead, order->next_ahead * sizeof *order->ahead);
    return true;
}

/* Reads one event more, unless the stream ends. */
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
    return note(order, &ahead->event, &ahead->before, found);
}

/* ---- what overtakes what ---- */

/* May the receive be of the event's channel, for all that is known? */
static bool may_be_overtaken(const struct refrain_posted *posted, const struct refrain_event *event) {
    return posted->state == UNDER_WAY && posted->comm == event->comm;
}

/* The event's receive may overtake one whose end is not known. False without memory. */
static bool pass(struct refrain_posting_order *order, const struct refrain_event *event, int64_t before) {
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

/* Reads until it is known of which channels those are that were posted before the event's receive. False without
 * memory. */
static bool look_ahead(struct refrain_posting_order *order, struct refrain_stream *stream,
                       const struct refrain_event *event, int64_t before) {
    size_t n = 0;
    for (size_t i = order->first, end = find(order, before); i < end; i++)
        n += may_be_overtaken(&order->posted[i], event);
    while (n > 0 && !order->ended && order->n_ahead < REFRAIN_READ_AHEAD) {
        const struct refrain_posted *found;
        if (!read_ahead(order, stream, &found))
            return false;
        n -= found && found->comm == event->comm && found->request < before;
    }
    bool late = false;
    for (size_t i = order->first, end = find(order, before); (n > 0 || order->n_late > 0) && i < end; i++) {
        struct refrain_posted *posted = &order->posted[i];
        if (may_be_overtaken(posted, event)) {
            posted->state = NOT_FOUND;
            order->n_late++;
        }
        late |= posted->state == NOT_FOUND && posted->comm == event->comm;
    }
    return !late || pass(order, event, before);
}

/* How many receives of the event's channel were posted before it and complete later. */
static uint32_t overtaken(const struct refrain_posting_order *order, const struct refrain_event *event,
                          int64_t before) {
    uint32_t n = 0;
    for (size_t i = order->first, end = find(order, before); i < end; i++) {
        const struct refrain_posted *posted = &order->posted[i];
        n += posted->state == KNOWN && posted->comm == event->comm && posted->peer == event->peer &&
             posted->tag == event->tag;
    }
    return n;
}

/* Was one of them given up, and it is not known which message it took? */
static bool overtakes_any(const struct refrain_posting_order *order, const struct refrain_event *event,
                          int64_t before) {
    for (size_t i = order->first, end = find(order, before); i < end; i++) {
        const struct refrain_posted *posted = &order->posted[i];
        if (posted->state == KNOWN_ANY && posted->comm == event->comm && is_of(posted->peer, event->peer) &&
            is_of(posted->tag, event->tag))
            return true;
    }
    return false;
}

/* Does the event have a message that others, posted before, may have to leave to it? */
static bool may_overtake(const struct refrain_posting_order *order, const struct refrain_event *event, int64_t before) {
    bool receives = event->kind == REFRAIN_EVENT_RECV || event->kind == REFRAIN_EVENT_UNTOLD_RECEIVES;
    return receives && order->first < order->n && order->posted[order->first].request < before;
}

/* The event is given now. Null without memory. */
static struct refrain_event *give(struct refrain_posting_order *order, struct refrain_event *event) {
    if (ends_receive(event))
        end_receive(order, event->request);
    return event;
}

/* The same for one that may overtake others. */
static struct refrain_event *give_ahead(struct refrain_posting_order *order, struct refrain_stream *stream,
                                        const struct refrain_event *event, int64_t before) {
    if (event != &order->given)
        order->given = *event; /* as reading ahead may take its place */
    if (!look_ahead(order, stream, &order->given, before)) {
        order->no_memory = true;
        return NULL;
    }
    order->given.overtook = overtaken(order, &order->given, before);
    order->given.unsure |= overtakes_any(order, &order->given, before);
    return give(order, &order->given);
}

struct refrain_event *refrain_posting_order_take(struct refrain_posting_order *order, struct refrain_stream *stream,
                                                 struct refrain_event *event) {
    int64_t before;
    const struct refrain_posted *found;
    order->no_memory = !note(order, event, &before, &found);
    if (order->no_memory)
        return NULL;
    return may_overtake(order, event, before) ? give_ahead(order, stream, event, before) : give(order, event);
}

struct refrain_event *refrain_posting_order_go_on(struct refrain_posting_order *order, struct refrain_stream *stream) {
    if (order->n_ahead == 0)
        return NULL;
    const struct refrain_ahead *ahead = ahead_at(order, 0);
    int64_t before = ahead->before;
    order->given = ahead->event;
    order->next_ahead = (order->next_ahead + 1) & (order->capacity_ahead - 1);
    order->behind = --order->n_ahead > 0 || order->ended;
    return may_overtake(order, &order->given, before) ? give_ahead(order, stream, &order->given, before)
                                                      : give(order, &order->given);
}

void refrain_posting_order_close(struct refrain_posting_order *order) {
    refrain_free(order->posted);
    refrain_free(order->ahead);
    refrain_store_close(&order->passed);
    *order = (struct refrain_posting_order){0};
}
