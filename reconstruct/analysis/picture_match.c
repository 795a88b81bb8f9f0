/* picture_match.c: tables of pending messages and collectives, and of pairs of ranks (picture_match.h). */
#include "analysis/picture_match.h"
#include "common/arena.h"
#include "common/table.h"

#include <math.h>

/* The object with this key, added if there is none. Null without memory. */
static void *find_or_add(struct refrain_picture *picture, struct refrain_table *table, uint64_t a, uint64_t b,
                         size_t bytes) {
    void *object = refrain_table_make(table, a, b, bytes);
    picture->no_memory |= !object;
    return object;
}

/* ---- entries of the tables ---- */

struct in_flight {
    double sent_ns, bytes, tag;
    uint32_t from, flags;
    int32_t dest, comm;
    uint32_t region; /* the region that sends it */
};

struct refrain_picture_joined {
    struct refrain_picture_collective shown;
    uint64_t match;
    uint32_t left;
};

struct pair {
    struct refrain_picture_pair shown;
};

struct refrain_picture_match {
    struct refrain_table messages, collectives; /* by refrain_event.match */
    struct refrain_table pairs;
};

struct refrain_picture_match *refrain_picture_match_open(void) {
    return refrain_calloc(1, sizeof(struct refrain_picture_match));
}

void refrain_picture_match_close(struct refrain_picture_match *match) {
    if (!match)
        return;
    refrain_table_free(&match->messages);
    refrain_table_free(&match->collectives);
    refrain_table_free(&match->pairs);
    refrain_free(match);
}

/* ---- messages ---- */

void refrain_picture_sent(struct refrain_picture *picture, struct refrain_picture_match *match, uint32_t location,
                          const struct refrain_event *event) {
    if (event->peer < 0 || !event->match)
        return;
    struct in_flight *message = find_or_add(picture, &match->messages, event->match, 0, sizeof *message);
    if (!message)
        return;
    message->sent_ns = (double)event->time_ns;
    message->bytes = (double)event->bytes;
    message->tag = (double)event->tag;
    message->from = location;
    message->flags = event->approximate ? REFRAIN_PICTURE_APPROXIMATE : 0;
    message->dest = event->peer;
    message->comm = event->comm ? (int32_t)event->comm->index : -1;
    message->region = refrain_picture_number(picture, event->region);
}

double refrain_picture_received(struct refrain_picture *picture, struct refrain_picture_match *match, uint32_t location,
                                const struct refrain_event *event) {
    struct in_flight *message = refrain_table_object(&match->messages, event->match, 0);
    if (!message)
        return -1;
    double sent_ns = message->sent_ns;
    if (picture->keeps_spans && (double)event->time_ns >= picture->from_ns && sent_ns <= picture->to_ns) {
        struct refrain_picture_message *shown = refrain_picture_append(picture, &picture->messages, sizeof *shown);
        if (shown)
            *shown = (struct refrain_picture_message){.sent_ns = sent_ns,
                                                      .received_ns = (double)event->time_ns,
                                                      .bytes = (double)event->bytes,
                                                      .tag = (double)event->tag,
                                                      .from = message->from,
                                                      .to = location,
                                                      .comm = message->comm,
                                                      .flags = message->flags |
                                                               (event->approximate ? REFRAIN_PICTURE_APPROXIMATE : 0) |
                                                               (event->request >= 0 ? REFRAIN_PICTURE_NONBLOCKING : 0),
                                                      .sent_in = message->region,
                                                      .received_in = refrain_picture_number(picture, event->region)};
    }
    refrain_table_remove(&match->messages, event->match, 0);
    refrain_free(message);
    return sent_ns;
}

uint32_t refrain_picture_of_rank(const struct refrain_picture *picture, int32_t rank) {
    uint32_t low = 0, high = picture->n_locations;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (picture->locations[middle].rank < rank)
            low = middle + 1;
        else
            high = middle;
    }
    return low < picture->n_locations && picture->locations[low].rank == rank ? low : picture->n_locations;
}

/* ---- collectives ---- */

struct refrain_picture_joined *refrain_picture_joins(struct refrain_picture *picture,
                                                     struct refrain_picture_match *match, uint32_t location,
                                                     const struct refrain_event *event) {
    if (!event->match || !event->comm || event->comm->size <= 1 || event->comm->remote_size > 0 || event->request >= 0)
        return NULL;
    struct refrain_picture_joined *joined = find_or_add(picture, &match->collectives, event->match, 0, sizeof *joined);
    if (!joined)
        return NULL;
    struct refrain_picture_collective *shown = &joined->shown;
    if (shown->entered++ == 0) {
        joined->match = event->match;
        shown->first_ns = (double)event->time_ns;
        shown->size = (uint32_t)event->comm->size;
        shown->comm = (int32_t)event->comm->index;
        shown->root = event->peer;
        shown->lowest = shown->highest = location;
        shown->left_ns = INFINITY;
    }
    shown->last_ns = (double)event->time_ns;
    shown->last = location;
    shown->region = event->region->index;
    shown->bytes += (double)event->bytes;
    if (location < shown->lowest)
        shown->lowest = location;
    if (location > shown->highest)
        shown->highest = location;
    return joined;
}

static void append_collective(struct refrain_picture *picture, const struct refrain_picture_collective *collective) {
    if (!picture->keeps_spans || collective->left_ns < picture->from_ns || collective->first_ns > picture->to_ns)
        return;
    struct refrain_picture_collective *shown = refrain_picture_append(picture, &picture->collectives, sizeof *shown);
    if (shown)
        *shown = *collective;
}

void refrain_picture_leaves(struct refrain_picture *picture, struct refrain_picture_match *match,
                            struct refrain_picture_joined *joined, double time_ns) {
    struct refrain_picture_collective *shown = &joined->shown;
    if (++joined->left < shown->size)
        return;
    shown->left_ns = time_ns;
    append_collective(picture, shown);
    refrain_table_remove(&match->collectives, joined->match, 0);
    refrain_free(joined);
}

/* ---- pairs of ranks ---- */

void refrain_picture_add_pair(struct refrain_picture *picture, struct refrain_picture_match *match, int32_t from,
                              int32_t to, double bytes, double waiting_ns) {
    struct pair *pair = find_or_add(picture, &match->pairs, (uint32_t)from, (uint32_t)to, sizeof *pair);
    if (!pair)
        return;
    pair->shown.from = from;
    pair->shown.to = to;
    pair->shown.count++;
    pair->shown.bytes += bytes;
    pair->shown.waiting_ns += waiting_ns;
}

void refrain_picture_drop_pairs(struct refrain_picture_match *match) {
    refrain_table_free(&match->pairs);
}

void refrain_picture_append_pairs(struct refrain_picture *picture, const struct refrain_picture_match *match) {
    picture->pairs.n = 0;
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&match->pairs, slot));) {
        struct refrain_picture_pair *given = refrain_picture_append(picture, &picture->pairs, sizeof *given);
        if (given)
            *given = ((struct pair *)slot->object)->shown;
    }
}

/* ---- pending messages and collectives ---- */

void refrain_picture_append_pending(struct refrain_picture *picture, const struct refrain_picture_match *match) {
    if (!picture->keeps_spans)
        return;
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&match->messages, slot));) {
        const struct in_flight *message = slot->object;
        uint32_t to = refrain_picture_of_rank(picture, message->dest);
        if (to >= picture->n_locations || message->sent_ns > picture->to_ns)
            continue;
        struct refrain_picture_message *shown = refrain_picture_append(picture, &picture->messages, sizeof *shown);
        if (shown)
            *shown = (struct refrain_picture_message){.sent_ns = message->sent_ns,
                                                      .received_ns = INFINITY,
                                                      .bytes = message->bytes,
                                                      .tag = message->tag,
                                                      .from = message->from,
                                                      .to = to,
                                                      .comm = message->comm,
                                                      .flags = message->flags | REFRAIN_PICTURE_OPEN,
                                                      .sent_in = message->region,
                                                      .received_in = picture->n_regions};
    }
    for (const struct refrain_table_slot *slot = NULL; (slot = refrain_table_next(&match->collectives, slot));)
        append_collective(picture, &((const struct refrain_picture_joined *)slot->object)->shown);
}
