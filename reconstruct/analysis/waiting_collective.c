/* waiting_collective.c: finds who waited for whom in collectives (waiting_collective.h). */
#include "analysis/waiting_collective.h"
#include "common/arena.h"

#include <stdlib.h>

/* True if all members have a trace. Then each collective on the communicator is entered by all of them. */
static bool is_whole(struct refrain_waiting *waiting, const struct refrain_comm_info *comm) {
    if (comm->index >= waiting->trace->n_comms)
        return false;
    signed char *whole = &waiting->whole[comm->index];
    if (*whole < 0) {
        *whole = 1;
        for (int32_t i = 0; i < comm->size && *whole; i++)
            *whole = refrain_waiting_is_traced(waiting, comm->members ? comm->members[i] : i);
    }
    return *whole;
}

static void arrive(struct refrain_waiting_arrival *arrival, const struct refrain_waiting_call *call) {
    if (call->enter_ns > arrival->ns)
        *arrival = (struct refrain_waiting_arrival){call->enter_ns, call->rank, call->region};
}

/* The members of an operation are known from its match, which also counts collectives during pauses. */
static bool is_waited_in(struct refrain_waiting *waiting, const struct refrain_event *event) {
    const struct refrain_comm_info *comm = event->comm;
    return event->match && refrain_collective_rule(event->region->role) != REFRAIN_RULE_NONE && comm &&
           comm->remote_size == 0 && comm->size > 1 && comm->index != 1 && is_whole(waiting, comm);
}

/* Searches from the end, where most collectives are added. */
static void link(struct refrain_waiting_kind *kind, struct refrain_waiting_collective *collective) {
    struct refrain_waiting_collective *before = kind->last;
    while (before && before->match > collective->match)
        before = before->before;
    collective->kind = kind;
    collective->before = before;
    collective->behind = before ? before->behind : kind->first;
    *(before ? &before->behind : &kind->first) = collective;
    *(collective->behind ? &collective->behind->before : &kind->last) = collective;
}

static void unlink(struct refrain_waiting_collective *collective) {
    *(collective->before ? &collective->before->behind : &collective->kind->first) = collective->behind;
    *(collective->behind ? &collective->behind->before : &collective->kind->last) = collective->before;
}

/* The collective that the event enters. Null if it has no waiting, and without memory. */
static struct refrain_waiting_collective *collective_of(struct refrain_waiting *waiting,
                                                        const struct refrain_event *event) {
    static const struct refrain_waiting_arrival nobody = {INT64_MIN, -1, NULL};
    struct refrain_waiting_collective *collective = NULL;
    if (!is_waited_in(waiting, event) || (collective = refrain_table_object(&waiting->collectives, event->match, 0)))
        return collective;
    struct refrain_waiting_kind *kind =
        refrain_table_make(&waiting->kinds, event->match >> REFRAIN_MATCH_ORDINAL_BITS, 0, sizeof *kind);
    collective = kind ? refrain_table_make(&waiting->collectives, event->match, 0, sizeof *collective) : NULL;
    waiting->no_memory |= !collective;
    if (!collective)
        return NULL;
    *collective = (struct refrain_waiting_collective){.match = event->match,
                                                      .rule = refrain_collective_rule(event->region->role),
                                                      .size = event->comm->size,
                                                      .last = nobody,
                                                      .root = nobody,
                                                      .last_other = nobody};
    link(kind, collective);
    return collective;
}

/* Drops the collective if no member is in it or will enter it. */
static void drop(struct refrain_waiting *waiting, struct refrain_waiting_collective *collective) {
    if (collective->left < (collective->incomplete ? collective->entered : collective->size))
        return;
    unlink(collective);
    refrain_table_remove(&waiting->collectives, collective->match, 0);
    refrain_free(collective);
}

/* All members have entered this collective, so none will enter an earlier one. */
static void drop_before(struct refrain_waiting *waiting, const struct refrain_waiting_collective *complete) {
    for (struct refrain_waiting_collective *at = complete->kind->first, *next; at != complete; at = next) {
        next = at->behind;
        at->incomplete = true;
        drop(waiting, at);
    }
}

void refrain_waiting_enter_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                      const struct refrain_event *event) {
    struct refrain_waiting_collective *collective = collective_of(waiting, event);
    if (!collective)
        return;
    bool is_root = event->peer == event->rank;
    if (++collective->entered == collective->size)
        drop_before(waiting, collective);
    collective->approximate |= event->approximate;
    arrive(&collective->last, call);
    arrive(is_root ? &collective->root : &collective->last_other, call);
    call->is_root = is_root;
    if (event->request < 0) {
        call->inside = collective;
        return;
    }
    struct refrain_waiting_request *request = refrain_waiting_request(waiting, event);
    if (request) {
        request->collective = collective;
        request->is_root = is_root;
    }
}

void refrain_waiting_leave_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                      struct refrain_waiting_collective *collective, bool is_root,
                                      struct refrain_event *event) {
    static const enum refrain_wait_kind kinds[] = {[REFRAIN_RULE_ALL] = REFRAIN_WAIT_N_TO_N,
                                                   [REFRAIN_RULE_PAIRS] = REFRAIN_WAIT_N_TO_N,
                                                   [REFRAIN_RULE_FROM_ROOT] = REFRAIN_WAIT_LATE_BROADCAST,
                                                   [REFRAIN_RULE_TO_ROOT] = REFRAIN_WAIT_EARLY_REDUCE};
    const struct refrain_waiting_arrival *awaited = NULL;
    bool complete = collective->entered == collective->size;
    if (collective->rule == REFRAIN_RULE_FROM_ROOT)
        awaited = !is_root && collective->root.ns > INT64_MIN ? &collective->root : NULL;
    else if (collective->rule == REFRAIN_RULE_TO_ROOT)
        awaited = is_root && complete ? &collective->last_other : NULL;
    else
        awaited = complete ? &collective->last : NULL;
    call->leave_ns = event->time_ns;
    enum refrain_wait_kind kind = event->kind != REFRAIN_EVENT_LEAVE ? REFRAIN_WAIT_COMPLETION_COLLECTIVE
                                  : event->region->role == REFRAIN_COLLECTIVE_BARRIER ? REFRAIN_WAIT_BARRIER
                                                                                      : kinds[collective->rule];
    if (awaited && awaited->rank != event->rank &&
        refrain_waiting_set(&waiting->wait, call, kind, awaited->ns, awaited->rank, awaited->region,
                            collective->approximate))
        event->wait = &waiting->wait;
    if (event->kind != REFRAIN_EVENT_LEAVE)
        call->leave_ns = INT64_MAX;
    collective->left++;
    drop(waiting, collective);
}

void refrain_waiting_complete_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                         struct refrain_event *event) {
    struct refrain_waiting_request *request = refrain_waiting_find_request(waiting, event);
    if (!request)
        return;
    if (request->collective)
        refrain_waiting_leave_collective(waiting, call, request->collective, request->is_root, event);
    refrain_waiting_drop_request(waiting, request);
}
