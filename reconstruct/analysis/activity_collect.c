/* activity_collect.c: adds an event to the sums (activity_collect.h). */
#include "analysis/activity_collect.h"
#include "common/array.h"

#include <stdlib.h>

struct pair_sum {
    int64_t ns;
};

static bool is_inside(const struct refrain_activity_collector *collector, int64_t ns) {
    return ns >= collector->request->from_ns && ns <= collector->request->to_ns;
}

/* True if the waits of the call may count, even if they are known only later. */
static bool is_call_of_window(const struct refrain_activity_collector *collector,
                              const struct refrain_region_info *region, int64_t enter_ns) {
    return region->kind == REFRAIN_REGION_MPI && enter_ns <= collector->request->to_ns;
}

/* ---- objects with sums ---- */

static struct refrain_activity_location *location_of(struct refrain_activity_collector *collector,
                                                     const struct refrain_event *event) {
    size_t number = refrain_location_index_of(&collector->index, event);
    struct refrain_activity_location *location = &collector->locations[number];
    if (number == collector->index.n)
        return NULL;
    if (!location->begun) {
        const int64_t from_ns = collector->request->from_ns;
        bool began_before = collector->index.locations[number].start_ns < from_ns && event->time_ns > from_ns;
        location->first_ns = began_before ? from_ns : event->time_ns;
        location->begun = true;
    }
    return location;
}

/* Regions without an index, which the trace does not list, share one entry. Valid until the next call; null without
 * memory. */
static struct refrain_activity_open *open_of(struct refrain_activity_location *location,
                                             const struct refrain_region_info *region) {
    size_t index = region->index == UINT32_MAX ? 0 : (size_t)region->index + 1, n = location->capacity_open;
    if (index < n)
        return &location->open[index];
    if (!REFRAIN_ARRAY_ROOMS(location->open, n, index + 1 - n, location->capacity_open))
        return NULL;
    memset(location->open + n, 0, (location->capacity_open - n) * sizeof *location->open);
    return &location->open[index];
}

/* Makes room for the region: those of layers appear during the replay. False without memory. */
static bool know_region(struct refrain_activity_collector *collector, const struct refrain_region_info *region) {
    struct refrain_activity *activity = collector->activity;
    if (region->index != activity->n_regions || !collector->request->layers)
        return true;
    if (!REFRAIN_ARRAY_ROOM(activity->regions, activity->n_regions, collector->capacity_regions))
        return false;
    activity->regions[activity->n_regions++] = (struct refrain_activity_region){.region = region};
    return true;
}

static struct refrain_activity_path *path_below(struct refrain_activity_collector *collector,
                                                struct refrain_activity_path *parent,
                                                const struct refrain_region_info *region) {
    struct refrain_activity_path **link = &parent->first;
    while (*link && (*link)->region != region)
        link = &(*link)->next;
    if (!*link && (*link = calloc(1, sizeof **link))) {
        (*link)->region = region;
        (*link)->parent = parent;
    }
    collector->no_memory |= !*link;
    return *link;
}

/* The object for a pair of numbers, made with `bytes` zeroed bytes if it is new. */
static void *object_of(struct refrain_activity_collector *collector, struct refrain_table *table, uint64_t a,
                       uint64_t b, size_t bytes) {
    void *object = refrain_table_make(table, a, b, bytes);
    collector->no_memory |= !object;
    return object;
}

static struct refrain_activity_part *part_of(struct refrain_activity_collector *collector,
                                             const struct refrain_region_info *region, int32_t rank) {
    struct refrain_activity_part *part =
        object_of(collector, &collector->parts, region->index, (uint32_t)rank, sizeof *part);
    if (part) {
        part->region = region;
        part->rank = rank;
    }
    return part;
}

static struct refrain_activity_partner *partner_of(struct refrain_activity_collector *collector,
                                                   const struct refrain_region_info *region, int32_t rank, int32_t peer,
                                                   bool receives) {
    struct refrain_activity_partner *partner =
        object_of(collector, &collector->partners, (uint64_t)region->index << 1 | receives,
                  (uint64_t)(uint32_t)rank << 32 | (uint32_t)peer, sizeof *partner);
    if (partner) {
        partner->region = region;
        partner->rank = rank;
        partner->peer = peer;
        partner->receives = receives;
    }
    return partner;
}

/* ---- waits ---- */

static void add_wait(struct refrain_activity_collector *collector, const struct refrain_wait *wait) {
    int64_t ns = refrain_activity_span(collector, wait->begin_ns, wait->begin_ns + wait->ns);
    if (ns <= 0)
        return;
    if ((size_t)wait->cause_rank < collector->n_ranks && collector->by_rank[wait->cause_rank])
        collector->by_rank[wait->cause_rank]->caused_ns += ns;
    if (!refrain_activity_counts(collector, wait->rank))
        return;
    struct refrain_activity_path *path = wait->mark;
    struct refrain_activity_region *region = refrain_activity_region_of(collector, wait->region);
    struct refrain_activity_part *part = part_of(collector, wait->region, wait->rank);
    if (path)
        path->waiting_ns += ns;
    if (region)
        region->waiting_ns += ns;
    if (part)
        part->waiting_ns += ns;
    struct refrain_activity_times *times = &collector->by_rank[wait->rank]->times;
    times->waiting_ns += ns;
    times->own_ns[wait->region->own_time] -= ns;
    bool receives = wait->kind == REFRAIN_WAIT_LATE_SENDER || wait->kind == REFRAIN_WAIT_COMPLETION_RECEIVE;
    if (receives || wait->kind == REFRAIN_WAIT_LATE_RECEIVER || wait->kind == REFRAIN_WAIT_COMPLETION_SEND) {
        struct refrain_activity_partner *partner =
            partner_of(collector, wait->region, wait->rank, wait->cause_rank, receives);
        if (partner)
            partner->waiting_ns += ns;
    }
    struct refrain_activity_wait *sum =
        object_of(collector, &collector->waits, (uint64_t)wait->region->index << 32 | wait->cause->index, wait->kind,
                  sizeof *sum);
    if (!sum)
        return;
    if (!sum->pairs) {
        sum->kind = wait->kind;
        sum->region = wait->region;
        sum->cause = wait->cause;
        sum->pairs = calloc(1, sizeof *sum->pairs);
        collector->no_memory |= !sum->pairs;
    }
    sum->count++;
    sum->ns += ns;
    struct pair_sum *pair = sum->pairs ? object_of(collector, &sum->pairs->table, (uint32_t)wait->rank,
                                                   (uint32_t)wait->cause_rank, sizeof *pair)
                                       : NULL;
    if (pair && (pair->ns += ns) > sum->worst_ns) {
        sum->worst_ns = pair->ns;
        sum->worst_rank = wait->rank;
        sum->worst_cause = wait->cause_rank;
    }
}

/* ---- events ---- */

/* `given`: the event before layers changed it. */
static bool push(struct refrain_activity_collector *collector, struct refrain_activity_location *location,
                 const struct refrain_event *event, const struct refrain_event *given) {
    collector->n_calls += is_call_of_window(collector, event->region, event->time_ns);
    const struct refrain_activity_frame *around = refrain_region_stack_top(&location->stack);
    struct refrain_activity_path *parent = around ? around->path : collector->activity->root;
    struct refrain_activity_open *open = open_of(location, event->region);
    if (!open || !know_region(collector, event->region))
        return false;
    bool outermost = open->levels++ == 0;
    struct refrain_activity_path *path = outermost ? path_below(collector, parent, event->region) : open->path;
    if (!path)
        return false;
    open->path = path;
    struct refrain_activity_frame *frame =
        refrain_region_stack_enter(&location->stack, sizeof *frame, event->region, event->time_ns);
    if (!frame)
        return false;
    frame->path = path;
    frame->outermost = outermost;
    frame->first_message = location->n_messages;
    if (event->region->kind == REFRAIN_REGION_MPI)
        refrain_waiting_mark(((struct refrain_followed *)collector->replay.followed)->waiting, given, event->region,
                             path);
    return true;
}

/* Divides the time of the call without waiting evenly among its messages. */
static void divide_transmission(struct refrain_activity_location *location, const struct refrain_activity_frame *frame,
                                int64_t transmission_ns) {
    size_t n = location->n_messages - frame->first_message;
    for (size_t i = 0; i < n; i++) {
        int64_t rest_ns = (int64_t)i < transmission_ns % (int64_t)n;
        location->messages[frame->first_message + i]->transmission_ns += transmission_ns / (int64_t)n + rest_ns;
    }
    location->n_messages = frame->first_message;
}

static void add_visit(struct refrain_activity_region *region, int64_t ns) {
    uint64_t stretch = (region->count - 1) >> region->shift;
    if (stretch == REFRAIN_STRETCHES) {
        for (unsigned i = 0; i < REFRAIN_STRETCHES; i++)
            region->stretch_ns[i] =
                i < REFRAIN_STRETCHES / 2 ? region->stretch_ns[2 * i] + region->stretch_ns[2 * i + 1] : 0;
        region->shift++;
        stretch /= 2;
    }
    region->stretch_ns[stretch] += (double)ns;
}

void refrain_activity_pop(struct refrain_activity_collector *collector, struct refrain_activity_location *location,
                          int32_t rank, int64_t now_ns) {
    const struct refrain_region_frame *top = refrain_region_stack_top(&location->stack);
    int64_t ns = refrain_activity_span(collector, top->enter_ns, now_ns);
    const struct refrain_activity_frame *frame = refrain_region_stack_leave(&location->stack, ns);
    int64_t enter_ns = frame->head.enter_ns, own_ns = ns - frame->head.inner_ns;
    bool begun = is_inside(collector, enter_ns);
    const struct refrain_region_info *info = frame->path->region;
    collector->n_calls -= is_call_of_window(collector, info, enter_ns);
    location->open[info->index == UINT32_MAX ? 0 : (size_t)info->index + 1].levels--; /* it was entered */
    if (refrain_activity_counts(collector, rank) && (ns > 0 || begun)) {
        struct refrain_activity_region *region = refrain_activity_region_of(collector, info);
        struct refrain_activity_part *part = part_of(collector, info, rank);
        frame->path->count += begun;
        frame->path->total_ns += frame->outermost ? ns : 0;
        frame->path->own_ns += own_ns;
        if (region) {
            region->count += begun;
            region->total_ns += frame->outermost ? ns : 0;
            region->own_ns += own_ns;
            region->recursive |= !frame->outermost;
            if (begun)
                add_visit(region, own_ns);
        }
        if (part) {
            part->count += begun;
            part->own_ns += own_ns;
        }
        collector->by_rank[rank]->times.own_ns[info->own_time] += own_ns;
        collector->by_rank[rank]->calls += begun && info->kind == REFRAIN_REGION_MPI;
    }
    if (info->kind == REFRAIN_REGION_MPI)
        divide_transmission(location, frame, own_ns > frame->waited_ns ? own_ns - frame->waited_ns : 0);
}

static void add_message(struct refrain_activity_collector *collector, struct refrain_activity_location *location,
                        const struct refrain_event *event) {
    if (event->peer < 0 || !refrain_activity_counts(collector, event->rank) || !is_inside(collector, event->time_ns))
        return;
    bool receives = event->kind == REFRAIN_EVENT_RECV;
    struct refrain_activity_partner *partner = partner_of(collector, event->region, event->rank, event->peer, receives);
    struct refrain_activity_region *region = refrain_activity_region_of(collector, event->region);
    uint64_t bytes = event->bytes > 0 ? (uint64_t)event->bytes : 0;
    struct refrain_activity_rank *rank = collector->by_rank[event->rank];
    if (!partner)
        return;
    partner->messages++;
    partner->bytes += bytes;
    if (region) {
        region->messages++;
        region->bytes += bytes;
    }
    if (receives) {
        rank->received++;
        rank->received_bytes += bytes;
    } else {
        rank->sent++;
        rank->sent_bytes += bytes;
    }
    if (!REFRAIN_ARRAY_ROOM(location->messages, location->n_messages, location->capacity_messages)) {
        collector->no_memory = true;
        return;
    }
    location->messages[location->n_messages++] = partner;
}

static void add_collective(struct refrain_activity_collector *collector, const struct refrain_event *event) {
    struct refrain_activity_region *region = refrain_activity_region_of(collector, event->region);
    if (!region || !refrain_activity_counts(collector, event->rank) || !is_inside(collector, event->time_ns))
        return;
    region->collective_bytes += event->bytes > 0 ? (uint64_t)event->bytes : 0;
    region->collective_bytes += event->received > 0 ? (uint64_t)event->received : 0;
}

/* Lets layers change the event, if there are any. False if the event is left out because it belongs to a layer, and
 * without memory. */
static bool passes_layers(struct refrain_activity_collector *collector,
                          const struct refrain_activity_location *location, struct refrain_event *event) {
    struct refrain_layers *layers = collector->request->layers;
    if (!layers)
        return true;
    bool passes = refrain_layers_event(layers, (size_t)(location - collector->locations), event);
    collector->no_memory |= refrain_layers_failed(layers);
    return passes && !collector->no_memory;
}

int refrain_activity_take(struct refrain_writer *writer, const struct refrain_event *given) {
    struct refrain_activity_collector *collector = (struct refrain_activity_collector *)writer;
    struct refrain_event event = *given;
    /* With compensated times, the end of a location is not known in advance. */
    if (event.time_ns > collector->request->to_ns && collector->n_calls == 0 && !collector->request->compensate) {
        collector->is_over = true;
        return REFRAIN_WRITER_ENOUGH;
    }
    struct refrain_activity_location *location = location_of(collector, &event);
    collector->last_ns = event.time_ns;
    if (event.time_ns >= collector->request->from_ns) { /* not entered before */
        collector->activity->events++;
        collector->activity->approximate += event.approximate && !event.unsure;
    }
    if (!location || !collector->by_rank[event.rank])
        return collector->no_memory ? -1 : 0;
    location->last_ns = event.time_ns;
    if (!passes_layers(collector, location, &event))
        return collector->no_memory ? -1 : 0;
    if (collector->request->watch && !collector->request->watch(collector->request->watch_data, &event)) {
        collector->no_memory = true;
        return -1;
    }
    if (event.wait)
        add_wait(collector, event.wait);
    if (event.peer_wait)
        add_wait(collector, event.peer_wait);
    struct refrain_activity_frame *top = refrain_region_stack_top(&location->stack);
    if (event.wait && top)
        top->waited_ns += refrain_activity_span(collector, event.wait->begin_ns, event.wait->begin_ns + event.wait->ns);
    if (event.kind == REFRAIN_EVENT_ENTER)
        collector->no_memory |= !push(collector, location, &event, given);
    else if (event.kind == REFRAIN_EVENT_LEAVE && top)
        refrain_activity_pop(collector, location, event.rank, event.time_ns);
    else if (event.kind == REFRAIN_EVENT_SEND || event.kind == REFRAIN_EVENT_RECV || event.kind == REFRAIN_EVENT_RMA)
        add_message(collector, location, &event);
    else if (event.kind == REFRAIN_EVENT_COLLECTIVE)
        add_collective(collector, &event);
    return collector->no_memory ? -1 : 0;
}
