/* waiting_collective.c: who waited for whom in collectives (waiting_collective.h). */
#include "waiting_collective.h"

#include <stdlib.h>

struct refrain_waiting_ordinal {
    struct refrain_pair_node node;
    uint64_t next;
};

/* All members have a trace, so that each collective on the communicator is entered by all of them. */
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

static void arrive(struct refrain_waiting_arrival *arrival, const struct refrain_event *event, int64_t ns) {
    if (ns > arrival->ns)
        *arrival = (struct refrain_waiting_arrival){ns, event->rank, event->region};
}

/* The collective that the event enters; null when it is none that anybody waits in, or not known well enough. */
static struct refrain_waiting_collective *collective_of(struct refrain_waiting *waiting,
                                                        const struct refrain_event *event) {
    enum refrain_collective_rule rule = refrain_collective_rule(event->region->role);
    if (rule == REFRAIN_RULE_NONE || !event->comm || event->comm->remote_size > 0 || event->comm->size <= 1 ||
        event->comm->index == 1 || !is_whole(waiting, event->comm))
        return NULL;
    /* Nonblocking ones match nonblocking ones only, and have an order of their own. */
    uint64_t comm = (uint64_t)event->comm->index << 1 | (event->request >= 0);
    struct refrain_pair of_rank = {(uint64_t)(uint32_t)event->rank, comm};
    struct refrain_waiting_ordinal *ordinal =
        (struct refrain_waiting_ordinal *)refrain_pair_table_find(&waiting->ordinals, of_rank);
    if (!ordinal && (ordinal = calloc(1, sizeof *ordinal))) {
        ordinal->node.key = of_rank;
        if (!refrain_pair_table_add(&waiting->ordinals, &ordinal->node)) {
            free(ordinal);
            ordinal = NULL;
        }
    }
    if (!ordinal) {
        waiting->no_memory = true;
        return NULL;
    }
    struct refrain_pair key = {comm, ordinal->next++};
    struct refrain_waiting_collective *collective =
        (struct refrain_waiting_collective *)refrain_pair_table_find(&waiting->collectives, key);
    if (collective)
        return collective;
    collective = calloc(1, sizeof *collective);
    if (collective) {
        static const struct refrain_waiting_arrival nobody = {INT64_MIN, -1, NULL};
        collective->node.key = key;
        collective->rule = rule;
        collective->size = event->comm->size;
        collective->last = collective->root = collective->last_other = nobody;
        if (!refrain_pair_table_add(&waiting->collectives, &collective->node)) {
            free(collective);
            collective = NULL;
        }
    }
    waiting->no_memory |= !collective;
    return collective;
}

void refrain_waiting_enter_collective(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                                      const struct refrain_event *event) {
    struct refrain_waiting_collective *collective = collective_of(waiting, event);
    if (!collective)
        return;
    bool is_root = event->peer == event->rank;
    collective->entered++;
    collective->approximate |= event->approximate;
    arrive(&collective->last, event, call->enter_ns);
    arrive(is_root ? &collective->root : &collective->last_other, event, call->enter_ns);
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
    if (++collective->left == collective->size) {
        refrain_pair_table_remove(&waiting->collectives, &collective->node);
        free(collective);
    }
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
