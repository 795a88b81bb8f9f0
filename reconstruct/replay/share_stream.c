/* share_stream.c: see share_stream.h. */
#include "share_stream.h"
#include "arena.h"
#include "array.h"
#include "trace_read.h"

#define MOST_GIVEN 8u /* part of the room that is given at a time */

static const struct refrain_region_info unknown_region = {
    .index = UINT32_MAX, .name = "", .file = "", .function = "", .collective = ""};

/* ---- steps ---- */

static struct refrain_step step_of(const struct refrain_share_stream *stream, const struct refrain_event *event) {
    return (struct refrain_step){.location = stream->location,
                                 .kind = REFRAIN_STEP_EVENT,
                                 .event = (uint8_t)event->kind,
                                 .approximate = event->approximate,
                                 .requested = event->request >= 0,
                                 .received = event->received != 0,
                                 .peer = event->peer,
                                 .region = event->region->index,
                                 .comm = event->comm ? event->comm->index : UINT32_MAX,
                                 .overtook = event->overtook,
                                 .time_ns = event->time_ns,
                                 .probes_ns = event->probes_ns,
                                 .tag = event->tag,
                                 .value = event->value};
}

void refrain_step_event(const struct refrain_share *share, const struct refrain_step *step,
                        struct refrain_event *event) {
    const struct refrain_trace *trace = share->trace;
    const struct refrain_location_info *location = &trace->locations[step->location];
    *event = (struct refrain_event){.kind = REFRAIN_EVENT_MARKER,
                                    .rank = location->rank,
                                    .thread = location->thread,
                                    .time_ns = step->passed_ns,
                                    .probes_ns = step->probes_ns,
                                    .region = &unknown_region,
                                    .peer = -1,
                                    .request = -1};
    if (step->kind == REFRAIN_STEP_PASSED)
        return;
    event->kind = (enum refrain_event_kind)step->event;
    event->time_ns = step->time_ns;
    event->approximate = step->approximate;
    if (step->region < trace->n_regions)
        event->region = &trace->regions[step->region];
    if (step->comm < trace->n_comms)
        event->comm = &trace->comms[step->comm];
    event->peer = step->peer;
    event->tag = step->tag;
    event->received = step->received;
    event->request = step->requested ? 0 : -1;
    event->value = step->value;
    event->overtook = step->overtook;
}

/* ---- telling ---- */

static void tell_passed(struct refrain_share_stream *stream) {
    if (stream->passed.kind != REFRAIN_STEP_PASSED)
        return;
    stream->share->tell(stream->share, &stream->passed);
    stream->passed.kind = REFRAIN_STEP_END;
}

/* An event passes; `elastic`: it is at its own time unless that is over already. */
static void pass(struct refrain_share_stream *stream, int64_t time_ns, bool elastic) {
    struct refrain_step *passed = &stream->passed;
    if (passed->kind != REFRAIN_STEP_PASSED) {
        passed->kind = REFRAIN_STEP_PASSED;
        passed->later_ns = 0;
        passed->earliest_ns = INT64_MIN;
    }
    if (elastic || !stream->began) {
        if (time_ns > passed->earliest_ns)
            passed->earliest_ns = time_ns;
    } else if (time_ns > stream->before_ns) {
        int64_t later_ns = time_ns - stream->before_ns;
        passed->later_ns += later_ns;
        if (passed->earliest_ns != INT64_MIN)
            passed->earliest_ns += later_ns;
    }
    passed->passed_ns = time_ns;
}

/* Tells the step, with what passed before it: as a step of its own where it matters that it is read after that, which
 * is so where it is not certain which message a receive has. */
static void tell_behind(struct refrain_share_stream *stream, struct refrain_step *step) {
    struct refrain_step *passed = &stream->passed;
    if (stream->has_threads)
        tell_passed(stream);
    if (passed->kind == REFRAIN_STEP_PASSED) {
        step->passed = true;
        step->passed_ns = passed->passed_ns;
        step->later_ns = passed->later_ns;
        step->earliest_ns = passed->earliest_ns;
        passed->kind = REFRAIN_STEP_END;
    }
    stream->share->tell(stream->share, step);
}

/* Does the location leave the collective that it is in? */
static bool leaves_collective(struct refrain_share_stream *stream, uint8_t kind,
                              const struct refrain_region_info *region) {
    if (kind != REFRAIN_EVENT_LEAVE || region != stream->inside)
        return false;
    stream->inside = NULL;
    return true;
}

static bool add_to_group(struct refrain_share_stream *stream, const struct refrain_step *step) {
    struct refrain_step *group =
        refrain_array_room_of(refrain_realloc, stream->group, stream->n_group, &stream->capacity_group, sizeof *group);
    if (!group)
        return false;
    stream->group = group;
    stream->group[stream->n_group++] = *step;
    return true;
}

/* The group ends with the event that was read last. */
static void end_group(struct refrain_share_stream *stream) {
    bool leaves = leaves_collective(stream, stream->last.event, stream->last_region);
    stream->in_group = false;
    if (stream->n_group == 0 && !leaves && !stream->each) {
        pass(stream, stream->last.time_ns, true);
        stream->before_ns = stream->last.time_ns;
        stream->began = true;
        return;
    }
    /* What comes behind receives says when they are; of the rest it tells only that a collective is left. */
    if (stream->n_group > 0 && !leaves) {
        struct refrain_step *receive = &stream->group[--stream->n_group];
        receive->time_ns = stream->last.time_ns;
        receive->probes_ns = stream->last.probes_ns;
        stream->last = *receive;
    }
    for (size_t i = 0; i < stream->n_group; i++) {
        stream->group[i].kind = REFRAIN_STEP_GROUP;
        tell_behind(stream, &stream->group[i]);
    }
    tell_behind(stream, &stream->last);
    stream->n_group = 0;
    stream->before_ns = stream->last.time_ns;
    stream->began = true;
}

static void add_last(struct refrain_share_stream *stream, const struct refrain_event *event) {
    stream->last = step_of(stream, event);
    stream->last_region = event->region;
    if (event->kind == REFRAIN_EVENT_RECV && !add_to_group(stream, &stream->last))
        stream->no_memory = true;
}

/* The event, which is of a kind that concerns nobody else, passes unless it leaves MPI or is told in any case. */
static inline bool note_plain(struct refrain_share_stream *stream, const struct refrain_event *event) {
    struct refrain_step *passed = &stream->passed;
    const unsigned plain = 1u << REFRAIN_EVENT_ENTER | 1u << REFRAIN_EVENT_LEAVE;
    if (!(plain >> event->kind & 1) || stream->in_group || stream->inside || stream->each ||
        passed->kind != REFRAIN_STEP_PASSED || refrain_event_leaves_mpi(event))
        return false;
    int64_t later_ns = event->time_ns - stream->before_ns;
    stream->before_ns = passed->passed_ns = event->time_ns;
    if (later_ns > 0) {
        passed->later_ns += later_ns;
        if (passed->earliest_ns != INT64_MIN)
            passed->earliest_ns += later_ns;
    }
    return true;
}

/* The event has been read: groups are as align.c makes them. */
static void note(struct refrain_share_stream *stream, const struct refrain_event *event) {
    bool leaves = refrain_event_leaves_mpi(event);
    if (refrain_event_completes(event)) {
        stream->in_group = true;
        add_last(stream, event);
        return;
    }
    if (stream->in_group) {
        if (leaves)
            add_last(stream, event);
        end_group(stream);
        if (leaves)
            return;
    }
    if (event->kind == REFRAIN_EVENT_COLLECTIVE)
        stream->inside = event->region;
    if (stream->each || refrain_event_is_told(event) ||
        leaves_collective(stream, (uint8_t)event->kind, event->region)) {
        struct refrain_step step = step_of(stream, event);
        tell_behind(stream, &step);
    } else {
        pass(stream, event->time_ns, leaves);
    }
    stream->before_ns = event->time_ns;
    stream->began = true;
}

static void note_end(struct refrain_share_stream *stream) {
    struct refrain_step end = {.location = stream->location, .kind = REFRAIN_STEP_END};
    stream->ended = true;
    stream->no_memory |= stream->posting_order.no_memory;
    if (stream->no_memory) /* others are not told that it ended: it did not */
        return;
    if (stream->in_group)
        end_group(stream);
    tell_passed(stream);
    stream->share->tell(stream->share, &end);
}

/* ---- the stream ---- */

void refrain_share_stream_fill(struct refrain_share_stream *stream) {
    while (!stream->ended && !stream->no_memory && stream->n < stream->capacity) {
        const struct refrain_event *event = refrain_posting_order_next(&stream->posting_order, stream->source);
        if (!event) {
            note_end(stream);
            break;
        }
        struct refrain_event *kept = &stream->events[(stream->first + stream->n) & (stream->capacity - 1)];
        *kept = *event;
        if (!note_plain(stream, kept))
            note(stream, kept);
        stream->n++;
    }
    tell_passed(stream); /* so that others come as far as this process does before it reads on */
    stream->share->flush(stream->share);
}

/* Gives events where they are; their room is used again after the next call. */
static size_t read_events(struct refrain_stream *read, struct refrain_event *events, size_t n) {
    struct refrain_share_stream *stream = (struct refrain_share_stream *)read;
    (void)events;
    (void)n;
    stream->first = (stream->first + stream->n_given) & (stream->capacity - 1);
    stream->n -= stream->n_given;
    stream->n_given = 0;
    if (stream->n < stream->capacity / 2 && !stream->ended)
        refrain_share_stream_fill(stream);
    if (stream->no_memory)
        return 0;
    size_t whole = stream->capacity - stream->first; /* up to the ring's end */
    stream->n_given = stream->n < whole ? stream->n : whole;
    if (stream->n_given > stream->capacity / MOST_GIVEN)
        stream->n_given = stream->capacity / MOST_GIVEN;
    stream->stream.from = &stream->events[stream->first];
    return stream->n_given;
}

bool refrain_share_stream_open(struct refrain_share_stream *stream, struct refrain_stream *source,
                               struct refrain_share *share, uint32_t location, size_t capacity, bool each) {
    *stream = (struct refrain_share_stream){.stream = {.read = read_events, .rank = source->rank, .in_order = true},
                                            .source = source,
                                            .share = share,
                                            .location = location,
                                            .each = each,
                                            .capacity = capacity,
                                            .passed = {.location = location, .kind = REFRAIN_STEP_END}};
    const struct refrain_trace *trace = share->trace;
    for (size_t i = 0; i < trace->n_locations; i++)
        stream->has_threads |= i != location && trace->locations[i].rank == source->rank;
    stream->events = refrain_calloc(capacity, sizeof *stream->events);
    return stream->events != NULL;
}

void refrain_share_stream_close(struct refrain_share_stream *stream) {
    refrain_posting_order_close(&stream->posting_order);
    refrain_free(stream->events);
    refrain_free(stream->group);
}
