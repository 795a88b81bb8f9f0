/* inlined_stream.c: see inlined_stream.h. */
#include "match/inlined_stream.h"
#include "common/arena.h"

#include <string.h>

static struct refrain_inlined_level *top_of(struct refrain_inlined_stream *stream) {
    return stream->n > 0 ? &stream->levels[stream->n - 1] : NULL;
}

static const struct refrain_inlined *where_made(const struct refrain_event *event) {
    return event->kind == REFRAIN_EVENT_ENTER ? (const void *)(intptr_t)event->value : NULL;
}

/* The functions that are inlined where the event happens, in the activation on top. Its own name says whether the code
 * is its: frames between may be left out. Null: none. */
static const struct refrain_inlined *inlined_at(const struct refrain_inlined_level *top,
                                                const struct refrain_event *event) {
    const struct refrain_inlined *in = where_made(event);
    return in && in->n > 0 && strcmp(in->outer, top->region->name) == 0 ? in : NULL;
}

static size_t in_common(const struct refrain_inlined_level *top, const struct refrain_inlined *in) {
    size_t n = 0;
    while (in && n < in->n && n < top->n_open && in->regions[n] == top->in->regions[n])
        n++;
    return n;
}

/* An inlined function is entered, when the next event happens, or left, when the last one did. */
static void make(const struct refrain_event *at, enum refrain_event_kind kind, const struct refrain_region_info *region,
                 struct refrain_event *event) {
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

/* Fills in an event that comes before the next one; false where none does. */
static bool come_before(struct refrain_inlined_stream *stream, struct refrain_event *event) {
    struct refrain_inlined_level *top = top_of(stream);
    if (!top || !top->on_path)
        return false;
    const struct refrain_inlined *in = inlined_at(top, stream->next);
    if (top->n_open > in_common(top, in)) {
        make(&stream->last, REFRAIN_EVENT_LEAVE, top->in->regions[--top->n_open], event);
    } else if (in && top->n_open < in->n) {
        top->in = in;
        make(stream->next, REFRAIN_EVENT_ENTER, in->regions[top->n_open++], event);
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
        .region = event->region, .on_path = event->region->kind == REFRAIN_REGION_FUNCTION && where_made(event)};
    return true;
}

/* The inner stream's next event itself. */
static bool give(struct refrain_inlined_stream *stream, struct refrain_event *event) {
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
        if (!come_before(stream, &events[made]) && !give(stream, &events[made]))
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
