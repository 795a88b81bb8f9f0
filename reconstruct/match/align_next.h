/* align_next.h: fast path of refrain_align_next(), for events that have been read already and on which no other
 * location depends. Most events are of this kind (align.c, cursor.c).
 *
 *     location of the last event --> its next event, or that of the earliest other location
 *
 * Inline, since replay spends much of its time here. */
#ifndef REFRAIN_ALIGN_NEXT_H
#define REFRAIN_ALIGN_NEXT_H

#include "match/align_parts.h"

/* Makes the event the location's next group, which waits for no other location. */
static inline void refrain_align_load_event(const struct refrain_align *align, struct refrain_align_location *location,
                                            struct refrain_event *event) {
    location->group = event;
    location->n_group = 1;
    location->time_ns = event->time_ns;
    if (!align->adjust)
        return;
    if (!refrain_event_leaves_mpi(event))
        location->time_ns = refrain_align_later(location->time_ns, location->shift_ns);
    if (location->time_ns < location->now_ns)
        location->time_ns = location->now_ns;
}

/* Makes the location's group the one to deliver. The caller advances virtual time, if there is one (align.c). */
static inline void refrain_align_begin_group(struct refrain_align *align, struct refrain_align_location *location) {
    const struct refrain_event *last = refrain_align_last(location);
    align->emitting = location;
    align->given = 0;
    location->shift_ns = location->time_ns - last->time_ns;
    location->now_ns = location->time_ns;
    align->now_ns = location->time_ns;
}

/* Returns the location to deliver next, when the group of `location` is ready. If another one in the queue is earlier,
 * that one is taken out and `location` is queued. With turns, this happens only after the location's turn is over. */
static inline struct refrain_align_location *refrain_align_earliest(struct refrain_align *align,
                                                                    struct refrain_align_location *location) {
    if (align->report.events < align->turn_end)
        return location;
    struct refrain_ready ready = {location->time_ns, location->number};
    if (align->ready.n > 0 && !refrain_ready_before(&ready, &align->ready.heap[0]))
        location = &align->locations[refrain_ready_exchange(&align->ready, ready)];
    align->turn_end = align->report.events + align->turn;
    return location;
}

/* Returns the next event of the current group, and the index of its stream. */
static inline struct refrain_event *refrain_align_next_of_group(struct refrain_align *align, size_t *stream) {
    const struct refrain_align_location *location = align->emitting;
    struct refrain_event *event = &location->group[align->given++];
    *stream = location->number;
    align->report.events++;
    event->time_ns = location->time_ns;
    return event;
}

/* Returns the number of next events of the current location that are read already and that no other location depends
 * on, and sets their times. 0 without turns, or if the caller has to call refrain_align_next(). */
static inline size_t refrain_align_next_run(struct refrain_align *align, const struct refrain_event **events) {
    const unsigned local_kinds = 1u << REFRAIN_EVENT_ENTER | 1u << REFRAIN_EVENT_LEAVE | 1u << REFRAIN_EVENT_MARKER |
                                 1u << REFRAIN_EVENT_COUNTER;
    struct refrain_align_location *location = align->emitting;
    if (!location || !align->plain || align->given < location->n_group || align->report.events >= align->turn_end ||
        location->inside || location->has_ahead || location->posting_order.behind)
        return 0;
    struct refrain_stream *stream = location->stream;
    const uint32_t first = stream->next, n = stream->n;
    int64_t shift_ns = location->shift_ns, now_ns = location->now_ns;
    uint32_t i = first;
    for (; i < n && local_kinds >> stream->from[i].kind & 1; i++) {
        struct refrain_event *event = &stream->from[i];
        int64_t time_ns = event->time_ns;
        if (!refrain_event_leaves_mpi(event))
            time_ns = refrain_align_later(time_ns, shift_ns);
        if (time_ns < now_ns)
            time_ns = now_ns;
        shift_ns = time_ns - event->time_ns;
        now_ns = event->time_ns = time_ns;
    }
    if (i == first)
        return 0;
    stream->next = i;
    location->group = &stream->from[i - 1];
    location->n_group = align->given = 1;
    location->shift_ns = shift_ns;
    location->time_ns = location->now_ns = align->now_ns = now_ns;
    align->report.events += i - first;
    *events = &stream->from[first];
    return i - first;
}

/* As refrain_align_next() for an event that is read already and that no other location depends on. Allocates nothing.
 * Null if the caller has to call refrain_align_next(). */
static inline const struct refrain_event *refrain_align_next_read(struct refrain_align *align, size_t *stream) {
    const unsigned local_kinds = 1u << REFRAIN_EVENT_ENTER | 1u << REFRAIN_EVENT_LEAVE | 1u << REFRAIN_EVENT_MARKER |
                                 1u << REFRAIN_EVENT_COUNTER;
    struct refrain_align_location *location = align->emitting;
    if (!location || !align->plain)
        return NULL;
    if (align->given == location->n_group) {
        bool is_simple = !location->inside && !location->has_ahead && !location->posting_order.behind;
        struct refrain_event *event = is_simple ? refrain_stream_read(location->stream) : NULL;
        if (!event || !(local_kinds >> event->kind & 1))
            return NULL;
        location->stream->next++;
        refrain_align_load_event(align, location, event);
        struct refrain_align_location *earliest = refrain_align_earliest(align, location);
        refrain_align_begin_group(align, earliest);
        if (earliest == location) {
            event->time_ns = location->time_ns;
            align->given = 1;
            align->report.events++;
            *stream = location->number;
            return event;
        }
        location = earliest;
    }
    if (refrain_event_matters(&location->group[align->given]))
        return NULL;
    return refrain_align_next_of_group(align, stream);
}

#endif
