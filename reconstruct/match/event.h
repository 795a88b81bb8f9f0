/* event.h: events as every writer sees them, whether reconstructed or recorded (walker, recorded-event reader ->
 * writers). Callers of the library see them as refrain/read.h has them (trace_event.c).
 *
 * A writer fills a struct refrain_writer; null members are skipped. Events of one location come in time order; events
 * of all locations together do so as well. Strings live as long as the trace is open. A nonzero return stops the run
 * with that status; the writer has set its error. */
#ifndef REFRAIN_EVENT_H
#define REFRAIN_EVENT_H

#include <refrain/read.h>

#define REFRAIN_EVENT_KINDS (REFRAIN_EVENT_UNTOLD_COLLECTIVES + 1)

struct refrain_wait;

/* One form for all kinds, so that it is made and compared fast. What the kinds are, and what their fields mean, is
 * written in refrain/read.h. */
struct refrain_event {
    enum refrain_event_kind kind;
    bool approximate;
    bool unsure; /* RECV, UNTOLD_RECEIVES */
    int32_t rank;
    uint32_t thread;
    int64_t time_ns, probes_ns;
    const struct refrain_region_info *region; /* never null */
    /* Of what follows ENTER and LEAVE have nothing: peer and request are -1, all else 0. */
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

/* Gives the event, of the location of this index, the form that callers see. */
void refrain_trace_event_set(struct refrain_trace_event *given, const struct refrain_event *event, size_t location);

/* The same as a row of a table. */
void refrain_event_row_set(struct refrain_event_row *row, const struct refrain_event *event, size_t location);

/* The next event of a cursor in this form, as refrain_cursor_next() gives it in the other one. */
const struct refrain_event *refrain_cursor_step(struct refrain_cursor *cursor);

#define REFRAIN_WRITER_ENOUGH 1
struct refrain_writer {
    /* Once, before the first event. */
    int (*begin)(struct refrain_writer *writer, const struct refrain_trace *trace);
    /* Returns 0; REFRAIN_WRITER_ENOUGH where the writer wants no more events; else something failed. */
    int (*event)(struct refrain_writer *writer, const struct refrain_event *event);
    /* Once, after the last event, and also after a failure: of an event, of begin, or before begin was called. Frees
     * the writer. */
    int (*end)(struct refrain_writer *writer);
};

#endif
