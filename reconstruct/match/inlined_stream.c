/* inlined_stream.c: adds ENTER and LEAVE events of inlined functions (inlined_stream.h). */
#include "match/inlined_stream.h"
#include "common/arena.h"

#include <string.h>

static struct refrain_inlined_level *top_of(struct refrain_inlined_stream *stream) {
    return stream->n > 0 ? &stream->levels[stream->n - 1] : NULL;
}

static const struct refrain_inlined *call_site_of(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_ENTER ? (const void *)(intptr_t)event->value : NULL;
}

/* The functions that are inlined at the event's call site, if this call site is in the activation on top. Compares
 * names, since the call path may lack frames between them. Null: none. */
static const struct refrain_inlined *inlined_at(const struct refrain_inlined_level *top,
                                                const struct refrain_event *event) {
    const struct refrain_inlined *in = call_site_of(event);
    return in && in->n > 0 && strcmp(in->outer, top->region->name) == 0 ? in : NULL;
}

static size_t n_in_common(const struct refrain_inlined_level *top, const struct refrain_inlined *in) {
    size_t n = 0;
    while (in && n < in->n && n < top->n_open && in->regions[n] == top->in->regions[n])
        n++;
    return n;
}

/* Makes the ENTER of an inlined function at the time of the next event, or its LEAVE at that of the last one. */
static void fill_event(const struct refrain_event *at, enum refrain_event_kind kind,
                       const struct refrain_region_info *region, struct refrain_event *event) {
    *event = (struct refrain_event){.kind = kind,
                                    .approximate = at->approximate,
                                    .rank = at->rank,
                                    .thread = at->thread,
                                    .time_ns = at->time_ns,
                                    .probes_ns = at->probes_ns,
                                    .region = region,
                                    .peer = -1,
                                    .request = -1};
}

/* Makes an event of an inlined function that comes before the inner stream's next event. False if there is none. */
static bool make_inlined_event(struct refrain_inlined_stream *stream, struct refrain_event *event) {
    struct refrain_inlined_level *top = top_of(stream);
    if (!top || !top->on_path)
        return false;
    const struct refrain_inlined *in = inlined_at(top, stream->next);
    if (top->n_open > n_in_common(top, in)) {
        fill_event(&stream->last, REFRAIN_EVENT_LEAVE, top->in->regions[--top->n_open], event);
    } else if (in && top->n_open < in->n) {
        top->in = in;
        fill_event(stream->next, REFRAIN_EVENT_ENTER, in->regions[top->n_open++], event);
    } else {
        return false;
    }
    return true;
}

static bool push(struct refrain_inlined_stream *stream, const struct refrain_event *event) {
    if (stream->n == stream->capacity) {
        size_t larger = stream->capacity ? stream->capacity * 2 : 64;
        struct refrain_inlined_level *levels = refrain_realloc(stream->levels, larger * sizeof *levels);
        if (!levels)
            return false;
        memset(levels + stream->n, 0, (larger - stream->n) * sizeof *levels);
        stream->levels = levels;
        stream->capacity = larger;
    }
    stream->levels[stream->n++] = (struct refrain_inlined_level){
        .region = event->region, .on_path = event->region->kind == REFRAIN_REGION_FUNCTION && call_site_of(event)};
    return true;
}

/* Returns the inner stream's next event, and updates the stack of activations. False without memory. */
static bool return_inner_event(struct refrain_inlined_stream *stream, struct refrain_event *event) {
    *event = *stream->next;
    if (event->kind == REFRAIN_EVENT_ENTER) {
        stream->no_memory |= !push(stream, stream->next);
        event->value = 0;
    } else if (event->kind == REFRAIN_EVENT_LEAVE && stream->n > 0) {
        stream->n--;
    }
    stream->next = NULL;
    return !stream->no_memory;
}

static size_t read_events(struct refrain_stream *of, struct refrain_event *events, size_t n) {
    struct refrain_inlined_stream *stream = (struct refrain_inlined_stream *)of;
    size_t made = 0;
    while (made < n && !stream->no_memory && (stream->next || (stream->next = refrain_stream_next(stream->inner)))) {
        if (!make_inlined_event(stream, &events[made]) && !return_inner_event(stream, &events[made]))
            break;
        stream->last = events[made++];
    }
    return made;
}

uintptr_t refrain_inlined_stream_code(void) {
    return (uintptr_t)read_events;
}

void refrain_inlined_stream_open(struct refrain_inlined_stream *stream, struct refrain_stream *inner) {
    stream->stream.read = read_events;
    stream->stream.rank = inner->rank;
    stream->inner = inner;
}

void refrain_inlined_stream_close(struct refrain_inlined_stream *stream) {
    refrain_free(stream->levels);
}
