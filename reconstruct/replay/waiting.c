/* waiting.c: who waited for whom (waiting.h).
 *
 *     SEND                 message, by its match --------------------------> RECV: late sender, late receiver
 *                                  '-> request (location, number) --------> SEND_COMPLETE: late receiver
 *     RECV_POST            request: when it was posted --------------------> RECV
 *     COLLECTIVE           collective (comm, ordinal): who came last ------> LEAVE, COLLECTIVE_COMPLETE
 *
 * A message lives until it is received and, when nonblocking, completed; a call until it is left and no message refers
 * to it any more. */
#include "waiting.h"
#include "pair_table.h"

#include <stdlib.h>
#include <string.h>

/* An MPI call. */
struct call {
    struct call *outer; /* the call it was made in (callbacks), or the next free one */
    unsigned references;
    int32_t rank;
    uint32_t thread;
    const struct refrain_region_info *region;
    int64_t enter_ns, leave_ns; /* leave: INT64_MAX while it is open */
    int64_t waited_until_ns;    /* what lies before is in waits already */
    struct collective *inside;  /* a blocking collective, until it is left */
    bool is_root;
    void *mark;
};

/* Sends of a message that have not been received, sends that have not been completed. */
struct message {
    struct refrain_pair_node node; /* by its match, until it is received or cancelled */
    struct message *next;          /* of the free ones */
    unsigned references;
    bool approximate;
    int64_t sent_ns;
    struct call *send;
    struct call *completion; /* the call that completed it, when that is no longer ahead */
    int64_t completed_ns;
    /* Received before it was completed: by whom, and when that was posted. */
    bool received;
    int64_t posted_ns;
    int32_t receiver;
    const struct refrain_region_info *receive;
};

struct request {
    struct refrain_pair_node node;
    struct message *message;       /* of a send, else null */
    struct collective *collective; /* of a collective, else null */
    bool is_root;
    int64_t posted_ns; /* of a receive */
    const struct refrain_region_info *posted_in;
};

enum rule { RULE_NONE, RULE_BARRIER, RULE_ALL, RULE_FROM_ROOT, RULE_TO_ROOT };

/* The last one to enter, of all, of the root, of the others. */
struct arrival {
    int64_t ns; /* INT64_MIN: nobody yet */
    int32_t rank;
    const struct refrain_region_info *region;
};

struct collective {
    struct refrain_pair_node node;
    enum rule rule;
    int32_t size, entered, left;
    bool approximate;
    struct arrival last, root, last_other;
};

struct ordinal {
    struct refrain_pair_node node;
    uint64_t next;
};

struct location {
    struct location *next; /* further threads */
    uint32_t thread;
    struct call *call; /* the innermost that is open */
};

struct refrain_waiting {
    const struct refrain_trace *trace;
    struct location **locations; /* by rank, a list of its threads */
    size_t n_ranks;
    bool *has_trace;    /* by rank */
    signed char *whole; /* by index of the communicator: all members have a trace; -1 not yet looked at */
    struct refrain_pair_table messages, requests, collectives, ordinals;
    struct call *free_calls;
    struct message *free_messages;
    bool no_memory;
    struct refrain_wait wait, peer_wait; /* of the current event */
};

const char *refrain_wait_kind_name(enum refrain_wait_kind kind) {
    static const char *const names[REFRAIN_WAIT_KINDS] = {
        [REFRAIN_WAIT_LATE_SENDER] = "late sender",
        [REFRAIN_WAIT_LATE_RECEIVER] = "late receiver",
        [REFRAIN_WAIT_BARRIER] = "barrier",
        [REFRAIN_WAIT_N_TO_N] = "n-to-n",
        [REFRAIN_WAIT_EARLY_REDUCE] = "early reduce",
        [REFRAIN_WAIT_LATE_BROADCAST] = "late broadcast",
        [REFRAIN_WAIT_COMPLETION_SEND] = "completion, late receiver",
        [REFRAIN_WAIT_COMPLETION_RECEIVE] = "completion, late sender",
        [REFRAIN_WAIT_COMPLETION_COLLECTIVE] = "completion, collective",
    };
    return kind < REFRAIN_WAIT_KINDS ? names[kind] : "unknown";
}

/* ---- calls and messages ---- */

static struct call *new_call(struct refrain_waiting *waiting) {
    struct call *call = waiting->free_calls;
    if (call)
        waiting->free_calls = call->outer;
    else if (!(call = malloc(sizeof *call)))
        waiting->no_memory = true;
    return call;
}

static void release_call(struct refrain_waiting *waiting, struct call *call) {
    if (!call || --call->references > 0)
        return;
    call->outer = waiting->free_calls;
    waiting->free_calls = call;
}

static struct message *new_message(struct refrain_waiting *waiting) {
    struct message *message = waiting->free_messages;
    if (message)
        waiting->free_messages = message->next;
    else if (!(message = malloc(sizeof *message)))
        waiting->no_memory = true;
    return message;
}

static void release_message(struct refrain_waiting *waiting, struct message *message) {
    if (--message->references > 0)
        return;
    release_call(waiting, message->send);
    release_call(waiting, message->completion);
    message->next = waiting->free_messages;
    waiting->free_messages = message;
}

static struct location *location_of(struct refrain_waiting *waiting, const struct refrain_event *event) {
    size_t rank = (size_t)event->rank;
    if (event->rank < 0 || rank >= waiting->n_ranks)
        return NULL;
    struct location **link = &waiting->locations[rank];
    while (*link && (*link)->thread != event->thread)
        link = &(*link)->next;
    if (!*link && (*link = calloc(1, sizeof **link)))
        (*link)->thread = event->thread;
    waiting->no_memory |= !*link;
    return *link;
}

static void enter_call(struct refrain_waiting *waiting, struct location *location, const struct refrain_event *event) {
    struct call *call = new_call(waiting);
    if (!call)
        return;
    *call = (struct call){.outer = location->call,
                          .references = 1,
                          .rank = event->rank,
                          .thread = event->thread,
                          .region = event->region,
                          .enter_ns = event->time_ns,
                          .leave_ns = INT64_MAX,
                          .waited_until_ns = event->time_ns};
    location->call = call;
}

/* ---- waits ---- */

/* The call waited until `until_ns` for `cause_rank`. False when it did not, or when that counts already. */
static bool set_wait(struct refrain_wait *wait, struct call *call, enum refrain_wait_kind kind, int64_t until_ns,
                     int32_t cause_rank, const struct refrain_region_info *cause, bool approximate) {
    if (until_ns > call->leave_ns)
        until_ns = call->leave_ns;
    int64_t begin_ns = call->waited_until_ns;
    if (until_ns <= begin_ns)
        return false;
    call->waited_until_ns = until_ns;
    *wait = (struct refrain_wait){.kind = kind,
                                  .approximate = approximate,
                                  .rank = call->rank,
                                  .thread = call->thread,
                                  .begin_ns = begin_ns,
                                  .ns = until_ns - begin_ns,
                                  .region = call->region,
                                  .cause_rank = cause_rank,
                                  .cause = cause,
                                  .mark = call->mark};
    return true;
}

/* ---- requests ---- */

static struct refrain_pair request_key(const struct refrain_event *event) {
    return (struct refrain_pair){(uint64_t)(uint32_t)event->rank << 32 | event->thread, (uint64_t)event->request};
}

static struct request *add_request(struct refrain_waiting *waiting, const struct refrain_event *event) {
    struct request *request = calloc(1, sizeof *request);
    if (request) {
        request->node.key = request_key(event);
        if (!refrain_pair_table_add(&waiting->requests, &request->node)) {
            free(request);
            request = NULL;
        }
    }
    waiting->no_memory |= !request;
    return request;
}

static struct request *find_request(struct refrain_waiting *waiting, const struct refrain_event *event) {
    return event->request < 0 ? NULL
                              : (struct request *)refrain_pair_table_find(&waiting->requests, request_key(event));
}

static void drop_request(struct refrain_waiting *waiting, struct request *request) {
    refrain_pair_table_remove(&waiting->requests, &request->node);
    if (request->message)
        release_message(waiting, request->message);
    free(request);
}

/* ---- messages ---- */

static bool is_traced(const struct refrain_waiting *waiting, int32_t rank) {
    return rank >= 0 && (size_t)rank < waiting->n_ranks && waiting->has_trace[rank];
}

static struct message *find_message(const struct refrain_waiting *waiting, uint64_t match) {
    return (struct message *)refrain_pair_table_find(&waiting->messages, (struct refrain_pair){match, 0});
}

/* The message is received or will not be. */
static void forget_message(struct refrain_waiting *waiting, struct message *message) {
    refrain_pair_table_remove(&waiting->messages, &message->node);
    release_message(waiting, message);
}

static void sent(struct refrain_waiting *waiting, struct call *call, const struct refrain_event *event) {
    if (!event->match || !is_traced(waiting, event->peer))
        return;
    struct message *message = new_message(waiting);
    if (!message)
        return;
    *message = (struct message){.node.key = {event->match, 0},
                                .references = 1,
                                .approximate = event->approximate,
                                .sent_ns = call->enter_ns,
                                .send = call};
    call->references++;
    if (!refrain_pair_table_add(&waiting->messages, &message->node)) {
        release_message(waiting, message);
        waiting->no_memory = true;
        return;
    }
    struct request *request = event->request >= 0 ? add_request(waiting, event) : NULL;
    if (request) {
        request->message = message;
        message->references++;
    }
}

static void received(struct refrain_waiting *waiting, struct call *call, struct refrain_event *event) {
    struct request *request = find_request(waiting, event);
    int64_t posted_ns = request ? request->posted_ns : call->enter_ns;
    const struct refrain_region_info *posted_in = request && request->posted_in ? request->posted_in : call->region;
    bool nonblocking = event->request >= 0;
    if (request)
        drop_request(waiting, request);
    struct message *message = event->match ? find_message(waiting, event->match) : NULL;
    if (!message)
        return;
    bool approximate = event->approximate || message->approximate;
    int64_t until_ns = message->sent_ns < event->time_ns ? message->sent_ns : event->time_ns;
    if (set_wait(&waiting->wait, call, nonblocking ? REFRAIN_WAIT_COMPLETION_RECEIVE : REFRAIN_WAIT_LATE_SENDER,
                 until_ns, event->peer, message->send->region, approximate))
        event->wait = &waiting->wait;
    message->received = true;
    message->posted_ns = posted_ns;
    message->receiver = event->rank;
    message->receive = posted_in;
    /* A blocking send may still be in its call; a nonblocking one may have been completed by a call that waited. */
    struct call *sender = message->references > 1 ? NULL : message->completion ? message->completion : message->send;
    if (sender && posted_ns < sender->leave_ns &&
        set_wait(&waiting->peer_wait, sender,
                 message->completion ? REFRAIN_WAIT_COMPLETION_SEND : REFRAIN_WAIT_LATE_RECEIVER, posted_ns,
                 event->rank, posted_in, approximate))
        event->peer_wait = &waiting->peer_wait;
    forget_message(waiting, message);
}

static void completed_send(struct refrain_waiting *waiting, struct call *call, struct refrain_event *event) {
    struct request *request = find_request(waiting, event);
    struct message *message = request ? request->message : NULL;
    if (message && message->received) {
        if (set_wait(&waiting->wait, call, REFRAIN_WAIT_COMPLETION_SEND, message->posted_ns, message->receiver,
                     message->receive, event->approximate || message->approximate))
            event->wait = &waiting->wait;
    } else if (message) {
        message->completion = call;
        call->references++;
    }
    if (request)
        drop_request(waiting, request);
}

/* ---- collectives ---- */

static enum rule rule_of(const char *name) {
    static const struct {
        const char *name;
        enum rule rule;
    } rules[] = {{"barrier", RULE_BARRIER}, {"allreduce", RULE_ALL},      {"allgather", RULE_ALL},
                 {"allgatherv", RULE_ALL},  {"alltoall", RULE_ALL},       {"alltoallv", RULE_ALL},
                 {"alltoallw", RULE_ALL},   {"reduce_scatter", RULE_ALL}, {"reduce_scatter_block", RULE_ALL},
                 {"bcast", RULE_FROM_ROOT}, {"scatter", RULE_FROM_ROOT},  {"scatterv", RULE_FROM_ROOT},
                 {"reduce", RULE_TO_ROOT},  {"gather", RULE_TO_ROOT},     {"gatherv", RULE_TO_ROOT}};
    name += name[0] == 'i' ? 1 : 0; /* ibarrier ... */
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (strcmp(name, rules[i].name) == 0)
            return rules[i].rule;
    return RULE_NONE;
}

/* All members have a trace, so that each collective on the communicator is entered by all of them. */
static bool is_whole(struct refrain_waiting *waiting, const struct refrain_comm_info *comm) {
    if (comm->index >= waiting->trace->n_comms)
        return false;
    signed char *whole = &waiting->whole[comm->index];
    if (*whole < 0) {
        *whole = 1;
        for (int32_t i = 0; i < comm->size && *whole; i++)
            *whole = is_traced(waiting, comm->members ? comm->members[i] : i);
    }
    return *whole;
}

static void arrive(struct arrival *arrival, const struct refrain_event *event, int64_t ns) {
    if (ns > arrival->ns)
        *arrival = (struct arrival){ns, event->rank, event->region};
}

/* The collective that the event enters; null when it is none that anybody waits in, or not known well enough. */
static struct collective *collective_of(struct refrain_waiting *waiting, const struct refrain_event *event) {
    enum rule rule = rule_of(event->region->collective);
    if (rule == RULE_NONE || !event->comm || event->comm->remote_size > 0 || event->comm->size <= 1 ||
        event->comm->index == 1 || !is_whole(waiting, event->comm))
        return NULL;
    /* Nonblocking ones match nonblocking ones only, and have an order of their own. */
    uint64_t comm = (uint64_t)event->comm->index << 1 | (event->request >= 0);
    struct refrain_pair of_rank = {(uint64_t)(uint32_t)event->rank, comm};
    struct ordinal *ordinal = (struct ordinal *)refrain_pair_table_find(&waiting->ordinals, of_rank);
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
    struct collective *collective = (struct collective *)refrain_pair_table_find(&waiting->collectives, key);
    if (collective)
        return collective;
    collective = calloc(1, sizeof *collective);
    if (collective) {
        static const struct arrival nobody = {INT64_MIN, -1, NULL};
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

static void entered(struct refrain_waiting *waiting, struct call *call, const struct refrain_event *event) {
    struct collective *collective = collective_of(waiting, event);
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
    struct request *request = add_request(waiting, event);
    if (request) {
        request->collective = collective;
        request->is_root = is_root;
    }
}

/* The call leaves the collective, or completes it: how long did it wait there? */
static void leave(struct refrain_waiting *waiting, struct call *call, struct collective *collective, bool is_root,
                  struct refrain_event *event) {
    static const enum refrain_wait_kind kinds[] = {[RULE_BARRIER] = REFRAIN_WAIT_BARRIER,
                                                   [RULE_ALL] = REFRAIN_WAIT_N_TO_N,
                                                   [RULE_FROM_ROOT] = REFRAIN_WAIT_LATE_BROADCAST,
                                                   [RULE_TO_ROOT] = REFRAIN_WAIT_EARLY_REDUCE};
    const struct arrival *awaited = NULL;
    bool complete = collective->entered == collective->size;
    if (collective->rule == RULE_FROM_ROOT)
        awaited = !is_root && collective->root.ns > INT64_MIN ? &collective->root : NULL;
    else if (collective->rule == RULE_TO_ROOT)
        awaited = is_root && complete ? &collective->last_other : NULL;
    else
        awaited = complete ? &collective->last : NULL;
    call->leave_ns = event->time_ns;
    if (awaited && awaited->rank != event->rank &&
        set_wait(&waiting->wait, call,
                 event->kind == REFRAIN_EVENT_LEAVE ? kinds[collective->rule] : REFRAIN_WAIT_COMPLETION_COLLECTIVE,
                 awaited->ns, awaited->rank, awaited->region, collective->approximate))
        event->wait = &waiting->wait;
    if (event->kind != REFRAIN_EVENT_LEAVE)
        call->leave_ns = INT64_MAX;
    if (++collective->left == collective->size) {
        refrain_pair_table_remove(&waiting->collectives, &collective->node);
        free(collective);
    }
}

static void completed_collective(struct refrain_waiting *waiting, struct call *call, struct refrain_event *event) {
    struct request *request = find_request(waiting, event);
    if (!request)
        return;
    if (request->collective)
        leave(waiting, call, request->collective, request->is_root, event);
    drop_request(waiting, request);
}

/* ---- events ---- */

static void leave_call(struct refrain_waiting *waiting, struct location *location, struct refrain_event *event) {
    struct call *call = location->call;
    if (call->inside)
        leave(waiting, call, call->inside, call->is_root, event);
    call->inside = NULL;
    call->leave_ns = event->time_ns;
    location->call = call->outer;
    call->outer = NULL;
    release_call(waiting, call);
}

bool refrain_waiting_event(struct refrain_waiting *waiting, struct refrain_event *event) {
    event->wait = event->peer_wait = NULL;
    bool is_mpi = event->region && event->region->kind == REFRAIN_REGION_MPI;
    if (!is_mpi)
        return true;
    struct location *location = location_of(waiting, event);
    if (!location)
        return !waiting->no_memory;
    struct call *call = location->call;
    struct request *request;
    if (event->kind == REFRAIN_EVENT_ENTER) {
        enter_call(waiting, location, event);
        return !waiting->no_memory;
    }
    if (!call)
        return true; /* a trace that does not hold together; nothing is known of its calls */
    switch (event->kind) {
    case REFRAIN_EVENT_LEAVE:
        leave_call(waiting, location, event);
        break;
    case REFRAIN_EVENT_SEND:
        sent(waiting, call, event);
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
        completed_send(waiting, call, event);
        break;
    case REFRAIN_EVENT_RECV_POST:
        if (event->request >= 0 && (request = add_request(waiting, event))) {
            request->posted_ns = call->enter_ns;
            request->posted_in = event->region;
        }
        break;
    case REFRAIN_EVENT_RECV:
        received(waiting, call, event);
        break;
    case REFRAIN_EVENT_CANCEL:
        if ((request = find_request(waiting, event))) {
            if (request->message && !request->message->received)
                forget_message(waiting, request->message);
            drop_request(waiting, request);
        }
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        entered(waiting, call, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        completed_collective(waiting, call, event);
        break;
    default:
        break;
    }
    return !waiting->no_memory;
}

void refrain_waiting_mark(struct refrain_waiting *waiting, const struct refrain_event *enter, void *mark) {
    struct location *location = location_of(waiting, enter);
    if (location && location->call)
        location->call->mark = mark;
}

/* ---- open and close ---- */

struct refrain_waiting *refrain_waiting_open(const struct refrain_trace *trace) {
    struct refrain_waiting *waiting = calloc(1, sizeof *waiting);
    if (!waiting)
        return NULL;
    waiting->trace = trace;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= waiting->n_ranks)
            waiting->n_ranks = (size_t)trace->processes[i].rank + 1;
    waiting->locations = calloc(waiting->n_ranks + 1, sizeof *waiting->locations);
    waiting->has_trace = calloc(waiting->n_ranks + 1, sizeof *waiting->has_trace);
    waiting->whole = malloc(trace->n_comms + 1);
    if (!waiting->locations || !waiting->has_trace || !waiting->whole) {
        refrain_waiting_close(waiting);
        return NULL;
    }
    memset(waiting->whole, -1, trace->n_comms + 1);
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0)
            waiting->has_trace[trace->processes[i].rank] = true;
    return waiting;
}

void refrain_waiting_close(struct refrain_waiting *waiting) {
    if (!waiting)
        return;
    struct refrain_pair_table *tables[] = {&waiting->messages, &waiting->requests, &waiting->collectives,
                                           &waiting->ordinals};
    for (size_t t = 0; t < sizeof tables / sizeof *tables; t++) {
        for (size_t b = 0; b < tables[t]->capacity; b++)
            for (struct refrain_pair_node *node = tables[t]->buckets[b], *next; node; node = next) {
                next = node->next;
                if (tables[t] == &waiting->requests && ((struct request *)node)->message)
                    release_message(waiting, ((struct request *)node)->message);
                if (tables[t] == &waiting->messages)
                    release_message(waiting, (struct message *)node);
                else
                    free(node);
            }
        free(tables[t]->buckets);
    }
    for (size_t rank = 0; waiting->locations && rank < waiting->n_ranks; rank++)
        for (struct location *location = waiting->locations[rank], *next; location; location = next) {
            next = location->next;
            for (struct call *call = location->call, *outer; call; call = outer) {
                outer = call->outer;
                release_call(waiting, call);
            }
            free(location);
        }
    for (struct call *call = waiting->free_calls, *next; call; call = next) {
        next = call->outer;
        free(call);
    }
    for (struct message *message = waiting->free_messages, *next; message; message = next) {
        next = message->next;
        free(message);
    }
    free(waiting->locations);
    free(waiting->has_trace);
    free(waiting->whole);
    free(waiting);
}

/* ---- a writer around a writer ---- */

struct waiting_writer {
    struct refrain_writer writer;
    struct refrain_writer *inner;
    struct refrain_waiting *waiting;
    struct refrain_error *error;
};

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct waiting_writer *own = (struct waiting_writer *)writer;
    own->waiting = refrain_waiting_open(trace);
    if (!own->waiting)
        return (int)REFRAIN_FAIL_MEMORY(own->error);
    return own->inner->begin ? own->inner->begin(own->inner, trace) : 0;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct waiting_writer *own = (struct waiting_writer *)writer;
    struct refrain_event with_waits = *event;
    if (!refrain_waiting_event(own->waiting, &with_waits))
        return (int)REFRAIN_FAIL_MEMORY(own->error);
    return own->inner->event ? own->inner->event(own->inner, &with_waits) : 0;
}

static int end(struct refrain_writer *writer) {
    struct waiting_writer *own = (struct waiting_writer *)writer;
    int status = own->inner->end ? own->inner->end(own->inner) : 0;
    refrain_waiting_close(own->waiting);
    free(own);
    return status;
}

struct refrain_writer *refrain_waiting_writer(struct refrain_writer *inner, struct refrain_error *error) {
    struct waiting_writer *own = calloc(1, sizeof *own);
    if (!own)
        return NULL;
    own->writer = (struct refrain_writer){begin, write_event, end};
    own->inner = inner;
    own->error = error;
    return &own->writer;
}
