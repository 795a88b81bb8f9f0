/* plain_event.h: all that refrain/read.h has about an event, as a row of numbers that can be printed and compared.
 * Regions and communicators are represented by their indices, since their addresses differ from one opening of a trace
 * to the next. */
#ifndef PLAIN_EVENT_H
#define PLAIN_EVENT_H

#include <refrain/read.h>

#define PLAIN_FIELDS 10u

struct plain_event {
    enum refrain_event_kind kind;
    int64_t time_ns;
    int32_t rank;
    uint32_t approximate, location, thread, region;
    int64_t comm;                 /* -1 none, or not of this kind */
    int64_t fields[PLAIN_FIELDS]; /* of the kind's member, but for comm, in their order; then 0 */
};

static inline int64_t plain_comm(const struct refrain_trace_event *event) {
    const struct refrain_comm_info *comm = NULL;
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        comm = event->send.comm;
        break;
    case REFRAIN_EVENT_RECV:
        comm = event->recv.comm;
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_CANCEL:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        comm = event->completion.comm;
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        comm = event->collective.comm;
        break;
    case REFRAIN_EVENT_RMA:
        comm = event->rma.comm;
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        comm = event->io.comm;
        break;
    case REFRAIN_EVENT_WINDOW:
        comm = event->window.comm;
        break;
    case REFRAIN_EVENT_FILE:
        comm = event->file.comm;
        break;
    case REFRAIN_EVENT_SEEK:
        comm = event->seek.comm;
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        comm = event->untold_messages.comm;
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        comm = event->untold_collectives.comm;
        break;
    default:
        break;
    }
    return comm ? (int64_t)comm->index : -1;
}

/* No field has a name twice: each is that of one member. */
static inline void plain_fields(const struct refrain_trace_event *event, int64_t *out) {
#define PUT(member, field) *out++ = (int64_t)event->member.field
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        PUT(send, dest), PUT(send, tag), PUT(send, bytes), PUT(send, request), PUT(send, match);
        break;
    case REFRAIN_EVENT_RECV:
        PUT(recv, source), PUT(recv, tag), PUT(recv, bytes), PUT(recv, request), PUT(recv, match), PUT(recv, sent_ns),
            PUT(recv, sent_thread), PUT(recv, overtook), PUT(recv, unsure);
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_CANCEL:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        PUT(completion, request);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        PUT(collective, root), PUT(collective, sent), PUT(collective, received), PUT(collective, request),
            PUT(collective, match);
        break;
    case REFRAIN_EVENT_RMA:
        PUT(rma, window), PUT(rma, target), PUT(rma, bytes), PUT(rma, request);
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        PUT(io, file), PUT(io, bytes), PUT(io, request);
        break;
    case REFRAIN_EVENT_WINDOW:
        PUT(window, window), PUT(window, rank), PUT(window, lock);
        break;
    case REFRAIN_EVENT_FILE:
        PUT(file, file), PUT(file, mode);
        break;
    case REFRAIN_EVENT_SEEK:
        PUT(seek, file), PUT(seek, whence), PUT(seek, offset), PUT(seek, position);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        PUT(access, request), PUT(access, bytes);
        break;
    case REFRAIN_EVENT_COUNTER:
        PUT(counter, value);
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        PUT(untold_messages, count), PUT(untold_messages, peer), PUT(untold_messages, tag),
            PUT(untold_messages, request), PUT(untold_messages, unsure);
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        PUT(untold_collectives, count), PUT(untold_collectives, collective), PUT(untold_collectives, nonblocking);
        break;
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
    case REFRAIN_EVENT_MARKER:
        break;
    }
#undef PUT
}

/* Into zeros, padding included, so that rows may be compared byte by byte. */
static inline void plain_event(const struct refrain_trace_event *event, struct plain_event *plain) {
    plain->kind = event->kind;
    plain->time_ns = event->time_ns;
    plain->rank = event->rank;
    plain->approximate = event->approximate;
    plain->location = event->location;
    plain->thread = event->thread;
    plain->region = event->region->index;
    plain->comm = plain_comm(event);
    plain_fields(event, plain->fields);
}

#endif
