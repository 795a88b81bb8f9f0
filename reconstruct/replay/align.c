/* align.c: merges locations in time order and keeps cause before effect (align.h). */
#include "align.h"
#include "align_next.h"
#include "arena.h"

#define TURNS_BETWEEN_NEWS 64u

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
    if (location->n_group == location->capacity_gathered) {
        size_t larger = location->capacity_gathered ? location->capacity_gathered * 2 : 4;
        struct refrain_event *gathered = refrain_realloc(location->gathered, larger * sizeof *gathered);
        if (!gathered)
            return NULL;
        location->gathered = gathered;
        location->capacity_gathered = larger;
    }
    location->group = location->gathered;
    return &location->group[location->n_group++];
}

static bool leaves_collective(const struct refrain_align_location *location, const struct refrain_event *event) {
    return location->inside && event->kind == REFRAIN_EVENT_LEAVE && event->region == location->inside_region;
}

/* Reads the location's next group: one event, or all that completes in an MPI call with the leaving of it. */
static bool read_group(struct refrain_align *align, struct refrain_align_location *location) {
    struct refrain_event *event = group_add(location);
    if (!event)
        return false;
    if (!read_event(location, event)) {
        location->n_group--;
        return true;
    }
    while (align->adjust && refrain_align_completes(event)) {
        if (!(event = group_add(location)))
            return false;
        if (!read_event(location, event)) {
            location->n_group--;
            break;
        }
        if (!refrain_align_completes(event) && !refrain_align_leaves_mpi(event)) {
            location->ahead = *event;
            location->has_ahead = true;
            location->n_group--;
            break;
        }
    }
    return true;
}

/* Reads a location's next group where that is one event which waits for nobody, as most are: true, and it is ready.
 * Else false: what was read, if anything, is read again by read_group(). */
static inline bool load_alone(struct refrain_align *align, struct refrain_align_location *location) {
    if (location->inside || location->has_ahead || location->exhausted || align->without_probes)
        return false;
    struct refrain_event *event = refrain_posting_order_next(&location->posting_order, location->stream);
    if (!event) {
        location->exhausted = true;
        return false;
    }
    if (align->adjust && refrain_align_completes(event)) {
        location->ahead = *event;
        location->has_ahead = true;
        return false;
    }
    refrain_align_load_event(align, location, event);
    return true;
}

/* Reads a location's next group, which may have to wait. Without memory it is ended, and no_memory set. */
static void load(struct refrain_align *align, uint32_t number) {
    struct refrain_align_location *location = &align->locations[number];
    location->n_group = 0;
    location->waiting = 0;
    if (!read_group(align, location) || location->posting_order.no_memory) {
        align->no_memory = true;
        location->n_group = 0;
        return;
    }
    if (location->n_group == 0) {
        int32_t rank = location->stream->rank;
        if (location->inside)
            refrain_align_left(align, location);
        if (--align->running[rank] == 0) {
            refrain_align_messages_ended(align, rank);
            refrain_align_collectives_ended(align);
        }
        return;
    }
    const struct refrain_event *last = refrain_align_last(location);
    bool elastic = refrain_align_completes(&location->group[0]) || refrain_align_leaves_mpi(last);
    location->time_ns = elastic || !align->adjust ? last->time_ns : last->time_ns + location->shift_ns;
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

/* Nothing can go on: the earliest location that waits is let through without its cause. False when none waits. */
static bool release_earliest(struct refrain_align *align) {
    struct refrain_align_location *earliest = NULL;
    for (uint32_t i = 0; i < align->n; i++) {
        struct refrain_align_location *location = &align->locations[i];
        if (location->waiting > 0 && (!earliest || is_earlier(location, earliest)))
            earliest = location;
    }
    if (!earliest)
        return false;
    uint32_t number = earliest->number;
    refrain_align_pass_messages(align, number);
    refrain_align_pass_collective(align, number);
    earliest->waiting = 1;
    refrain_align_satisfy(align, number, NULL);
    return true;
}

/* ---- the run ---- */

/* The location goes on to the end of its group, in virtual time as in real time. */
static void pass_virtually(struct refrain_align_location *location, const struct refrain_event *last) {
    struct refrain_moment now = {last->time_ns,
                                 refrain_virtual_ns(&location->virtual_time, last->time_ns, last->probes_ns)};
    bool enters = last->kind == REFRAIN_EVENT_ENTER && last->region->kind == REFRAIN_REGION_MPI;
    refrain_virtual_pass(&location->virtual_time, now, last->probes_ns, enters);
}

static void begin_group(struct refrain_align *align, struct refrain_align_location *location) {
    refrain_align_begin_group(align, location);
    if (align->without_probes)
        pass_virtually(location, refrain_align_last(location));
}

/* All of the group has been given: its location's next one may have to wait. */
static void go_on(struct refrain_align *align, struct refrain_align_location *location) {
    if (leaves_collective(location, refrain_align_last(location)))
        refrain_align_left(align, location);
    align->emitting = NULL;
    load(align, location->number);
    if (!align->no_memory && is_ready(location))
        begin_group(align, refrain_align_earliest(align, location));
}

static bool any_waits(const struct refrain_align *align) {
    for (size_t i = 0; i < align->n; i++)
        if (align->locations[i].waiting > 0)
            return true;
    return false;
}

/* What other processes have told, now and then, or where nothing can be done without it. False: the run ends here. */
static bool look_for_news(struct refrain_align *align) {
    bool stuck = !align->emitting && align->ready.n == 0;
    while (!align->share->wrong && !align->no_memory && stuck) {
        if (!align->share->news(align->share, align, true)) {
            if (any_waits(align))
                refrain_align_not_shareable(align, "what is left waits for each other");
            return false;
        }
        stuck = align->ready.n == 0;
    }
    if (++align->turns >= TURNS_BETWEEN_NEWS) {
        align->turns = 0;
        align->share->news(align->share, align, false);
    }
    return !align->share->wrong && !align->no_memory;
}

/* No group is given: one that is ready is, or one that waits in vain. False: there is none. */
static bool begin_any(struct refrain_align *align) {
    while (align->ready.n == 0)
        if (align->share || !release_earliest(align))
            return false;
    begin_group(align, &align->locations[refrain_ready_take(&align->ready)]);
    return true;
}

/* What the event, which is given now, means to others. */
static void tell(struct refrain_align *align, uint32_t location, struct refrain_event *event, uint32_t number) {
    if (event->kind >= REFRAIN_EVENT_UNTOLD_SENDS)
        refrain_align_not_shareable(align, "some messages or collectives passed in a pause");
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
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
        refrain_align_untold_sends(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        refrain_align_untold_receives(align, event);
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        refrain_align_untold_collectives(align, event);
        break;
    default:
        break;
    }
}

const struct refrain_event *refrain_align_next(struct refrain_align *align, size_t *stream) {
    struct refrain_align_location *location = align->emitting;
    if (location && align->given == location->n_group) {
        /* The location's next event follows at once where no other is earlier, as is often so. */
        if (load_alone(align, location))
            begin_group(align, refrain_align_earliest(align, location));
        else
            go_on(align, location);
    }
    if (align->no_memory || (align->share && !look_for_news(align)) || (!align->emitting && !begin_any(align))) {
        align->plain &= !align->no_memory;
        return NULL;
    }
    struct refrain_event *event = refrain_align_give(align, stream);
    if (refrain_align_is_told(event))
        tell(align, align->emitting->number, event, (uint32_t)(align->given - 1));
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

/* One with empty tables for n locations. */
static struct refrain_align *make(size_t n) {
    struct refrain_align *align = refrain_calloc(1, sizeof *align);
    if (!align)
        return NULL;
    align->n = n;
    refrain_channels_open(&align->channels);
    refrain_align_collectives_open(align);
    align->locations = refrain_calloc(n + 1, sizeof *align->locations);
    align->ready.heap = refrain_calloc(n + 1, sizeof *align->ready.heap);
    if (align->locations && align->ready.heap)
        return align;
    refrain_align_close(align);
    return NULL;
}

struct refrain_align *refrain_align_open(struct refrain_stream *const *streams, size_t n,
                                         enum refrain_align_times times, struct refrain_share *share) {
    struct refrain_align *align = make(n);
    if (!align)
        return NULL;
    align->adjust = times != REFRAIN_TIMES_AS_THEY_ARE;
    align->without_probes = times == REFRAIN_TIMES_WITHOUT_PROBES;
    align->share = share;
    align->plain = !share && !align->without_probes;
    align->now_ns = INT64_MIN;
    for (size_t i = 0; i < n; i++)
        if ((size_t)streams[i]->rank >= align->n_ranks)
            align->n_ranks = (size_t)streams[i]->rank + 1;
    align->running = refrain_calloc(align->n_ranks + 1, sizeof *align->running);
    if (!align->running) {
        refrain_align_close(align);
        return NULL;
    }
    for (size_t i = 0; i < n; i++) {
        align->locations[i].number = (uint32_t)i;
        align->locations[i].stream = streams[i];
        align->locations[i].now_ns = INT64_MIN;
        align->running[streams[i]->rank]++;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (share && !share->owns(share, streams[i]->rank))
            continue;
        load(align, i);
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
    refrain_align_collectives_close(align);
    refrain_free(align->locations);
    refrain_free(align->ready.heap);
    refrain_free(align->running);
    refrain_free(align);
}
