/* event.h: events as every writer sees them, whether reconstructed or recorded (walker, recorded-event reader ->
 * writers). Callers of the library see them as refrain/read.h has them (trace_event.c).
 *
 * A writer fills a struct refrain_writer; null members are skipped. Events of one location come in time order. Events
 * of all locations together do so, too, unless locations take turns (turns.h). Strings live as long as the trace is
 * open. A nonzero return stops the replay. */
#ifndef REFRAIN_EVENT_H
#define REFRAIN_EVENT_H

#include <refrain/read.h>

#define REFRAIN_EVENT_KINDS (REFRAIN_EVENT_UNTOLD_COLLECTIVES + 1)

struct refrain_wait;

/* One form for all kinds, so that events are made and compared fast. refrain/read.h documents the kinds and fields. */
struct refrain_event {
    enum refrain_event_kind kind;
    bool approximate;
    bool unsure; /* RECV, UNTOLD_RECEIVES */
    int32_t rank;
    uint32_t thread;
    int64_t time_ns, probes_ns;
    const struct refrain_region_info *region; /* never null */
    /* ENTER and LEAVE use none of the fields below: peer and request are -1, all others 0. */
    const struct refrain_comm_info *comm; /* null unknown or none */
    int32_t peer;                         /* dest, source, target, root, or the rank a WINDOW is about; -1 none */
    int64_t tag;      /* of messages; RMA, WINDOW: window; IO, FILE, MOVED, SEEK: file; UNTOLD_COLLECTIVES: which */
    int64_t bytes;    /* message, access; collective: sent; SEEK: offset */
    int64_t received; /* collective; SEEK: position */
    int64_t request;  /* -1 none; UNTOLD_COLLECTIVES: 0 nonblocking */
    int64_t value;    /* COUNTER; WINDOW: lock; FILE: mode; SEEK: whence; UNTOLD_*: count */
    uint64_t match;
    int64_t match_time_ns; /* RECV: sent_ns ... */
    uint32_t match_thread; /* ... and sent_thread */
    uint32_t overtook;     /* RECV */
    /* Filled by writers that analyse waiting (analysis/waiting.h); null from a cursor. */
    const struct refrain_wait *wait, *peer_wait;
};

/* True if events of this kind are about a file; about a window. */
bool refrain_event_names_file(enum refrain_event_kind kind);
bool refrain_event_names_window(enum refrain_event_kind kind);

/* Converts an event of the location with this index to the form that callers of the library see. */
void refrain_trace_event_set(struct refrain_trace_event *given, const struct refrain_event *event, size_t location);

/* Converts it to a row of a table. */
void refrain_event_row_set(struct refrain_event_row *row, const struct refrain_event *event, size_t location);

/* As refrain_cursor_next(), but returns the library's own form. */
const struct refrain_event *refrain_cursor_step(struct refrain_cursor *cursor);

#define REFRAIN_WRITER_ENOUGH 1
struct refrain_writer {
    /* Called once, before the first event. */
    int (*begin)(struct refrain_writer *writer, const struct refrain_trace *trace);
    /* Returns 0; REFRAIN_WRITER_ENOUGH if the writer wants no more events; or another value after an error, which the
     * writer has reported in its own way. */
    int (*event)(struct refrain_writer *writer, const struct refrain_event *event);
    /* Called once, after the last event or after a failure, even if begin was not called. Frees the writer. */
    int (*end)(struct refrain_writer *writer);
};

#endif
