/* waiting_parts.c: calls, messages and requests, for waiting.c and waiting_collective.c (waiting_parts.h). */
#include "analysis/waiting_parts.h"
#include "common/arena.h"

#include <stdlib.h>

void refrain_waiting_release_call(struct refrain_waiting *waiting, struct refrain_waiting_call *call) {
    if (!call || --call->references > 0)
        return;
    call->outer = waiting->free_calls;
    waiting->free_calls = call;
}

void refrain_waiting_release_message(struct refrain_waiting *waiting, struct refrain_waiting_message *message) {
    if (--message->references > 0)
        return;
    refrain_waiting_release_call(waiting, message->send);
    refrain_waiting_release_call(waiting, message->completion);
    message->next = waiting->free_messages;
    waiting->free_messages = message;
}

void refrain_waiting_drop_unsettled(struct refrain_waiting *waiting, struct refrain_waiting_call *call) {
    for (struct refrain_waiting_message *message; (message = call->unsettled);) {
        call->unsettled = message->next_unsettled;
        refrain_waiting_release_message(waiting, message);
    }
}

bool refrain_waiting_set(struct refrain_wait *wait, struct refrain_waiting_call *call, enum refrain_wait_kind kind,
                         int64_t until_ns, int32_t cause_rank, const struct refrain_region_info *cause,
                         bool approximate) {
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

static uint64_t location_key(const struct refrain_event *event) {
    return (uint64_t)(uint32_t)event->rank << 32 | event->thread;
}

struct refrain_waiting_request *refrain_waiting_request(struct refrain_waiting *waiting,
                                                        const struct refrain_event *event) {
    uint64_t of = location_key(event), number = (uint64_t)event->request;
    struct refrain_waiting_request *old = refrain_waiting_find_request(waiting, event);
    if (old) /* it never completed */
        refrain_waiting_drop_request(waiting, old);
    struct refrain_waiting_request *request = refrain_table_make(&waiting->requests, of, number, sizeof *request);
    if (request)
        *request = (struct refrain_waiting_request){.of = of, .number = number};
    waiting->no_memory |= !request;
    return request;
}

struct refrain_waiting_request *refrain_waiting_find_request(struct refrain_waiting *waiting,
                                                             const struct refrain_event *event) {
    return event->request < 0 ? NULL
                              : refrain_table_object(&waiting->requests, location_key(event), (uint64_t)event->request);
}

void refrain_waiting_drop_request(struct refrain_waiting *waiting, struct refrain_waiting_request *request) {
    refrain_table_remove(&waiting->requests, request->of, request->number);
    if (request->location)
        *(request->later ? &request->later->earlier : &request->location->receives) = request->earlier;
    if (request->earlier)
        request->earlier->later = request->later;
    if (request->message)
        refrain_waiting_release_message(waiting, request->message);
    refrain_free(request);
}

bool refrain_waiting_is_traced(const struct refrain_waiting *waiting, int32_t rank) {
    return rank >= 0 && (size_t)rank < waiting->n_ranks && waiting->has_trace[rank];
}
