/* waiting.c: finds who waited for whom (waiting.h).
 *
 *     SEND                 message, by its match --------------------------> RECV: late sender, late receiver
 *                                  '-> request (location, number) --------> SEND_COMPLETE: late receiver
 *     RECV_POST            request: when it was posted --------------------> RECV
 *     COLLECTIVE           collective (its match): who came last ---------> LEAVE, COLLECTIVE_COMPLETE
 *
 * A message is kept until it is received and, if nonblocking, completed; a call until it has ended and no message
 * refers to it. */
#include "analysis/waiting_collective.h"
#include "common/arena.h"

#include <stdlib.h>
#include <string.h>

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

static struct refrain_waiting_call *new_call(struct refrain_waiting *waiting) {
    struct refrain_waiting_call *call = waiting->free_calls;
    if (call)
        waiting->free_calls = call->outer;
    else if (!(call = refrain_calloc(1, sizeof *call)))
        waiting->no_memory = true;
    return call;
}

static struct refrain_waiting_message *new_message(struct refrain_waiting *waiting) {
    struct refrain_waiting_message *message = waiting->free_messages;
    if (message)
        waiting->free_messages = message->next;
    else if (!(message = refrain_calloc(1, sizeof *message)))
        waiting->no_memory = true;
    return message;
}

static struct refrain_waiting_location *location_of(struct refrain_waiting *waiting,
                                                    const struct refrain_event *event) {
    size_t number = refrain_location_index_of(&waiting->index, event);
    return number < waiting->index.n ? &waiting->locations[number] : NULL;
}

static void enter_call(struct refrain_waiting *waiting, struct refrain_waiting_location *location,
                       const struct refrain_event *event) {
    struct refrain_waiting_call *call = new_call(waiting);
    if (!call)
        return;
    *call = (struct refrain_waiting_call){.outer = location->call,
                                          .references = 1,
                                          .rank = event->rank,
                                          .thread = event->thread,
                                          .region = event->region,
                                          .enter_ns = event->time_ns,
                                          .leave_ns = INT64_MAX,
                                          .waited_until_ns = event->time_ns};
    location->call = call;
}

/* ---- messages ---- */

/* The message is received, or will never be. */
static void forget_message(struct refrain_waiting *waiting, struct refrain_waiting_message *message) {
    message->gone = true;
    refrain_table_remove(&waiting->messages, message->match, 0);
    refrain_waiting_release_message(waiting, message);
}

/* The wait of the call for this message will be known only when the message is received. */
static void keep_unsettled(const struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                           struct refrain_waiting_message *message) {
    if (!waiting->settles)
        return;
    message->references++;
    message->next_unsettled = call->unsettled;
    call->unsettled = message;
}

static void sent(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                 const struct refrain_event *event) {
    if (!event->match || !refrain_waiting_is_traced(waiting, event->peer))
        return;
    struct refrain_waiting_message *message = new_message(waiting);
    if (!message)
        return;
    *message = (struct refrain_waiting_message){.match = event->match,
                                                .references = 1,
                                                .approximate = event->approximate,
                                                .nonblocking = event->request >= 0,
                                                .sent_ns = call->enter_ns,
                                                .receiver = event->peer,
                                                .send = call};
    call->references++;
    if (!refrain_table_put_object(&waiting->messages, event->match, 0, message)) {
        refrain_waiting_release_message(waiting, message);
        waiting->no_memory = true;
        return;
    }
    struct refrain_waiting_request *request = event->request >= 0 ? refrain_waiting_request(waiting, event) : NULL;
    if (request) {
        request->message = message;
        message->references++;
    }
    if (!message->nonblocking)
        keep_unsettled(waiting, call, message);
}

/* The call sent or completed the message, and waited until the receive was posted. */
static bool set_as_sender(struct refrain_waiting *waiting, struct refrain_waiting_call *sender,
                          const struct refrain_waiting_message *message, bool approximate) {
    enum refrain_wait_kind kind = message->completion ? REFRAIN_WAIT_COMPLETION_SEND : REFRAIN_WAIT_LATE_RECEIVER;
    struct refrain_wait *wait = &waiting->peer_wait, *all = &sender->as_sender;
    if (!refrain_waiting_set(wait, sender, kind, message->posted_ns, message->receiver, message->receive, approximate))
        return false;
    int64_t before_ns = all->ns, begin_ns = before_ns ? all->begin_ns : wait->begin_ns;
    *all = *wait;
    all->begin_ns = begin_ns;
    all->ns += before_ns;
    waiting->n_unseen += sender->given;
    return true;
}

static void posted(struct refrain_waiting_location *location, const struct refrain_waiting_call *call,
                   struct refrain_waiting_request *request) {
    request->posted_ns = call->enter_ns;
    request->posted_in = call->region;
    request->location = location;
    request->earlier = location->receives;
    if (request->earlier)
        request->earlier->later = request;
    location->receives = request;
}

static void received(struct refrain_waiting *waiting, struct refrain_waiting_call *call, struct refrain_event *event) {
    struct refrain_waiting_request *request = refrain_waiting_find_request(waiting, event);
    int64_t posted_ns = request ? request->posted_ns : call->enter_ns;
    const struct refrain_region_info *posted_in = request && request->posted_in ? request->posted_in : call->region;
    bool nonblocking = event->request >= 0;
    if (request)
        refrain_waiting_drop_request(waiting, request);
    struct refrain_waiting_message *message = refrain_table_object(&waiting->messages, event->match, 0);
    if (!message)
        return;
    bool approximate = event->approximate || message->approximate;
    int64_t until_ns = message->sent_ns < event->time_ns ? message->sent_ns : event->time_ns;
    if (refrain_waiting_set(&waiting->wait, call,
                            nonblocking ? REFRAIN_WAIT_COMPLETION_RECEIVE : REFRAIN_WAIT_LATE_SENDER, until_ns,
                            event->peer, message->send->region, approximate))
        event->wait = &waiting->wait;
    message->received = true;
    message->posted_ns = posted_ns;
    message->receiver = event->rank;
    message->receive = posted_in;
    /* A blocking send may still be in its call. A nonblocking send may have been completed by a call that waited. */
    struct refrain_waiting_call *sender = message->nonblocking ? message->completion : message->send;
    if (sender && posted_ns < sender->leave_ns && set_as_sender(waiting, sender, message, approximate))
        event->peer_wait = &waiting->peer_wait;
    forget_message(waiting, message);
}

static void completed_send(struct refrain_waiting *waiting, struct refrain_waiting_call *call,
                           struct refrain_event *event) {
    struct refrain_waiting_request *request = refrain_waiting_find_request(waiting, event);
    struct refrain_waiting_message *message = request ? request->message : NULL;
    if (message && message->received) {
        if (refrain_waiting_set(&waiting->wait, call, REFRAIN_WAIT_COMPLETION_SEND, message->posted_ns,
                                message->receiver, message->receive, event->approximate || message->approximate))
            event->wait = &waiting->wait;
    } else if (message) {
        message->completion = call;
        call->references++;
        keep_unsettled(waiting, call, message);
    }
    if (request)
        refrain_waiting_drop_request(waiting, request);
}

/* ---- events ---- */

static void leave_call(struct refrain_waiting *waiting, struct refrain_waiting_location *location,
                       struct refrain_event *event) {
    struct refrain_waiting_call *call = location->call;
    if (call->inside)
        refrain_waiting_leave_collective(waiting, call, call->inside, call->is_root, event);
    call->inside = NULL;
    call->leave_ns = event->time_ns;
    location->call = call->outer;
    call->outer = NULL;
    if (waiting->settles)
        waiting->left = call;
    else
        refrain_waiting_release_call(waiting, call);
}

bool refrain_waiting_event(struct refrain_waiting *waiting, struct refrain_event *event) {
    event->wait = event->peer_wait = NULL;
    waiting->left = NULL;
    bool is_mpi = event->region && event->region->kind == REFRAIN_REGION_MPI;
    if (!is_mpi)
        return true;
    struct refrain_waiting_location *location = location_of(waiting, event);
    if (!location)
        return !waiting->no_memory;
    struct refrain_waiting_call *call = location->call;
    struct refrain_waiting_request *request;
    if (event->kind == REFRAIN_EVENT_ENTER) {
        enter_call(waiting, location, event);
        return !waiting->no_memory;
    }
    if (!call)
        return true; /* the trace is inconsistent; its calls are unknown */
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
        if (event->request >= 0 && (request = refrain_waiting_request(waiting, event)))
            posted(location, call, request);
        break;
    case REFRAIN_EVENT_RECV:
        received(waiting, call, event);
        break;
    case REFRAIN_EVENT_CANCEL:
        if ((request = refrain_waiting_find_request(waiting, event))) {
            if (request->message && !request->message->received)
                forget_message(waiting, request->message);
            refrain_waiting_drop_request(waiting, request);
        }
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        refrain_waiting_enter_collective(waiting, call, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        refrain_waiting_complete_collective(waiting, call, event);
        break;
    default:
        break;
    }
    return !waiting->no_memory;
}

void refrain_waiting_mark(struct refrain_waiting *waiting, const struct refrain_event *enter,
                          const struct refrain_region_info *region, void *mark) {
    struct refrain_waiting_location *location = location_of(waiting, enter);
    struct refrain_waiting_call *call = location ? location->call : NULL;
    while (call && (call->region != enter->region || call->enter_ns != enter->time_ns))
        call = call->outer;
    if (call) {
        call->region = region;
        call->mark = mark;
    }
}

/* ---- open and close ---- */

struct refrain_waiting *refrain_waiting_open(const struct refrain_trace *trace) {
    struct refrain_waiting *waiting = refrain_calloc(1, sizeof *waiting);
    if (!waiting)
        return NULL;
    waiting->trace = trace;
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank >= 0 && (size_t)trace->processes[i].rank >= waiting->n_ranks)
            waiting->n_ranks = (size_t)trace->processes[i].rank + 1;
    waiting->locations = refrain_calloc(trace->n_locations + 1, sizeof *waiting->locations);
    waiting->has_trace = refrain_calloc(waiting->n_ranks + 1, sizeof *waiting->has_trace);
    waiting->whole = refrain_calloc(1, trace->n_comms + 1);
    if (!refrain_location_index_open(&waiting->index, trace) || !waiting->locations || !waiting->has_trace ||
        !waiting->whole) {
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
    const struct refrain_table_slot *slot = NULL;
    while ((slot = refrain_table_next(&waiting->requests, slot)))
        if (((struct refrain_waiting_request *)slot->object)->message)
            refrain_waiting_release_message(waiting, ((struct refrain_waiting_request *)slot->object)->message);
    while ((slot = refrain_table_next(&waiting->messages, slot)))
        refrain_waiting_release_message(waiting, slot->object);
    refrain_table_close(&waiting->messages);
    refrain_table_free(&waiting->requests);
    refrain_table_free(&waiting->collectives);
    refrain_table_free(&waiting->kinds);
    for (size_t i = 0; waiting->locations && i < waiting->index.n; i++)
        for (struct refrain_waiting_call *call = waiting->locations[i].call, *outer; call; call = outer) {
            outer = call->outer;
            refrain_waiting_drop_unsettled(waiting, call);
            refrain_waiting_release_call(waiting, call);
        }
    refrain_location_index_close(&waiting->index);
    for (struct refrain_waiting_call *call = waiting->free_calls, *next; call; call = next) {
        next = call->outer;
        refrain_free(call);
    }
    for (struct refrain_waiting_message *message = waiting->free_messages, *next; message; message = next) {
        next = message->next;
        refrain_free(message);
    }
    refrain_free(waiting->locations);
    refrain_free(waiting->has_trace);
    refrain_free(waiting->whole);
    refrain_free(waiting);
}
