/* write_perfetto.c: the format "perfetto" (format.h): a trace for ui.perfetto.dev and trace_processor (TrackEvent in
 * the messages of perfetto_trace.proto; field numbers from its documentation).
 *
 *     rank N           -> process N + 1, named "Rank N"
 *     thread t of it   -> thread, numbered from 1 over the whole run, named "Thread t"
 *     enter, leave     -> slices, with file and line as their source location
 *     other events     -> instants in the slice of their call, with their fields as debug annotations
 *     a message        -> a flow between the instants of its ends
 *     waiting          -> a counter of each thread: its waiting time so far for late senders or, with --waiting, for
 *                         any reason; then also an instant for each wait, named by its kind
 *
 * Names are interned before the first event. Times are nanoseconds since the start of the run. */
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/locations.h"
#include "formats/protobuf.h"
#include "formats/waited.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRACE_PACKET = 1 };
enum packet { TIMESTAMP = 8, SEQUENCE_ID = 10, TRACK_EVENT = 11, INTERNED_DATA = 12, SEQUENCE_FLAGS = 13, TRACK = 60 };
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 };
enum track { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PROCESS = 3, TRACK_THREAD = 4, TRACK_PARENT = 5, TRACK_COUNTER = 8 };
enum { PROCESS_PID = 1, PROCESS_NAME = 6, THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3, UNIT_UNSPECIFIED = 0, UNIT_TIME_NS = 1 };
enum interned { CATEGORIES = 1, NAMES = 2, ANNOTATION_NAMES = 3, SOURCE_LOCATIONS = 4 };
enum { IID = 1, NAME = 2, FILE_NAME = 2, LINE_NUMBER = 4 };
enum event {
    CATEGORY_IID = 3,
    ANNOTATION = 4,
    TYPE = 9,
    NAME_IID = 10,
    EVENT_TRACK = 11,
    COUNTER_VALUE = 30,
    SOURCE_LOCATION_IID = 34,
    FLOW_ID = 47,
    LAST_FLOW_ID = 48
};
enum type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTER = 4 };
enum annotation { ANNOTATION_NAME = 1, BOOLEAN = 2, INTEGER = 4, STRING = 6 };

/* Debug annotations, by their iid - 1. */
enum key {
    DEST,
    SOURCE,
    TAG,
    BYTES,
    COMM,
    ROOT,
    SENT,
    RECEIVED,
    TARGET,
    WINDOW,
    FILE_NUMBER,
    WHENCE,
    OFFSET,
    POSITION,
    REQUEST,
    APPROXIMATE,
    WAITED, /* this and the two below: only with --waiting */
    BY,
    AT,
    KEYS
};
static const char *const keys[KEYS] = {"dest",     "source",      "tag",       "bytes",  "comm",   "root",   "sent",
                                       "received", "target",      "window",    "handle", "whence", "offset", "position",
                                       "request",  "approximate", "waited_ns", "by",     "at"};

/* By kind of region. No region of kind VALUE is entered, so its entry is the category of all other events. */
static const char *const categories[] = {"function", "mpi", "user", "operation", "io"};
#define OPERATION_CATEGORY 3u

struct perfetto_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    struct refrain_locations locations;
    struct refrain_waited *waiting; /* by location */
    size_t n_regions;
    struct refrain_protobuf packet, inner, innermost;
    bool cleared; /* the first packet has been written */
};

/* ---- packets ---- */

/* Writes perfetto->packet, and begins the next one. */
static void put_packet(struct perfetto_writer *perfetto) {
    static const unsigned char tag = TRACE_PACKET << 3 | 2;
    struct refrain_protobuf *packet = &perfetto->packet;
    unsigned char length[10];
    size_t n = 0;
    refrain_protobuf_varint(packet, SEQUENCE_ID, 1);
    refrain_protobuf_varint(packet, SEQUENCE_FLAGS, perfetto->cleared ? NEEDS_STATE : STATE_CLEARED | NEEDS_STATE);
    perfetto->cleared = true;
    for (uint64_t rest = packet->n; n == 0 || rest; rest >>= 7)
        length[n++] = (unsigned char)(rest | (rest >= 128 ? 128 : 0));
    refrain_sink_put_bytes(perfetto->file.out, &tag, 1);
    refrain_sink_put_bytes(perfetto->file.out, length, n);
    refrain_sink_put_bytes(perfetto->file.out, packet->bytes, packet->n);
    refrain_protobuf_clear(packet);
    refrain_protobuf_clear(&perfetto->inner);
    refrain_protobuf_clear(&perfetto->innermost);
}

/* ---- begin ---- */

static uint64_t process_track(int32_t rank) {
    return 1 + (uint64_t)rank;
}

static uint64_t thread_track(const struct perfetto_writer *perfetto, size_t location) {
    return 1 + (uint64_t)perfetto->locations.size + location;
}

static uint64_t counter_track(const struct perfetto_writer *perfetto, size_t location) {
    return thread_track(perfetto, perfetto->locations.n + location);
}

/* The track of a counter of the program in one thread. */
static uint64_t value_track(const struct perfetto_writer *perfetto, size_t location,
                            const struct refrain_region_info *region) {
    return thread_track(perfetto, 2 * perfetto->locations.n + location * perfetto->n_regions + region->index);
}

/* A string field: a name of any length, and the text after it. */
static void put_name_and(struct refrain_protobuf *message, unsigned field, const char *name, const char *rest) {
    size_t n = strlen(name), bytes = n + strlen(rest) + 1;
    char *text = malloc(bytes);
    if (!text) {
        message->no_memory = true;
        return;
    }
    memcpy(text, name, n);
    memcpy(text + n, rest, bytes - n);
    refrain_protobuf_text(message, field, text);
    free(text);
}

static void put_value_track(struct perfetto_writer *perfetto, size_t number, const struct refrain_region_info *region) {
    const struct refrain_location *location = &perfetto->locations.all[number];
    char thread[32];
    snprintf(thread, sizeof thread, ", thread %" PRIu32, location->thread);
    refrain_protobuf_varint(&perfetto->innermost, COUNTER_UNIT, UNIT_UNSPECIFIED);
    refrain_protobuf_varint(&perfetto->inner, TRACK_UUID, value_track(perfetto, number, region));
    refrain_protobuf_varint(&perfetto->inner, TRACK_PARENT, process_track(location->rank));
    put_name_and(&perfetto->inner, TRACK_NAME, region->name, thread);
    refrain_protobuf_message(&perfetto->inner, TRACK_COUNTER, &perfetto->innermost);
    refrain_protobuf_message(&perfetto->packet, TRACK, &perfetto->inner);
    put_packet(perfetto);
}

static void put_tracks(struct perfetto_writer *perfetto, size_t number) {
    const struct refrain_location *location = &perfetto->locations.all[number];
    struct refrain_protobuf *track = &perfetto->inner, *inside = &perfetto->innermost;
    char text[64];
    if (location->thread == 0) {
        snprintf(text, sizeof text, "Rank %d%s", location->rank, location->process ? "" : " (no file)");
        refrain_protobuf_varint(inside, PROCESS_PID, (uint64_t)location->rank + 1);
        refrain_protobuf_text(inside, PROCESS_NAME, text);
        refrain_protobuf_varint(track, TRACK_UUID, process_track(location->rank));
        refrain_protobuf_message(track, TRACK_PROCESS, inside);
        refrain_protobuf_message(&perfetto->packet, TRACK, track);
        put_packet(perfetto);
    }
    snprintf(text, sizeof text, "Thread %u", location->thread);
    refrain_protobuf_varint(inside, THREAD_PID, (uint64_t)location->rank + 1);
    refrain_protobuf_varint(inside, THREAD_TID, number + 1);
    refrain_protobuf_text(inside, THREAD_NAME, text);
    refrain_protobuf_varint(track, TRACK_UUID, thread_track(perfetto, number));
    refrain_protobuf_varint(track, TRACK_PARENT, process_track(location->rank));
    refrain_protobuf_message(track, TRACK_THREAD, inside);
    refrain_protobuf_message(&perfetto->packet, TRACK, track);
    put_packet(perfetto);
    snprintf(text, sizeof text, "waiting%s, thread %u", perfetto->file.waiting ? "" : " for senders", location->thread);
    refrain_protobuf_varint(inside, COUNTER_UNIT, UNIT_TIME_NS);
    refrain_protobuf_varint(track, TRACK_UUID, counter_track(perfetto, number));
    refrain_protobuf_varint(track, TRACK_PARENT, process_track(location->rank));
    refrain_protobuf_text(track, TRACK_NAME, text);
    refrain_protobuf_message(track, TRACK_COUNTER, inside);
    refrain_protobuf_message(&perfetto->packet, TRACK, track);
    put_packet(perfetto);
}

static void put_interned(struct perfetto_writer *perfetto, enum interned kind, uint64_t iid, const char *name) {
    refrain_protobuf_varint(&perfetto->innermost, IID, iid);
    refrain_protobuf_text(&perfetto->innermost, NAME, name);
    refrain_protobuf_message(&perfetto->inner, (unsigned)kind, &perfetto->innermost);
    refrain_protobuf_message(&perfetto->packet, INTERNED_DATA, &perfetto->inner);
    put_packet(perfetto);
}

static void put_source_location(struct perfetto_writer *perfetto, const struct refrain_region_info *region) {
    refrain_protobuf_varint(&perfetto->innermost, IID, (uint64_t)region->index + 1);
    refrain_protobuf_text(&perfetto->innermost, FILE_NAME, region->file);
    refrain_protobuf_varint(&perfetto->innermost, LINE_NUMBER, region->line);
    refrain_protobuf_message(&perfetto->inner, SOURCE_LOCATIONS, &perfetto->innermost);
    refrain_protobuf_message(&perfetto->packet, INTERNED_DATA, &perfetto->inner);
    put_packet(perfetto);
}

/* Names: of the regions, then "unknown", then of the kinds of events. */
static uint64_t region_iid(const struct perfetto_writer *perfetto, const struct refrain_region_info *region) {
    return (region->index < perfetto->n_regions ? region->index : perfetto->n_regions) + 1;
}

static uint64_t kind_iid(const struct perfetto_writer *perfetto, enum refrain_event_kind kind) {
    return perfetto->n_regions + 2 + kind;
}

/* Names of waits follow those of events. */
static uint64_t wait_iid(const struct perfetto_writer *perfetto, enum refrain_wait_kind kind) {
    return kind_iid(perfetto, REFRAIN_EVENT_KINDS) + kind;
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
    perfetto->trace = trace;
    perfetto->n_regions = trace->n_regions;
    if (refrain_locations_make(&perfetto->locations, trace))
        perfetto->waiting = calloc(perfetto->locations.n + 1, sizeof *perfetto->waiting);
    if (!perfetto->waiting) {
        REFRAIN_FAIL_MEMORY(perfetto->file.error);
        return 1;
    }
    for (size_t i = 0; i < perfetto->locations.n; i++)
        put_tracks(perfetto, i);
    for (size_t i = 0; i < sizeof categories / sizeof *categories; i++)
        put_interned(perfetto, CATEGORIES, i + 1, categories[i]);
    for (size_t i = 0; i < (perfetto->file.waiting ? KEYS : WAITED); i++)
        put_interned(perfetto, ANNOTATION_NAMES, i + 1, keys[i]);
    for (unsigned kind = 0; kind < REFRAIN_EVENT_KINDS; kind++)
        put_interned(perfetto, NAMES, kind_iid(perfetto, kind), refrain_event_name(kind));
    for (unsigned kind = 0; perfetto->file.waiting && kind < REFRAIN_WAIT_KINDS; kind++)
        put_interned(perfetto, NAMES, wait_iid(perfetto, kind), refrain_wait_kind_name(kind));
    put_interned(perfetto, NAMES, trace->n_regions + 1, "unknown");
    for (size_t i = 0; i < trace->n_regions; i++) {
        put_interned(perfetto, NAMES, i + 1, trace->regions[i].name);
        for (size_t l = 0; trace->regions[i].kind == REFRAIN_REGION_VALUE && l < perfetto->locations.n; l++)
            put_value_track(perfetto, l, &trace->regions[i]);
        if (trace->regions[i].file[0])
            put_source_location(perfetto, &trace->regions[i]);
    }
    perfetto->file.begun = true;
    return perfetto->file.out->failed != 0;
}

/* ---- events ---- */

static void annotate(struct perfetto_writer *perfetto, enum key key, int64_t value) {
    refrain_protobuf_clear(&perfetto->innermost);
    refrain_protobuf_varint(&perfetto->innermost, ANNOTATION_NAME, (uint64_t)key + 1);
    refrain_protobuf_varint(&perfetto->innermost, key == APPROXIMATE ? BOOLEAN : INTEGER, (uint64_t)value);
    refrain_protobuf_message(&perfetto->inner, ANNOTATION, &perfetto->innermost);
}

static void annotate_source(struct perfetto_writer *perfetto, enum key key, const struct refrain_region_info *region) {
    char line[16];
    snprintf(line, sizeof line, ":%" PRIu32, region->line);
    refrain_protobuf_clear(&perfetto->innermost);
    refrain_protobuf_varint(&perfetto->innermost, ANNOTATION_NAME, (uint64_t)key + 1);
    put_name_and(&perfetto->innermost, STRING, region->file, line);
    refrain_protobuf_message(&perfetto->inner, ANNOTATION, &perfetto->innermost);
}

static void annotate_fields(struct perfetto_writer *perfetto, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        annotate(perfetto, event->kind == REFRAIN_EVENT_SEND ? DEST : SOURCE, event->peer);
        annotate(perfetto, TAG, event->tag);
        annotate(perfetto, BYTES, event->bytes);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        annotate(perfetto, ROOT, event->peer);
        annotate(perfetto, SENT, event->bytes);
        annotate(perfetto, RECEIVED, event->received);
        break;
    case REFRAIN_EVENT_RMA:
        annotate(perfetto, TARGET, event->peer);
        annotate(perfetto, BYTES, event->bytes);
        annotate(perfetto, WINDOW, refrain_event_object(perfetto->trace, event));
        break;
    case REFRAIN_EVENT_WINDOW:
        if (event->peer >= 0)
            annotate(perfetto, TARGET, event->peer);
        annotate(perfetto, WINDOW, refrain_event_object(perfetto->trace, event));
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_MOVED:
        annotate(perfetto, BYTES, event->bytes);
        annotate(perfetto, FILE_NUMBER, event->tag);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        if (event->bytes >= 0)
            annotate(perfetto, BYTES, event->bytes);
        break;
    case REFRAIN_EVENT_SEEK:
        annotate(perfetto, WHENCE, event->value);
        annotate(perfetto, OFFSET, event->bytes);
        annotate(perfetto, POSITION, event->received);
        annotate(perfetto, FILE_NUMBER, event->tag);
        break;
    case REFRAIN_EVENT_FILE:
        annotate(perfetto, FILE_NUMBER, event->tag);
        break;
    default:
        break;
    }
    if (event->comm)
        annotate(perfetto, COMM, event->comm->index);
    if (event->request >= 0)
        annotate(perfetto, REQUEST, event->request);
}

/* Begins an event of a track in perfetto->inner. */
static void open_event(struct perfetto_writer *perfetto, const struct refrain_event *event, enum type type,
                       uint64_t track) {
    refrain_protobuf_varint(&perfetto->packet, TIMESTAMP, event->time_ns < 0 ? 0 : (uint64_t)event->time_ns);
    refrain_protobuf_varint(&perfetto->inner, TYPE, type);
    refrain_protobuf_varint(&perfetto->inner, EVENT_TRACK, track);
}

static void close_event(struct perfetto_writer *perfetto) {
    refrain_protobuf_message(&perfetto->packet, TRACK_EVENT, &perfetto->inner);
    put_packet(perfetto);
}

/* The waiting time of the location of the event so far. */
static void put_waited(struct perfetto_writer *perfetto, const struct refrain_event *event, size_t location) {
    open_event(perfetto, event, COUNTER, counter_track(perfetto, location));
    refrain_protobuf_varint(&perfetto->inner, COUNTER_VALUE, (uint64_t)perfetto->waiting[location].total_ns);
    close_event(perfetto);
}

static void put_wait(struct perfetto_writer *perfetto, const struct refrain_event *event,
                     const struct refrain_wait *wait) {
    if (!wait)
        return;
    const struct refrain_event waited = refrain_waited_in(event, wait);
    size_t location = refrain_locations_of(&perfetto->locations, &waited);
    open_event(perfetto, &waited, INSTANT, thread_track(perfetto, location));
    refrain_protobuf_varint(&perfetto->inner, CATEGORY_IID, OPERATION_CATEGORY + 1);
    refrain_protobuf_varint(&perfetto->inner, NAME_IID, wait_iid(perfetto, wait->kind));
    annotate(perfetto, WAITED, wait->ns);
    annotate(perfetto, BY, wait->cause_rank);
    annotate_source(perfetto, AT, wait->cause);
    if (waited.approximate)
        annotate(perfetto, APPROXIMATE, 1);
    close_event(perfetto);
    perfetto->waiting[location].total_ns += wait->ns;
    put_waited(perfetto, &waited, location);
}

static void put_operation(struct perfetto_writer *perfetto, const struct refrain_event *event, size_t location) {
    open_event(perfetto, event, INSTANT, thread_track(perfetto, location));
    refrain_protobuf_varint(&perfetto->inner, CATEGORY_IID, OPERATION_CATEGORY + 1);
    refrain_protobuf_varint(&perfetto->inner, NAME_IID, kind_iid(perfetto, event->kind));
    annotate_fields(perfetto, event);
    if (event->approximate)
        annotate(perfetto, APPROXIMATE, 1);
    if (event->match && (event->kind == REFRAIN_EVENT_SEND || event->kind == REFRAIN_EVENT_RECV))
        refrain_protobuf_fixed64(&perfetto->inner, event->kind == REFRAIN_EVENT_RECV ? LAST_FLOW_ID : FLOW_ID,
                                 event->match);
    close_event(perfetto);
    if (!perfetto->file.waiting && refrain_waited_for_sender(&perfetto->waiting[location], event))
        put_waited(perfetto, event, location);
}

/* A marker or counter. */
static void put_value(struct perfetto_writer *perfetto, const struct refrain_event *event, size_t location) {
    if (event->kind == REFRAIN_EVENT_COUNTER && event->region->index < perfetto->n_regions) {
        open_event(perfetto, event, COUNTER, value_track(perfetto, location, event->region));
        refrain_protobuf_varint(&perfetto->inner, COUNTER_VALUE, (uint64_t)event->value);
    } else {
        open_event(perfetto, event, INSTANT, thread_track(perfetto, location));
        refrain_protobuf_varint(&perfetto->inner, CATEGORY_IID, (uint64_t)REFRAIN_REGION_USER + 1);
        refrain_protobuf_varint(&perfetto->inner, NAME_IID, region_iid(perfetto, event->region));
    }
    if (event->approximate)
        annotate(perfetto, APPROXIMATE, 1);
    close_event(perfetto);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
    size_t location = refrain_locations_of(&perfetto->locations, event);
    put_wait(perfetto, event, event->wait);
    put_wait(perfetto, event, event->peer_wait);
    if (event->kind == REFRAIN_EVENT_MARKER || event->kind == REFRAIN_EVENT_COUNTER) {
        put_value(perfetto, event, location);
        return perfetto->file.out->failed != 0;
    }
    if (event->kind != REFRAIN_EVENT_ENTER && event->kind != REFRAIN_EVENT_LEAVE) {
        put_operation(perfetto, event, location);
        return perfetto->file.out->failed != 0;
    }
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    open_event(perfetto, event, enters ? SLICE_BEGIN : SLICE_END, thread_track(perfetto, location));
    if (enters) {
        refrain_waited_for_sender(&perfetto->waiting[location], event);
        refrain_protobuf_varint(&perfetto->inner, CATEGORY_IID, (uint64_t)event->region->kind + 1);
        refrain_protobuf_varint(&perfetto->inner, NAME_IID, region_iid(perfetto, event->region));
        if (event->region->file[0])
            refrain_protobuf_varint(&perfetto->inner, SOURCE_LOCATION_IID, (uint64_t)event->region->index + 1);
    }
    if (event->approximate)
        annotate(perfetto, APPROXIMATE, 1);
    close_event(perfetto);
    return perfetto->file.out->failed != 0;
}

/* ---- end ---- */

static int end(struct refrain_writer *writer) {
    struct perfetto_writer *perfetto = (struct perfetto_writer *)writer;
    enum refrain_status status = refrain_file_writer_close(&perfetto->file, perfetto->packet.no_memory);
    refrain_locations_free(&perfetto->locations);
    free(perfetto->waiting);
    free(perfetto->packet.bytes);
    free(perfetto->inner.bytes);
    free(perfetto->innermost.bytes);
    free(perfetto);
    return status != REFRAIN_OK;
}

const struct refrain_format refrain_format_perfetto = {
    .name = "perfetto",
    .suffix = ".pftrace",
    .summary = "protobuf for ui.perfetto.dev and trace_processor",
    .file = {sizeof(struct perfetto_writer), {begin, write_event, end}, .patchable = false}};
