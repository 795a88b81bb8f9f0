/* write_picl.c: the format "picl" (format.h): PICL's trace file (P. H. Worley, "A New PICL Trace File Format",
 * ORNL/TM-12125, 1992; the tables and sections named below are its own).
 *
 *     rank N           -> processor N, process 0
 *     enter, leave     -> entry and exit (-3, -4) of a user event: the number of its region, named by a label (-5) in
 * front send, receive, barrier, file access -> entry and exit of the event type of table 4, inside the call's user
 * event, with the fields of tables 7 to 10; a mark (-2) where a call has more than one collective       -> user-defined
 * record 0: root, bytes sent, bytes received, communicator one-sided access -> user-defined record 1: target, bytes,
 * window begin and end    -> entry and exit of tracing (-901), with the level of tracing (-904) and statistics (-101 to
 * -103) of the event types of table 4 at the end
 *
 * Times are seconds. Records come in the order of time: what an entry says of its message is known only with the event
 * after it, so the entry waits for that as long as the time stays the same. */
#include "event_names.h"
#include "file_writer.h"
#include "locations.h"
#include "picl_records.h"
#include "warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Those that statistics are kept of. */
static const int counted[] = {PICL_OPEN,     PICL_CLOSE, PICL_SEND,       PICL_SEND_BEGIN,
                              PICL_SEND_END, PICL_RECV,  PICL_PROBE_WAIT, PICL_RECV_BEGIN,
                              PICL_RECV_END, PICL_WRITE, PICL_READ,       PICL_SYNC};
#define COUNTED (sizeof counted / sizeof *counted)

struct place {
    bool started;
    uint32_t calls;        /* MPI calls it is in */
    enum picl_event state; /* of the outermost of them, PICL_NO_TYPE: none */
    int64_t enter_ns;
    bool waits;       /* the entry to the state is not written yet */
    bool has_message; /* of the state: known, and written at its entry (sends) or to be written at its exit */
    struct refrain_event message;
    uint64_t counts[COUNTED], volumes[COUNTED];
    int64_t times_ns[COUNTED];
};

struct picl_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    uint64_t thread_events;
    struct refrain_omitted omitted;
    struct place *places; /* by rank */
    int32_t *waiting;     /* ranks whose entry waits */
    int32_t n_waiting;
    int64_t waiting_ns; /* their time */
    int64_t end_ns;
};

/* ---- records ---- */

static void count(struct place *place, enum picl_event type, int64_t bytes, int64_t ns) {
    size_t i = 0;
    while (i < COUNTED && counted[i] != (int)type)
        i++;
    if (i == COUNTED)
        return;
    place->counts[i]++;
    place->volumes[i] += bytes > 0 ? (uint64_t)bytes : 0;
    place->times_ns[i] += ns;
}

static void put_mark(struct picl_writer *picl, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry, n = refrain_picl_fields(event, &type, fields, &of_entry);
    refrain_picl_put(picl->file.out, PICL_MARK, type, event->time_ns, event->rank, fields, n);
    count(&picl->places[event->rank], type, event->bytes, 0);
}

/* ---- states ---- */

/* Whether the operation is what the state is about. */
static bool belongs(const struct place *place, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry;
    if (place->calls != 1 || place->has_message || place->state == PICL_NO_TYPE)
        return false;
    refrain_picl_fields(event, &type, fields, &of_entry);
    return type == place->state;
}

/* Writes the entry to a state that waited, with what has come to be known of it. */
static void put_entry(struct picl_writer *picl, int32_t rank) {
    struct place *place = &picl->places[rank];
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry = 0;
    if (place->has_message)
        refrain_picl_fields(&place->message, &type, fields, &of_entry);
    place->waits = false;
    refrain_picl_put(picl->file.out, PICL_ENTRY, place->state, place->enter_ns, rank, fields, of_entry);
}

static void put_waiting(struct picl_writer *picl) {
    for (int32_t i = 0; i < picl->n_waiting; i++)
        if (picl->places[picl->waiting[i]].waits)
            put_entry(picl, picl->waiting[i]);
    picl->n_waiting = 0;
}

static void enter(struct picl_writer *picl, struct place *place, const struct refrain_event *event) {
    refrain_picl_put(picl->file.out, PICL_ENTRY, event->region->index, event->time_ns, event->rank, NULL, 0);
    if (event->region->kind != REFRAIN_REGION_MPI || place->calls++ > 0)
        return;
    place->state = refrain_picl_type(event->region);
    place->enter_ns = event->time_ns;
    place->has_message = false;
    if (place->state == PICL_NO_TYPE)
        return;
    place->waits = true;
    picl->waiting[picl->n_waiting++] = event->rank;
    picl->waiting_ns = event->time_ns;
}

static void leave(struct picl_writer *picl, struct place *place, const struct refrain_event *event) {
    if (event->region->kind == REFRAIN_REGION_MPI && place->calls > 0 && --place->calls == 0 &&
        place->state != PICL_NO_TYPE) {
        enum picl_event type;
        int64_t fields[8];
        size_t of_entry = 0,
               n = place->has_message ? refrain_picl_fields(&place->message, &type, fields, &of_entry) : 0;
        refrain_picl_put(picl->file.out, PICL_EXIT, place->state, event->time_ns, event->rank, fields + of_entry,
                         n - of_entry);
        count(place, place->state, place->has_message ? place->message.bytes : 0, event->time_ns - place->enter_ns);
        place->state = PICL_NO_TYPE;
    }
    refrain_picl_put(picl->file.out, PICL_EXIT, event->region->index, event->time_ns, event->rank, NULL, 0);
}

/* An operation becomes part of its call's state where that is about it, and its entry or exit can still say so. */
static void operation(struct picl_writer *picl, struct place *place, const struct refrain_event *event) {
    if (belongs(place, event) && (place->waits || event->kind == REFRAIN_EVENT_RECV)) {
        place->has_message = true;
        place->message = *event;
        if (place->waits)
            put_entry(picl, event->rank);
        return;
    }
    put_mark(picl, event);
}

/* ---- the writer ---- */

static void put_label(struct picl_writer *picl, const struct refrain_region_info *region) {
    size_t n = strlen(region->name);
    char *name = malloc(4 * n + 1);
    if (!name)
        return;
    n = refrain_escape_name(name, region->name);
    refrain_picl_start(picl->file.out, PICL_LABEL, region->index, 0, -1);
    refrain_picl_number(picl->file.out, (int64_t)n);
    if (n > 0) {
        refrain_picl_number(picl->file.out, PICL_CHARACTERS);
        refrain_sink_put_char(picl->file.out, ' ');
        refrain_sink_put_bytes(picl->file.out, name, n);
    }
    refrain_sink_put_char(picl->file.out, '\n');
    free(name);
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    picl->trace = trace;
    picl->places = calloc((size_t)trace->size + 1, sizeof *picl->places);
    picl->waiting = calloc((size_t)trace->size + 1, sizeof *picl->waiting);
    if (!picl->places || !picl->waiting) {
        REFRAIN_FAIL_MEMORY(picl->file.error);
        return 1;
    }
    for (size_t i = 0; i < trace->n_regions; i++)
        put_label(picl, &trace->regions[i]);
    picl->file.begun = true;
    return picl->file.out->failed != 0;
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *given) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    struct refrain_event event = *given;
    if (event.thread > 0) {
        picl->thread_events++;
        return 0;
    }
    struct place *place = &picl->places[event.rank];
    event.time_ns = event.time_ns < picl->end_ns ? picl->end_ns : event.time_ns;
    picl->end_ns = event.time_ns;
    if (picl->n_waiting > 0 && (event.time_ns > picl->waiting_ns || picl->n_waiting == picl->trace->size))
        put_waiting(picl);
    if (!place->started) {
        place->started = true;
        refrain_picl_put(picl->file.out, PICL_ENTRY, PICL_TRACING, event.time_ns, event.rank, NULL, 0);
        refrain_picl_put(picl->file.out, PICL_MARK, PICL_TRACE_LEVEL, event.time_ns, event.rank, (int64_t[]){1, 1, 1},
                         3);
    }
    if (place->waits && (event.kind == REFRAIN_EVENT_ENTER || event.kind == REFRAIN_EVENT_LEAVE))
        put_entry(picl, event.rank);
    switch (event.kind) {
    case REFRAIN_EVENT_ENTER:
        enter(picl, place, &event);
        break;
    case REFRAIN_EVENT_LEAVE:
        leave(picl, place, &event);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_IO:
        operation(picl, place, &event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        refrain_picl_put(picl->file.out, PICL_RECORD_COLLECTIVE, event.region->index, event.time_ns, event.rank,
                         (int64_t[]){event.peer, event.bytes, event.received,
                                     event.comm ? (int64_t)event.comm->index : -1, event.request},
                         event.request < 0 ? 4 : 5);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
    case REFRAIN_EVENT_CANCEL:
        refrain_picl_put(picl->file.out, event.kind == REFRAIN_EVENT_CANCEL ? PICL_RECORD_CANCEL : PICL_RECORD_COMPLETE,
                         event.region->index, event.time_ns, event.rank,
                         (int64_t[]){event.request, event.comm ? (int64_t)event.comm->index : -1}, 2);
        break;
    case REFRAIN_EVENT_RMA:
        refrain_picl_put(picl->file.out, PICL_RECORD_RMA, event.region->index, event.time_ns, event.rank,
                         (int64_t[]){event.peer, event.bytes, event.tag}, 3);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        picl->omitted.kinds[event.kind]++;
        break;
    default: /* given to formats that ask for it */
        break;
    }
    return picl->file.out->failed != 0;
}

/* ---- end ---- */

/* One of the three statistics of a processor, of all events; nothing where it is zero throughout. */
static void put_statistics(struct picl_writer *picl, int32_t rank, enum picl_record record) {
    const struct place *place = &picl->places[rank];
    struct refrain_sink *out = picl->file.out;
    int64_t n = 0;
    for (size_t i = 0; i < COUNTED; i++)
        n += (record == PICL_TIMES    ? (uint64_t)place->times_ns[i]
              : record == PICL_COUNTS ? place->counts[i]
                                      : place->volumes[i]) > 0;
    if (n == 0)
        return;
    refrain_picl_start(out, record, PICL_ALL_EVENTS, picl->end_ns, rank);
    refrain_picl_number(out, n);
    refrain_sink_put_text(out, record == PICL_TIMES ? " \"%d%lf\"" : " \"%d%d\"");
    for (size_t i = 0; i < COUNTED; i++) {
        uint64_t value = record == PICL_COUNTS ? place->counts[i] : place->volumes[i];
        if (record == PICL_TIMES ? place->times_ns[i] == 0 : value == 0)
            continue;
        refrain_picl_number(out, counted[i]);
        if (record == PICL_TIMES)
            refrain_sink_printf(out, " %" PRId64 ".%09" PRId64, place->times_ns[i] / 1000000000,
                                place->times_ns[i] % 1000000000);
        else
            refrain_picl_number(out, (int64_t)value);
    }
    refrain_sink_put_char(out, '\n');
}

static int end(struct refrain_writer *writer) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    if (picl->file.begun)
        put_waiting(picl);
    for (int32_t rank = 0; picl->file.begun && rank < picl->trace->size; rank++) {
        if (!picl->places[rank].started)
            continue;
        put_statistics(picl, rank, PICL_TIMES);
        put_statistics(picl, rank, PICL_COUNTS);
        put_statistics(picl, rank, PICL_VOLUMES);
    }
    for (int32_t rank = 0; picl->file.begun && rank < picl->trace->size; rank++)
        if (picl->places[rank].started)
            refrain_picl_put(picl->file.out, PICL_EXIT, PICL_TRACING, picl->end_ns, rank, NULL, 0);
    enum refrain_status status = refrain_file_writer_close(&picl->file, false);
    if (!status && picl->thread_events)
        refrain_warn("picl has no place for threads: %" PRIu64 " events of further threads are left out",
                     picl->thread_events);
    if (!status && picl->file.begun)
        refrain_omitted_say(&picl->omitted);
    free(picl->places);
    free(picl->waiting);
    free(picl);
    return status != REFRAIN_OK;
}

static enum refrain_status open_picl(const struct refrain_format_request *request, struct refrain_writer **writer,
                                     struct refrain_error *error) {
    static const struct refrain_writer functions = {begin, write_event, end};
    if (request->paragraph)
        return refrain_picl_paragraph_open(request, writer, error);
    enum refrain_status status =
        refrain_file_writer_open(request, sizeof(struct picl_writer), false, &functions, writer, error);
    if (*writer)
        ((struct picl_writer *)*writer)->omitted.format = "picl";
    return status;
}

const struct refrain_format refrain_format_picl = {
    .name = "picl", .suffix = ".trf", .summary = "PICL's text records, for ParaGraph", .open = open_picl};
