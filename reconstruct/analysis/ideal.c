/* ideal.c: the clocks of an ideal network (ideal.h). */
#include "analysis/ideal.h"
#include "analysis/waiting.h"
#include "common/arena.h"
#include "common/table.h"
#include "match/collective_rule.h"

#include <stdlib.h>

/* A message in transit or a collective, by its match; or the nonblocking collective of a request. */
struct passage {
    int64_t sent_ns;             /* message: when it was sent; collective: when the last rank entered */
    int64_t root_ns;             /* collective: when the root entered */
    int32_t entered, left, size; /* of a collective */
    enum refrain_collective_rule rule;
    uint64_t match; /* of a request: match of its collective */
    bool is_root;
};

struct clock {
    int64_t now_ns, call_ended_ns;
    uint64_t inside; /* match of the current blocking collective, 0 none */
    bool is_root, in_call;
};

struct refrain_ideal {
    struct clock *clocks;
    size_t n_ranks;
    struct refrain_table messages, collectives, requests;
    bool no_memory;
};

struct refrain_ideal *refrain_ideal_open(size_t n_ranks) {
    struct refrain_ideal *ideal = calloc(1, sizeof *ideal);
    if (!ideal || !(ideal->clocks = calloc(n_ranks + 1, sizeof *ideal->clocks))) {
        free(ideal);
        return NULL;
    }
    ideal->n_ranks = n_ranks;
    return ideal;
}

void refrain_ideal_close(struct refrain_ideal *ideal) {
    if (!ideal)
        return;
    refrain_table_free(&ideal->messages);
    refrain_table_free(&ideal->collectives);
    refrain_table_free(&ideal->requests);
    free(ideal->clocks);
    free(ideal);
}

static struct passage *add(struct refrain_ideal *ideal, struct refrain_table *table, uint64_t a, uint64_t b) {
    struct passage *passage = refrain_table_make(table, a, b, sizeof *passage);
    ideal->no_memory |= !passage;
    return passage;
}

static void drop(struct refrain_table *table, uint64_t a, uint64_t b) {
    refrain_free(refrain_table_object(table, a, b));
    refrain_table_remove(table, a, b);
}

static void wait_until(struct clock *clock, int64_t ns) {
    clock->now_ns = ns > clock->now_ns ? ns : clock->now_ns;
}

/* ---- messages ---- */

static void send(struct refrain_ideal *ideal, const struct clock *clock, const struct refrain_event *event) {
    struct passage *message = event->match ? refrain_table_object(&ideal->messages, event->match, 0) : NULL;
    if (event->match && !message && (message = add(ideal, &ideal->messages, event->match, 0)))
        message->sent_ns = clock->now_ns;
}

/* A sender that waited for the receive also does so on an ideal network. */
static void hold_sender(struct refrain_ideal *ideal, const struct refrain_wait *wait, int64_t posted_ns) {
    struct clock *sender = (size_t)wait->rank < ideal->n_ranks && wait->thread == 0 ? &ideal->clocks[wait->rank] : NULL;
    if (!sender)
        return;
    int64_t ended_ns = sender->in_call ? sender->now_ns : sender->call_ended_ns;
    if (posted_ns > ended_ns) {
        sender->now_ns += posted_ns - ended_ns;
        sender->call_ended_ns = posted_ns;
    }
}

static void receive(struct refrain_ideal *ideal, struct clock *clock, const struct refrain_event *event) {
    struct passage *message = event->match ? refrain_table_object(&ideal->messages, event->match, 0) : NULL;
    if (!message)
        return;
    if (event->peer_wait && event->request < 0)
        hold_sender(ideal, event->peer_wait, clock->now_ns);
    wait_until(clock, message->sent_ns);
    drop(&ideal->messages, event->match, 0);
}

/* ---- collectives ---- */

static void enter_collective(struct refrain_ideal *ideal, struct clock *clock, const struct refrain_event *event) {
    enum refrain_collective_rule rule = refrain_collective_rule(event->region->role);
    if (!event->match || rule == REFRAIN_RULE_NONE || !event->comm)
        return;
    struct passage *collective = refrain_table_object(&ideal->collectives, event->match, 0);
    if (!collective && (collective = add(ideal, &ideal->collectives, event->match, 0))) {
        collective->rule = rule;
        collective->size = event->comm->size;
        collective->sent_ns = collective->root_ns = INT64_MIN;
    }
    if (!collective)
        return;
    bool is_root = event->peer == event->rank;
    collective->entered++;
    if (clock->now_ns > collective->sent_ns)
        collective->sent_ns = clock->now_ns;
    if (is_root)
        collective->root_ns = clock->now_ns;
    if (event->request < 0) {
        clock->inside = event->match;
        clock->is_root = is_root;
        return;
    }
    struct passage *request = add(ideal, &ideal->requests, (uint64_t)(uint32_t)event->rank, (uint64_t)event->request);
    if (request) {
        request->match = event->match;
        request->is_root = is_root;
    }
}

static void leave_collective(struct refrain_ideal *ideal, struct clock *clock, uint64_t match, bool is_root) {
    struct passage *collective = refrain_table_object(&ideal->collectives, match, 0);
    if (!collective)
        return;
    if (collective->rule == REFRAIN_RULE_FROM_ROOT)
        wait_until(clock, collective->root_ns);
    else if ((collective->rule != REFRAIN_RULE_TO_ROOT || is_root) && collective->entered == collective->size)
        wait_until(clock, collective->sent_ns);
    if (++collective->left == collective->size)
        drop(&ideal->collectives, match, 0);
}

static void complete_collective(struct refrain_ideal *ideal, struct clock *clock, const struct refrain_event *event) {
    struct passage *request =
        refrain_table_object(&ideal->requests, (uint64_t)(uint32_t)event->rank, (uint64_t)event->request);
    if (!request)
        return;
    leave_collective(ideal, clock, request->match, request->is_root);
    drop(&ideal->requests, (uint64_t)(uint32_t)event->rank, (uint64_t)event->request);
}

/* ---- events ---- */

static void leave(struct refrain_ideal *ideal, struct clock *clock) {
    if (clock->inside)
        leave_collective(ideal, clock, clock->inside, clock->is_root);
    clock->inside = 0;
    clock->in_call = false;
    clock->call_ended_ns = clock->now_ns;
}

bool refrain_ideal_event(struct refrain_ideal *ideal, const struct refrain_event *event) {
    if (event->rank < 0 || (size_t)event->rank >= ideal->n_ranks || event->region->kind != REFRAIN_REGION_MPI)
        return true;
    struct clock *clock = &ideal->clocks[event->rank];
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        clock->in_call = true;
        break;
    case REFRAIN_EVENT_LEAVE:
        leave(ideal, clock);
        break;
    case REFRAIN_EVENT_SEND:
        send(ideal, clock, event);
        break;
    case REFRAIN_EVENT_RECV:
        receive(ideal, clock, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        enter_collective(ideal, clock, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        complete_collective(ideal, clock, event);
        break;
    default:
        break;
    }
    return !ideal->no_memory;
}

void refrain_ideal_compute(struct refrain_ideal *ideal, int32_t rank, int64_t ns) {
    ideal->clocks[rank].now_ns += ns;
}

void refrain_ideal_call(struct refrain_ideal *ideal, int32_t rank, int64_t ns) {
    struct clock *clock = &ideal->clocks[rank];
    clock->now_ns += ns;
    if (!clock->in_call)
        clock->call_ended_ns += ns;
}

void refrain_ideal_reset(struct refrain_ideal *ideal, int64_t now_ns) {
    for (size_t i = 0; i < ideal->n_ranks; i++)
        ideal->clocks[i].now_ns = ideal->clocks[i].call_ended_ns = now_ns;
}

int64_t refrain_ideal_now_ns(const struct refrain_ideal *ideal, int32_t rank) {
    return ideal->clocks[rank].now_ns;
}
