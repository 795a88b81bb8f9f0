/* team_stream.c: see team_stream.h. */
#include "match/team_stream.h"
#include "common/arena.h"
#include "model/trace_read.h"

#define MOST_GIVEN 8u /* part of the room that is given at a time */

/* ---- telling ---- */

static void tell(struct refrain_team_stream *stream, enum refrain_notice_kind kind) {
    stream->notice.kind = (uint8_t)kind;
    refrain_team_tell(stream->team, stream->location, &stream->notice);
    stream->notice.passed = stream->passing = false;
}

/* Tells what passed as a notice of its own. */
static void tell_passed(struct refrain_team_stream *stream) {
    if (!stream->notice.passed)
        return;
    tell(stream, REFRAIN_NOTICE_PASSED);
    stream->notice.probes_ns = stream->notice.value = 0;
}

/* The notice that is told next is of this event. */
static void describe(struct refrain_team_stream *stream, const struct refrain_event *event) {
    const unsigned counts =
        1u << REFRAIN_EVENT_UNTOLD_SENDS | 1u << REFRAIN_EVENT_UNTOLD_RECEIVES | 1u << REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    struct refrain_notice *notice = &stream->notice;
    /* With threads it matters that it is read after what passed, as it is not certain which message a receive has; and
     * a notice that tells how many they are has no room for what passed. */
    if (stream->has_threads || counts >> event->kind & 1)
        tell_passed(stream);
    notice->event = (uint8_t)event->kind;
    notice->approximate = event->approximate;
    notice->unsure = event->unsure;
    notice->requested = event->request >= 0;
    notice->received = event->received != 0;
    notice->peer = event->peer;
    notice->region = event->region->index;
    notice->comm = event->comm ? event->comm->index : UINT32_MAX;
    notice->overtook = event->overtook;
    notice->time_ns = event->time_ns;
    notice->tag = event->tag;
    if (notice->passed)
        return;
    notice->probes_ns = event->probes_ns;
    notice->value = event->value;
}

/* An event passes; `elastic`: it is at its own time unless that is over already. */
static void pass(struct refrain_team_stream *stream, int64_t time_ns, bool elastic) {
    struct refrain_notice *notice = &stream->notice;
    if (!notice->passed) {
        notice->passed = true;
        notice->later_ns = 0;
        notice->earliest_ns = INT64_MIN;
    }
    if (elastic || !stream->began) {
        if (time_ns > notice->earliest_ns)
            notice->earliest_ns = time_ns;
    } else if (time_ns > stream->before_ns) {
        int64_t later_ns = time_ns - stream->before_ns;
        notice->later_ns += later_ns;
        if (notice->earliest_ns != INT64_MIN)
            notice->earliest_ns += later_ns;
    }
    notice->passed_ns = time_ns;
    stream->passing = !stream->inside;
}

static void read_up_to(struct refrain_team_stream *stream, int64_t time_ns) {
    stream->before_ns = time_ns;
    stream->began = true;
}

/* Does the location leave the collective that it is in? */
static bool leaves_collective(struct refrain_team_stream *stream, const struct refrain_event *event) {
    if (event->kind != REFRAIN_EVENT_LEAVE || event->region != stream->inside)
        return false;
    stream->inside = NULL;
    return true;
}

/* An event of a group. */
static void add_to_group(struct refrain_team_stream *stream, const struct refrain_event *event) {
    stream->in_group = true;
    stream->last_ns = event->time_ns;
    stream->last_probes_ns = event->probes_ns;
    if (event->kind == REFRAIN_EVENT_RECV) {
        if (stream->has_receive)
            tell(stream, REFRAIN_NOTICE_GROUP);
        stream->has_receive = true;
        describe(stream, event);
    } else if (stream->each && !stream->has_receive) {
        describe(stream, event);
    }
}

/* The group ends with the event that was added last; that it leaves a collective is told besides. */
static void end_group(struct refrain_team_stream *stream, const struct refrain_event *leaving) {
    stream->in_group = false;
    if (leaving && stream->has_receive)
        tell(stream, REFRAIN_NOTICE_GROUP);
    if (leaving)
        describe(stream, leaving);
    if (leaving || stream->has_receive || stream->each) {
        stream->notice.time_ns = stream->last_ns;
        if (!stream->notice.passed)
            stream->notice.probes_ns = stream->last_probes_ns;
        tell(stream, REFRAIN_NOTICE_EVENT);
    } else {
        pass(stream, stream->last_ns, true);
    }
    stream->has_receive = false;
    read_up_to(stream, stream->last_ns);
}

/* As pass() where an event passed before, and this one concerns nobody else, as most; else false. */
static inline bool pass_on(struct refrain_team_stream *stream, const struct refrain_event *event) {
    const unsigned plain = 1u << REFRAIN_EVENT_ENTER | 1u << REFRAIN_EVENT_LEAVE;
    struct refrain_notice *notice = &stream->notice;
    int64_t time_ns = event->time_ns, later_ns = time_ns - stream->before_ns;
    if (!stream->passing || !(plain >> event->kind & 1))
        return false;
    if (refrain_event_leaves_mpi(event)) {
        if (time_ns > notice->earliest_ns)
            notice->earliest_ns = time_ns;
    } else if (later_ns > 0) {
        notice->later_ns += later_ns;
        if (notice->earliest_ns != INT64_MIN)
            notice->earliest_ns += later_ns;
    }
    stream->before_ns = notice->passed_ns = time_ns;
    return true;
}

/* The event has been read: groups are as align.c makes them. */
static void note(struct refrain_team_stream *stream, const struct refrain_event *event) {
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
        tell(stream, REFRAIN_NOTICE_EVENT);
    } else {
        pass(stream, event->time_ns, leaves);
    }
    read_up_to(stream, event->time_ns);
}

static void note_end(struct refrain_team_stream *stream) {
    stream->ended = true;
    stream->no_memory = stream->posting_order.no_memory;
    if (stream->no_memory) /* others are not told that it ended: it did not */
        return;
    if (stream->in_group)
        end_group(stream, NULL);
    tell_passed(stream);
    tell(stream, REFRAIN_NOTICE_END);
}

/* ---- the stream ---- */

/* Reads events to where they are kept, from `room` up to the ring's end. */
static void read_more(struct refrain_team_stream *stream, struct refrain_event *room) {
    struct refrain_stream *source = stream->source;
    size_t whole = (size_t)(stream->events + stream->capacity - room), left = stream->capacity - stream->n;
    source->next = 0;
    source->from = room;
    source->n = (uint32_t)source->read(source, room, left < whole ? left : whole);
}

/* Notes the events that are where they are kept, up to one that concerns receives: how many. */
static size_t note_read(struct refrain_team_stream *stream, const struct refrain_event *events, size_t n) {
    size_t i = 0;
    for (; i < n && !refrain_event_is_of_receives(&events[i]); i++)
        if (!pass_on(stream, &events[i]))
            note(stream, &events[i]);
    return i;
}

void refrain_team_stream_fill(struct refrain_team_stream *stream) {
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
    stream->team->leave(stream->team, stream->location);
}

/* Gives events where they are; their room is used again after the next call. */
static size_t read_events(struct refrain_stream *read, struct refrain_event *events, size_t n) {
    struct refrain_team_stream *stream = (struct refrain_team_stream *)read;
    (void)events;
    (void)n;
    stream->first = (stream->first + stream->n_given) & (stream->capacity - 1);
    stream->n -= stream->n_given;
    stream->n_given = 0;
    if (stream->n < stream->capacity / 2 && !stream->ended)
        refrain_team_stream_fill(stream);
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

bool refrain_team_stream_open(struct refrain_team_stream *stream, struct refrain_stream *source,
                              struct refrain_team *team, uint32_t location, size_t capacity, bool each) {
    *stream = (struct refrain_team_stream){.stream = {.read = read_events, .rank = source->rank, .in_order = true},
                                           .source = source,
                                           .team = team,
                                           .location = location,
                                           .each = each,
                                           .capacity = capacity};
    const struct refrain_trace *trace = team->trace;
    for (size_t i = 0; i < trace->n_locations; i++)
        stream->has_threads |= i != location && trace->locations[i].rank == source->rank;
    stream->events = refrain_calloc(capacity, sizeof *stream->events);
    return stream->events != NULL;
}

void refrain_team_stream_close(struct refrain_team_stream *stream) {
    refrain_posting_order_close(&stream->posting_order);
    refrain_free(stream->events);
}
