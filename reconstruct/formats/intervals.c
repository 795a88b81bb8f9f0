/* intervals.c: makes intervals of begins and ends (intervals.h). */
#include "formats/intervals.h"
#include "analysis/open_regions.h"
#include "model/mpi_call.h"

#include <stdlib.h>
#include <string.h>

struct call {
    struct refrain_region_frame head;
    bool collective;
    struct refrain_event event;
};

struct refrain_intervals {
    const struct refrain_trace *trace;
    const struct refrain_locations *locations;
    void (*visit)(void *data, const struct refrain_interval *interval);
    void *data;
    struct refrain_messages *messages;
    struct refrain_region_stack *stacks; /* by location, of struct call */
    struct refrain_intervals_open open;
    uint64_t lone;
    int64_t now_ns;
    bool moments, no_memory;
};

bool refrain_intervals_has_collective(const struct refrain_region_info *region) {
    return region->kind == REFRAIN_REGION_MPI && (region->role || refrain_mpi_kind(region) == REFRAIN_MPI_START);
}

static void enter(struct refrain_intervals *intervals, size_t location, const struct refrain_event *event) {
    if (refrain_region_stack_enter(&intervals->stacks[location], sizeof(struct call), event->region, intervals->now_ns))
        intervals->open.calls++;
    else
        intervals->no_memory = true;
}

static size_t region_of(const struct refrain_intervals *intervals, const struct refrain_region_info *region) {
    return region->index < intervals->trace->n_regions ? region->index : intervals->trace->n_regions;
}

static void leave(struct refrain_intervals *intervals, size_t location, bool left) {
    struct refrain_region_stack *stack = &intervals->stacks[location];
    const struct call *call = refrain_region_stack_top(stack);
    if (!call)
        return;
    int64_t ns = intervals->now_ns - call->head.enter_ns;
    call = refrain_region_stack_leave(stack, ns);
    struct refrain_interval interval = {.left = left,
                                        .region = region_of(intervals, call->head.region),
                                        .locations = {location, location},
                                        .start_ns = call->head.enter_ns,
                                        .end_ns = intervals->now_ns,
                                        .own_ns = ns - call->head.inner_ns,
                                        .collective = left && call->collective ? &call->event : NULL};
    intervals->open.calls--;
    intervals->visit(intervals->data, &interval);
}

static void message(struct refrain_intervals *intervals, size_t location, const struct refrain_event *event) {
    struct refrain_message sent = {.location = location, .time_ns = intervals->now_ns, .bytes = event->bytes};
    if (event->kind == REFRAIN_EVENT_SEND) {
        refrain_messages_send(intervals->messages, event, &sent);
        intervals->open.messages++;
        intervals->lone++;
    } else if (refrain_messages_receive(intervals->messages, event, &sent)) {
        struct refrain_interval interval = {.kind = REFRAIN_INTERVAL_MESSAGE,
                                            .left = true,
                                            .locations = {sent.location, location},
                                            .start_ns = sent.time_ns,
                                            .end_ns = intervals->now_ns,
                                            .receive = event,
                                            .sent_bytes = sent.bytes};
        intervals->open.messages--;
        intervals->lone--;
        intervals->visit(intervals->data, &interval);
    } else {
        intervals->lone++;
    }
}

/* Of several collectives in a call, the first one counts. */
static bool collective(struct refrain_intervals *intervals, size_t location, const struct refrain_event *event) {
    struct call *call = refrain_region_stack_top(&intervals->stacks[location]);
    if (!call || call->collective || !refrain_intervals_has_collective(call->head.region))
        return false;
    call->collective = true;
    call->event = *event;
    return true;
}

static bool moment(struct refrain_intervals *intervals, size_t location, const struct refrain_event *event) {
    if (!intervals->moments || event->region->index >= intervals->trace->n_regions)
        return false;
    struct refrain_interval interval = {.kind = REFRAIN_INTERVAL_MOMENT,
                                        .left = true,
                                        .region = event->region->index,
                                        .locations = {location, location},
                                        .start_ns = intervals->now_ns,
                                        .end_ns = intervals->now_ns,
                                        .moment = event};
    intervals->visit(intervals->data, &interval);
    return true;
}

bool refrain_intervals_event(struct refrain_intervals *intervals, const struct refrain_event *event) {
    size_t location = refrain_locations_of(intervals->locations, event);
    if (event->time_ns > intervals->now_ns)
        intervals->now_ns = event->time_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        enter(intervals, location, event);
        return true;
    case REFRAIN_EVENT_LEAVE:
        leave(intervals, location, true);
        return true;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        message(intervals, location, event);
        return true;
    case REFRAIN_EVENT_COLLECTIVE:
        return collective(intervals, location, event);
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        return moment(intervals, location, event);
    default:
        return false;
    }
}

void refrain_intervals_finish(struct refrain_intervals *intervals) {
    for (size_t i = 0; i < intervals->locations->n; i++)
        while (intervals->stacks[i].depth > 0)
            leave(intervals, i, false);
}

struct refrain_intervals *refrain_intervals_make(const struct refrain_trace *trace,
                                                 const struct refrain_locations *locations, bool moments,
                                                 void (*visit)(void *data, const struct refrain_interval *interval),
                                                 void *data) {
    struct refrain_intervals *intervals = calloc(1, sizeof *intervals);
    if (!intervals)
        return NULL;
    *intervals = (struct refrain_intervals){
        .trace = trace, .locations = locations, .moments = moments, .visit = visit, .data = data};
    intervals->messages = refrain_messages_make(trace);
    intervals->stacks = calloc(locations->n + 1, sizeof *intervals->stacks);
    if (intervals->messages && intervals->stacks)
        return intervals;
    refrain_intervals_free(intervals);
    return NULL;
}

void refrain_intervals_free(struct refrain_intervals *intervals) {
    if (!intervals)
        return;
    for (size_t i = 0; intervals->stacks && i < intervals->locations->n; i++)
        refrain_region_stack_free(&intervals->stacks[i]);
    free(intervals->stacks);
    refrain_messages_free(intervals->messages);
    free(intervals);
}

struct refrain_intervals_open refrain_intervals_open(const struct refrain_intervals *intervals) {
    return intervals->open;
}

uint64_t refrain_intervals_lone(const struct refrain_intervals *intervals) {
    return intervals->lone;
}

bool refrain_intervals_no_memory(const struct refrain_intervals *intervals) {
    return intervals->no_memory || refrain_messages_no_memory(intervals->messages);
}
