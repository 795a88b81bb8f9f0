/* align.c: merges locations in time order and keeps cause before effect (align.h). */
#include "match/align.h"
#include "common/arena.h"
#include "common/array.h"
#include "match/align_next.h"
#include "model/trace_read.h"

/* Events that a location may deliver in one turn. TURN_OF_ALL bounds the turns of all locations together: at most as
 * many more messages are in flight than in time order. */
#define TURN_MOST ((size_t)512)
#define TURN_LEAST ((size_t)16)
#define TURN_OF_ALL ((size_t)65536)

/* ---- groups ---- */

static bool read_event(struct refrain_align_location *location, struct refrain_event *event) {
    if (location->has_ahead) {
        *event = location->ahead;
        location->has_ahead = false;
        return true;
    }
    if (location->exhausted)
        return false;
    const struct refrain_event *read = refrain_posting_order_next(&location->posting_order, location->stream);
    location->exhausted = !read;
    if (read)
        *event = *read;
    return read != NULL;
}

static struct refrain_event *group_add(struct refrain_align_location *location) {
    if (!REFRAIN_ARENA_ROOM(location->gathered, location->n_group, location->capacity_gathered))
        return NULL;
    location->group = location->gathered;
    return &location->group[location->n_group++];
}

static bool leaves_collective(const struct refrain_align_location *location, const struct refrain_event *event) {
    return location->inside && event->kind == REFRAIN_EVENT_LEAVE && event->region == location->inside_region;
}

/* Reads the location's next group: one event, or all completions of an MPI call together with its LEAVE. False without
 * memory. */
static bool read_group(struct refrain_align *align, struct refrain_align_location *location) {
    struct refrain_event *event = group_add(location);
    if (!event)
        return false;
    if (!read_event(location, event)) {
        location->n_group--;
        return true;
    }
    while (align->adjust && refrain_event_completes(event)) {
        if (!(event = group_add(location)))
            return false;
        if (!read_event(location, event)) {
            location->n_group--;
            break;
        }
        if (!refrain_event_completes(event) && !refrain_event_leaves_mpi(event)) {
            location->ahead = *event;
            location->has_ahead = true;
            location->n_group--;
            break;
        }
    }
    return true;
}

/* Uses the stream's own memory for the location's next group, if all of the group has been read and no receive is
 * pending. The group is the completions of an MPI call that has begun nothing, and its LEAVE. Otherwise returns false
 * and reads nothing. */
static bool use_group_of_stream(struct refrain_align *align, struct refrain_align_location *location) {
    struct refrain_stream *stream = location->stream;
    const struct refrain_posting_order *order = &location->posting_order;
    uint32_t end = stream->next;
    if (!align->adjust || location->has_ahead || order->behind || order->first < order->n)
        return false;
    while (end < stream->n && refrain_event_completes(&stream->from[end]))
        end++;
    if (end == stream->next || end == stream->n || !refrain_event_leaves_mpi(&stream->from[end]))
        return false;
    location->group = &stream->from[stream->next];
    location->n_group = end + 1 - stream->next;
    stream->next = end + 1;
    return true;
}

/* Fast path of load_group(): the location's next group is one event that waits for no other location. Returns true if
 * the group is ready. Otherwise false; an event that was read is kept for read_group(). */
static inline bool load_single_event(struct refrain_align *align, struct refrain_align_location *location) {
    if (location->inside || location->has_ahead || location->exhausted || align->without_probes)
        return false;
    const struct refrain_event *read = refrain_stream_read(location->stream);
    if (read && align->adjust && refrain_event_completes(read))
        return false;
    struct refrain_event *event = refrain_posting_order_next(&location->posting_order, location->stream);
    if (!event) {
        location->exhausted = true;
        return false;
    }
    if (align->adjust && refrain_event_completes(event)) {
        location->ahead = *event;
        location->has_ahead = true;
        return false;
    }
    refrain_align_load_event(align, location, event);
    return true;
}

/* Marks a location as ended at now_ns. The rank ends with the last of its locations. */
static void end_location(struct refrain_align *align, int32_t rank, int64_t now_ns) {
    if (now_ns > align->ended_ns[rank])
        align->ended_ns[rank] = now_ns;
    if (--align->running[rank] > 0)
        return;
    align->ending_ns = align->ended_ns[rank];
    refrain_align_messages_ended(align, rank);
    refrain_align_collectives_ended(align);
}

/* Reads a location's next group and registers the causes that the group waits for. Sets no_memory, with an empty group,
 * if memory runs out. */
static void load_group(struct refrain_align *align, uint32_t number) {
    struct refrain_align_location *location = &align->locations[number];
    location->n_group = 0;
    location->waiting = 0;
    bool read = use_group_of_stream(align, location) || read_group(align, location);
    if (!read || location->posting_order.no_memory) {
        align->no_memory = true;
        location->n_group = 0;
        return;
    }
    if (location->n_group == 0) {
        int32_t rank = location->stream->rank;
        if (location->inside)
            refrain_align_left(align, location);
        end_location(align, rank, location->now_ns);
        return;
    }
    const struct refrain_event *last = refrain_align_last(location);
    bool elastic = refrain_event_completes(&location->group[0]) || refrain_event_leaves_mpi(last);
    location->time_ns =
        elastic || !align->adjust ? last->time_ns : refrain_align_later(last->time_ns, location->shift_ns);
    if (align->without_probes)
        location->time_ns = refrain_virtual_ns(&location->virtual_time, last->time_ns, last->probes_ns);
    if (align->adjust && location->time_ns < location->now_ns)
        location->time_ns = location->now_ns;
    if (align->adjust)
        for (uint32_t i = 0; i < location->n_group; i++)
            if (location->group[i].kind == REFRAIN_EVENT_RECV)
                refrain_align_receive(align, number, i);
    if (leaves_collective(location, last))
        refrain_align_leave(align, number);
}

static bool is_ready(const struct refrain_align_location *location) {
    return location->n_group > 0 && location->waiting == 0;
}

static bool is_earlier(const struct refrain_align_location *a, const struct refrain_align_location *b) {
    return a->time_ns != b->time_ns ? a->time_ns < b->time_ns : a < b;
}

/* If no location can continue, lets the earliest waiting one continue without its cause. False if none waits, or if
 * locations take turns. */
static bool release_earliest(struct refrain_align *align) {
    struct refrain_align_location *earliest = NULL;
    for (uint32_t i = 0; i < align->n; i++) {
        struct refrain_align_location *location = &align->locations[i];
        if (location->waiting > 0 && (!earliest || is_earlier(location, earliest)))
            earliest = location;
    }
    if (!earliest)
        return false;
    refrain_align_order_matters(align, "what is left waits for each other");
    if (align->stopped)
        return false;
    uint32_t number = earliest->number;
    refrain_align_release_messages(align, number);
    refrain_align_release_collective(align, number);
    earliest->waiting = 1;
    refrain_align_satisfy(align, number, NULL);
    return true;
}

/* ---- the run ---- */

/* Advances the location's virtual time to the last event of its group. */
static void advance_virtual_time(struct refrain_align_location *location, const struct refrain_event *last) {
    struct refrain_moment now = {last->time_ns,
                                 refrain_virtual_ns(&location->virtual_time, last->time_ns, last->probes_ns)};
    bool enters = last->kind == REFRAIN_EVENT_ENTER && last->region->kind == REFRAIN_REGION_MPI;
    refrain_virtual_pass(&location->virtual_time, now, last->probes_ns, enters);
}

static void begin_group(struct refrain_align *align, struct refrain_align_location *location) {
    refrain_align_begin_group(align, location);
    if (align->without_probes)
        advance_virtual_time(location, refrain_align_last(location));
}

/* Slow path: loads the location's next group, after all of the last one was delivered. The group may have to wait. */
static void load_and_begin_next(struct refrain_align *align, struct refrain_align_location *location) {
    if (leaves_collective(location, refrain_align_last(location)))
        refrain_align_left(align, location);
    align->emitting = NULL;
    load_group(align, location->number);
    if (is_ready(location))
        begin_group(align, refrain_align_earliest(align, location));
}

/* Begins the earliest group that is ready. If none is ready, first lets a location continue that waits in vain. False
 * if there is no group. */
static bool begin_earliest(struct refrain_align *align) {
    while (align->ready.n == 0)
        if (!release_earliest(align))
            return false;
    align->turn_end = align->report.events + align->turn;
    begin_group(align, &align->locations[refrain_ready_take(&align->ready)]);
    return true;
}

/* With turns, the effect of an event on other locations may depend on the order of the locations. Stops the run in
 * these cases. */
static void check_order_matters(struct refrain_align *align, const struct refrain_align_location *location,
                                const struct refrain_event *event) {
    const unsigned counts =
        1u << REFRAIN_EVENT_UNTOLD_SENDS | 1u << REFRAIN_EVENT_UNTOLD_RECEIVES | 1u << REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    uint32_t *last_communicating = &align->last_communicating[location->stream->rank];
    if (*last_communicating > 0 && *last_communicating != location->number + 1)
        refrain_align_order_matters(align, "several threads of a rank communicate");
    if (counts >> event->kind & 1)
        refrain_align_order_matters(align, "messages or collectives passed in a pause");
    *last_communicating = location->number + 1;
}

/* Matches an event that other locations depend on, at the moment when it is delivered. */
static void match_event(struct refrain_align *align, uint32_t location, struct refrain_event *event, uint32_t number) {
    if (align->turn > 0)
        check_order_matters(align, &align->locations[location], event);
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        refrain_align_send(align, location, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        refrain_align_enter(align, location, event);
        break;
    case REFRAIN_EVENT_RECV:
        if (!align->adjust)
            refrain_align_receive(align, location, number);
        refrain_align_mark_unsure(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
        refrain_align_sends_in_pause(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        refrain_align_receives_in_pause(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        refrain_align_collectives_in_pause(align, event);
        break;
    default:
        break;
    }
}

/* Begins the next group after all of the current one was delivered. No group is begun if the location has to wait. */
static void advance(struct refrain_align *align) {
    struct refrain_align_location *location = align->emitting;
    /* Most often the same location has the earliest next event. */
    if (load_single_event(align, location))
        begin_group(align, refrain_align_earliest(align, location));
    else
        load_and_begin_next(align, location);
}

const struct refrain_event *refrain_align_next(struct refrain_align *align, size_t *stream) {
    if (align->emitting && align->given == align->emitting->n_group)
        advance(align);
    if (align->no_memory || align->stopped || (!align->emitting && !begin_earliest(align))) {
        align->plain &= !align->no_memory && !align->stopped;
        return NULL;
    }
    struct refrain_event *event = refrain_align_next_of_group(align, stream);
    if (refrain_event_matters(event))
        match_event(align, align->emitting->number, event, (uint32_t)(align->given - 1));
    return event;
}

bool refrain_align_failed(const struct refrain_align *align) {
    return align->no_memory;
}

void refrain_align_report(const struct refrain_align *align, struct refrain_cursor_report *report) {
    *report = align->report;
    if (align->ready.n == 0)
        report->unmatched_sends += refrain_align_messages_in_flight(align);
}

/* An alignment of n locations with empty tables. Null without memory. */
static struct refrain_align *make(size_t n) {
    struct refrain_align *align = refrain_calloc(1, sizeof *align);
    if (!align)
        return NULL;
    align->n = n;
    refrain_channels_open(&align->channels);
    align->unsure.entry_bytes = sizeof(struct refrain_store_entry);
    refrain_align_collectives_open(align);
    align->locations = refrain_calloc(n + 1, sizeof *align->locations);
    align->ready.heap = refrain_calloc(n + 1, sizeof *align->ready.heap);
    if (align->locations && align->ready.heap)
        return align;
    refrain_align_close(align);
    return NULL;
}

/* Sets the length of a turn. False without memory. */
static bool open_turns(struct refrain_align *align) {
    align->turn = TURN_MOST;
    while (align->turn > TURN_LEAST && align->turn * align->n > TURN_OF_ALL)
        align->turn /= 2;
    return (align->last_communicating = refrain_calloc(align->n_ranks + 1, sizeof *align->last_communicating)) != NULL;
}

struct refrain_align *refrain_align_open(struct refrain_stream *const *streams, size_t n,
                                         enum refrain_align_times times, struct refrain_turns *turns) {
    struct refrain_align *align = make(n);
    if (!align)
        return NULL;
    align->adjust = times != REFRAIN_TIMES_AS_THEY_ARE;
    align->without_probes = times == REFRAIN_TIMES_WITHOUT_PROBES;
    align->turns = turns;
    align->plain = !align->without_probes;
    align->now_ns = INT64_MIN;
    for (size_t i = 0; i < n; i++)
        if ((size_t)streams[i]->rank >= align->n_ranks)
            align->n_ranks = (size_t)streams[i]->rank + 1;
    align->running = refrain_calloc(align->n_ranks + 1, sizeof *align->running);
    align->ended_ns = refrain_calloc(align->n_ranks + 1, sizeof *align->ended_ns);
    if (!align->running || !align->ended_ns) {
        refrain_align_close(align);
        return NULL;
    }
    for (size_t i = 0; i < align->n_ranks; i++)
        align->ended_ns[i] = INT64_MIN;
    for (size_t i = 0; i < n; i++) {
        align->locations[i].number = (uint32_t)i;
        align->locations[i].stream = streams[i];
        align->locations[i].now_ns = INT64_MIN;
        align->running[streams[i]->rank]++;
    }
    if (turns && !open_turns(align)) {
        refrain_align_close(align);
        return NULL;
    }
    for (uint32_t i = 0; i < n && !align->stopped; i++) {
        load_group(align, i);
        if (is_ready(&align->locations[i]))
            refrain_align_ready(align, i);
    }
    return align;
}

void refrain_align_close(struct refrain_align *align) {
    if (!align)
        return;
    for (size_t i = 0; i < align->n && align->locations; i++) {
        refrain_posting_order_close(&align->locations[i].posting_order);
        refrain_free(align->locations[i].gathered);
    }
    refrain_channels_close(&align->channels);
    refrain_store_close(&align->unsure);
    refrain_align_collectives_close(align);
    refrain_free(align->locations);
    refrain_free(align->ready.heap);
    refrain_free(align->running);
    refrain_free(align->ended_ns);
    refrain_free(align->last_communicating);
    refrain_free(align);
}
