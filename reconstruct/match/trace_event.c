/* trace_event.c: converts events from the library's form to the one that its callers see (event.h, refrain/read.h). */
#include "match/event.h"

enum about { ABOUT_ELSE, ABOUT_FILE, ABOUT_WINDOW };

static const enum about abouts[] = {
#define REFRAIN_EVENT_OF(kind, about, always, name, plural) ABOUT_##about,
#include "match/event_kinds.def"
#undef REFRAIN_EVENT_OF
};

bool refrain_event_names_file(enum refrain_event_kind kind) {
    return abouts[kind] == ABOUT_FILE;
}

bool refrain_event_names_window(enum refrain_event_kind kind) {
    return abouts[kind] == ABOUT_WINDOW;
}

#define OF(member, ...)                                                                                                \
    given->member = (struct refrain_event_##member) {                                                                  \
        __VA_ARGS__                                                                                                    \
    }

static void set_message(struct refrain_trace_event *given, const struct refrain_event *event) {
    if (event->kind == REFRAIN_EVENT_SEND)
        OF(send, .comm = event->comm, .dest = event->peer, .tag = event->tag, .bytes = event->bytes,
           .request = event->request, .match = event->match);
    else
        OF(recv, .comm = event->comm, .source = event->peer, .tag = event->tag, .bytes = event->bytes,
           .request = event->request, .match = event->match, .sent_ns = event->match_time_ns,
           .sent_thread = event->match_thread, .overtook = event->overtook, .unsure = event->unsure);
}

/* Sets the fields of events of windows and files. */
static void set_access(struct refrain_trace_event *given, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_RMA:
        OF(rma, .comm = event->comm, .window = event->tag, .target = event->peer, .bytes = event->bytes,
           .request = event->request);
        return;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        OF(io, .comm = event->comm, .file = event->tag, .bytes = event->bytes, .request = event->request);
        return;
    case REFRAIN_EVENT_WINDOW:
        OF(window, .comm = event->comm, .window = event->tag, .rank = event->peer,
           .lock = (enum refrain_window_lock)event->value);
        return;
    case REFRAIN_EVENT_FILE:
        OF(file, .comm = event->comm, .file = event->tag, .mode = (uint32_t)event->value);
        return;
    case REFRAIN_EVENT_SEEK:
        OF(seek, .comm = event->comm, .file = event->tag, .whence = (enum refrain_whence)event->value,
           .offset = event->bytes, .position = event->received);
        return;
    default:
        OF(access, .request = event->request, .bytes = event->bytes);
    }
}

static void set_untold(struct refrain_trace_event *given, const struct refrain_event *event) {
    if (event->kind == REFRAIN_EVENT_UNTOLD_COLLECTIVES)
        OF(untold_collectives, .comm = event->comm, .count = event->value,
           .collective = (enum refrain_collective)event->tag, .nonblocking = event->request >= 0);
    else
        OF(untold_messages, .comm = event->comm, .count = event->value, .peer = event->peer, .tag = event->tag,
           .request = event->request, .unsure = event->unsure);
}

void refrain_trace_event_set(struct refrain_trace_event *given, const struct refrain_event *event, size_t location) {
    given->kind = event->kind;
    given->approximate = event->approximate;
    given->location = (uint32_t)location;
    given->rank = event->rank;
    given->thread = event->thread;
    given->time_ns = event->time_ns;
    given->probes_ns = event->probes_ns;
    given->region = event->region;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
    case REFRAIN_EVENT_MARKER:
        return;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        set_message(given, event);
        return;
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_CANCEL:
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        OF(completion, .comm = event->comm, .request = event->request);
        return;
    case REFRAIN_EVENT_COLLECTIVE:
        OF(collective, .comm = event->comm, .root = event->peer, .sent = event->bytes, .received = event->received,
           .request = event->request, .match = event->match);
        return;
    case REFRAIN_EVENT_COUNTER:
        OF(counter, .value = event->value);
        return;
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        set_untold(given, event);
        return;
    default:
        set_access(given, event);
    }
}

/* ---- rows ---- */

/* Sets the fields that are not the same in all kinds of events. */
static void set_own_fields(struct refrain_event_row *row, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        row->tag = event->tag;
        return;
    case REFRAIN_EVENT_COLLECTIVE:
        row->detail = (uint16_t)event->region->role;
        return;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        row->detail = (uint16_t)event->tag;
        row->request = -1;
        return;
    case REFRAIN_EVENT_SEEK:
        row->bytes = row->received = 0;
        row->value = event->received;
        row->detail = (uint16_t)event->value;
        row->object = (int32_t)event->tag;
        return;
    case REFRAIN_EVENT_WINDOW:
    case REFRAIN_EVENT_FILE:
        row->value = 0;
        row->detail = (uint16_t)event->value;
        row->object = (int32_t)event->tag;
        return;
    case REFRAIN_EVENT_RMA:
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        row->object = (int32_t)event->tag;
        return;
    default:
        return;
    }
}

void refrain_event_row_set(struct refrain_event_row *row, const struct refrain_event *event, size_t location) {
    *row = (struct refrain_event_row){.time_ns = event->time_ns,
                                      .location = (uint32_t)location,
                                      .region = event->region->index,
                                      .comm = event->comm ? (int32_t)event->comm->index : -1,
                                      .peer = event->peer,
                                      .object = -1,
                                      .kind = (uint8_t)event->kind,
                                      .approximate = event->approximate,
                                      .bytes = event->bytes,
                                      .received = event->received,
                                      .request = event->request,
                                      .value = event->value,
                                      .match = event->match,
                                      .sent_ns = event->match_time_ns};
    if (event->kind > REFRAIN_EVENT_LEAVE)
        set_own_fields(row, event);
}

/* ---- names ---- */

static const char *const names[] = {
#define REFRAIN_EVENT_OF(kind, about, always, name, plural) [REFRAIN_EVENT_##kind] = name,
#include "match/event_kinds.def"
#undef REFRAIN_EVENT_OF
};

const char *refrain_event_name(enum refrain_event_kind kind) {
    return (size_t)kind < REFRAIN_EVENT_KINDS ? names[kind] : NULL;
}
