/* share_stream.c: see share_stream.h. */
#include "share_stream.h"
#include "arena.h"
#include "trace_read.h"

#define MOST_GIVEN 8u /* part of the room that is given at a time */

/* ---- telling ---- */

static void tell(struct refrain_share_stream *stream, enum refrain_step_kind kind) {
    stream->step.kind = (uint8_t)kind;
    refrain_share_tell(stream->share, stream->location, &stream->step);
    stream->step.passed = stream->passing = false;
}

/* Tells what passed as a step of its own. */
static void tell_passed(struct refrain_share_stream *stream) {
    if (!stream->step.passed)
        return;
    tell(stream, REFRAIN_STEP_PASSED);
    stream->step.probes_ns = stream->step.value = 0;
}

/* The step that is told next is of this event. */
static void describe(struct refrain_share_stream *stream, const struct refrain_event *event) {
    const unsigned counts =
        1u << REFRAIN_EVENT_UNTOLD_SENDS | 1u << REFRAIN_EVENT_UNTOLD_RECEIVES | 1u << REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    struct refrain_step *step = &stream->step;
    /* With threads it matters that it is read after what passed, as it is not certain which message a receive has; and
     * a step that tells how many they are has no room for what passed. */
    if (stream->has_threads || counts >> event->kind & 1)
        tell_passed(stream);
    step->event = (uint8_t)event->kind;
    step->approximate = event->approximate;
    step->requested = event->request >= 0;
    step->received = event->received != 0;
    step->peer = event->peer;
    step->region = event->region->index;
    step->comm = event->comm ? event->comm->index : UINT32_MAX;
    step->overtook = event->overtook;
    step->time_ns = event->time_ns;
    step->tag = event->tag;
    if (step->passed)
        return;
    step->probes_ns = event->probes_ns;
    step->value = event->value;
}

/* An event passes; `elastic`: it is at its own time unless that is over already. */
static void pass(struct refrain_share_stream *stream, int64_t time_ns, bool elastic) {
    struct refrain_step *step = &stream->step;
    if (!step->passed) {
        step->passed = true;
        step->later_ns = 0;
        step->earliest_ns = INT64_MIN;
    }
    if (elastic || !stream->began) {
        if (time_ns > step->earliest_ns)
            step->earliest_ns = time_ns;
    } else if (time_ns > stream->before_ns) {
        int64_t later_ns = time_ns - stream->before_ns;
        step->later_ns += later_ns;
        if (step->earliest_ns != INT64_MIN)
            step->earliest_ns += later_ns;
    }
    step->passed_ns = time_ns;
    stream->passing = !stream->inside;
}

static void read_up_to(struct refrain_share_stream *stream, int64_t time_ns) {
    stream->before_ns = time_ns;
    stream->began = true;
}

/* Does the location leave the collective that it is in? */
static bool leaves_collective(struct refrain_share_stream *stream, const struct refrain_event *event) {
    if (event->kind != REFRAIN_EVENT_LEAVE || event->region != stream->inside)
        return false;
    stream->inside = NULL;
    return true;
}

/* An event of a group. */
static void add_to_group(struct refrain_share_stream *stream, const struct refrain_event *event) {
    stream->in_group = true;
    stream->last_ns = event->time_ns;
    stream->last_probes_ns = event->probes_ns;
    if (event->kind == REFRAIN_EVENT_RECV) {
        if (stream->has_receive)
            tell(stream, REFRAIN_STEP_GROUP);
        stream->has_receive = true;
        describe(stream, event);
    } else if (stream->each && !stream->has_receive) {
        describe(stream, event);
    }
}

/* The group ends with the event that was added last; that it leaves a collective is told besides. */
static void end_group(struct refrain_share_stream *stream, const struct refrain_event *leaving) {
    stream->in_group = false;
    if (leaving && stream->has_receive)
        tell(stream, REFRAIN_STEP_GROUP);
    if (leaving)
        describe(stream, leaving);
    if (leaving || stream->has_receive || stream->each) {
        stream->step.time_ns = stream->last_ns;
        if (!stream->step.passed)
            stream->step.probes_ns = stream->last_probes_ns;
        tell(stream, REFRAIN_STEP_EVENT);
    } else {
        pass(stream, stream->last_ns, true);
    }
    stream->has_receive = false;
    read_up_to(stream, stream->last_ns);
}

/* As pass() where an event passed before, and this one concerns nobody else, as most; else false. */
static inline bool pass_on(struct refrain_share_stream *stream, const struct refrain_event *event) {
    const unsigned plain = 1u << REFRAIN_EVENT_ENTER | 1u << REFRAIN_EVENT_LEAVE;
    struct refrain_step *step = &stream->step;
    int64_t time_ns = event->time_ns, later_ns = time_ns - stream->before_ns;
    if (!stream->passing || !(plain >> event->kind & 1))
        return false;
    if (refrain_event_leaves_mpi(event)) {
        if (time_ns > step->earliest_ns)
            step->earliest_ns = time_ns;
    } else if (later_ns > 0) {
        step->later_ns += later_ns;
        if (step->earliest_ns != INT64_MIN)
            step->earliest_ns += later_ns;
    }
    stream->before_ns = step->passed_ns = time_ns;
    return true;
}

/* The event has been read: groups are as align.c makes them. */
static void note(struct refrain_share_stream *stream, const struct refrain_event *event) {
    bool leaves = refrain_event_leaves_mpi(event);
    stream->passing = false;
    if (refrain_event_completes(event)) {
        add_to_group(stream, event);
        return;
    }
    if (stream->in_group) {
        if (leaves)
            add_to_group(stream, event);
        end_group(stream, leaves && leaves_collective(stream, event) ? event : NULL);
        if (leaves)
            return;
    }
    if (event->kind == REFRAIN_EVENT_COLLECTIVE)
        stream->inside = event->region;
    if (stream->each || refrain_event_is_told(event) || leaves_collective(stream, event)) {
        describe(stream, event);
        tell(stream, REFRAIN_STEP_EVENT);
    } else {
        pass(stream, event->time_ns, leaves);
    }
    read_up_to(stream, event->time_ns);
}

static void note_end(struct refrain_share_stream *stream) {
    stream->ended = true;
    stream->no_memory = stream->posting_order.no_memory;
    if (stream->no_memory) /* others are not told that it ended: it did not */
        return;
    if (stream->in_group)
        end_group(stream, NULL);
    tell_passed(stream);
    tell(stream, REFRAIN_STEP_END);
}

/* ---- the stream ---- */

/* Reads events to where they are kept, from `room` up to the ring's end. */
static void read_more(struct refrain_share_stream *stream, struct refrain_event *room) {
    struct refrain_stream *source = stream->source;
    size_t whole = (size_t)(stream->events + stream->capacity - room), left = stream->capacity - stream->n;
    source->next = 0;
    source->from = room;
    source->n = (uint32_t)source->read(source, room, left < whole ? left : whole);
}

/* Notes the events that are where they are kept, up to one that concerns receives: how many. */
static size_t note_read(struct refrain_share_stream *stream, const struct refrain_event *events, size_t n) {
    size_t i = 0;
    for (; i < n && !refrain_event_is_of_receives(&events[i]); i++)
        if (!pass_on(stream, &events[i]))
            note(stream, &events[i]);
    return i;
}

void refrain_share_stream_fill(struct refrain_share_stream *stream) {
    struct refrain_stream *source = stream->source;
    while (!stream->ended && stream->n < stream->capacity) {
        struct refrain_event *room = &stream->events[(stream->first + stream->n) & (stream->capacity - 1)];
        bool ahead = stream->posting_order.behind;
        if (!ahead && source->next == source->n)
            read_more(stream, room);
        size_t n = ahead || &source->from[source->next] != room ? 0 : note_read(stream, room, source->n - source->next);
        source->next += (uint32_t)n;
        stream->n += n;
        if (n > 0)
            continue;
        const struct refrain_event *event =
            ahead || source->next < source->n ? refrain_posting_order_next(&stream->posting_order, source) : NULL;
        if (!event) {
            note_end(stream);
            break;
        }
        if (event != room)
            *room = *event;
        note(stream, room);
        stream->n++;
    }
    tell_passed(stream); /* so that others come as far as this process does before it reads on */
    stream->share->leave(stream->share, stream->location);
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
    size_t most = stream->capacity < MOST_GIVEN ? 1 : stream->capacity / MOST_GIVEN;
    if (stream->n_given > most)
        stream->n_given = most;
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
                                            .capacity = capacity};
    const struct refrain_trace *trace = share->trace;
    for (size_t i = 0; i < trace->n_locations; i++)
        stream->has_threads |= i != location && trace->locations[i].rank == source->rank;
    stream->events = refrain_calloc(capacity, sizeof *stream->events);
    return stream->events != NULL;
}

void refrain_share_stream_close(struct refrain_share_stream *stream) {
    refrain_posting_order_close(&stream->posting_order);
    refrain_free(stream->events);
}
