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
#include "file_writer.h"
#include "locations.h"
#include "mpi_kind.h"
#include "warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum record { MARK = -2, ENTRY = -3, EXIT = -4, LABEL = -5, TIMES = -101, COUNTS = -102, VOLUMES = -103 };
enum user_record { RECORD_COLLECTIVE = 0, RECORD_RMA = 1, RECORD_COMPLETE = 2, RECORD_CANCEL = 3 };
enum descriptor { CHARACTERS = 0, INTEGERS = 2 };

/* Table 4. */
enum event_type {
    ALL_EVENTS = -1,
    OPEN = -11,
    CLOSE = -12,
    SEND = -21,
    SEND_BEGIN = -27,
    SEND_END = -30,
    RECV = -52,
    PROBE_WAIT = -56,
    RECV_BEGIN = -57,
    RECV_END = -61,
    WRITE = -221,
    READ = -251,
    SYNC = -402,
    TRACING = -901,
    TRACE_LEVEL = -904,
    NO_TYPE = 0
};

/* Those that statistics are kept of. */
static const int counted[] = {OPEN,       CLOSE,      SEND,     SEND_BEGIN, SEND_END, RECV,
                              PROBE_WAIT, RECV_BEGIN, RECV_END, WRITE,      READ,     SYNC};
#define COUNTED (sizeof counted / sizeof *counted)

struct place {
    bool started;
    uint32_t calls;        /* MPI calls it is in */
    enum event_type state; /* of the outermost of them, NO_TYPE: none */
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
    struct place *places; /* by rank */
    int32_t *waiting;     /* ranks whose entry waits */
    int32_t n_waiting;
    int64_t waiting_ns; /* their time */
    int64_t end_ns;
};

/* ---- records ---- */

static void put_number(struct refrain_sink *out, int64_t value) {
    refrain_sink_put_char(out, ' ');
    refrain_sink_put_signed(out, value);
}

/* The fields that every record has, up to the process. */
static void put_start(struct refrain_sink *out, int64_t record, int64_t type, int64_t time_ns, int32_t rank) {
    refrain_sink_put_signed(out, record);
    put_number(out, type);
    put_number(out, time_ns / 1000000000);
    refrain_sink_put_char(out, '.');
    refrain_sink_put_digits(out, (uint64_t)(time_ns % 1000000000), 9);
    put_number(out, rank);
    put_number(out, rank < 0 ? -1 : 0);
}

static void put_record(struct picl_writer *picl, int64_t record, int64_t type, int64_t time_ns, int32_t rank,
                       const int64_t *fields, size_t n) {
    put_start(picl->file.out, record, type, time_ns, rank);
    put_number(picl->file.out, (int64_t)n);
    if (n > 0)
        put_number(picl->file.out, INTEGERS);
    for (size_t i = 0; i < n; i++)
        put_number(picl->file.out, fields[i]);
    refrain_sink_put_char(picl->file.out, '\n');
}

static void count(struct place *place, enum event_type type, int64_t bytes, int64_t ns) {
    size_t i = 0;
    while (i < COUNTED && counted[i] != (int)type)
        i++;
    if (i == COUNTED)
        return;
    place->counts[i]++;
    place->volumes[i] += bytes > 0 ? (uint64_t)bytes : 0;
    place->times_ns[i] += ns;
}

/* The event type of what an operation does, and its fields as a mark has them: those of the entry, then of the exit. */
static size_t message_fields(const struct refrain_event *event, enum event_type *type, int64_t fields[8],
                             size_t *of_entry) {
    const int64_t tag = event->tag, bytes = event->bytes, peer = event->peer;
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
        *type = event->request < 0 ? SEND : SEND_BEGIN;
        *of_entry = 4;
        memcpy(fields, (int64_t[]){bytes, tag, peer, 0, event->request}, 5 * sizeof *fields);
        return event->request < 0 ? 4 : 5;
    case REFRAIN_EVENT_RECV:
        *type = event->request < 0 ? RECV : RECV_END;
        *of_entry = event->request < 0 ? 3 : 1;
        if (event->request < 0)
            memcpy(fields, (int64_t[]){-1, -1, -1, bytes, tag, peer, 0}, 7 * sizeof *fields);
        else
            memcpy(fields, (int64_t[]){event->request, bytes, tag, peer, 0}, 5 * sizeof *fields);
        return event->request < 0 ? 7 : 5;
    case REFRAIN_EVENT_RECV_POST:
        *type = RECV_BEGIN;
        *of_entry = 3;
        memcpy(fields, (int64_t[]){-1, -1, -1, event->request}, 4 * sizeof *fields);
        return 4;
    case REFRAIN_EVENT_SEND_COMPLETE:
        *type = SEND_END;
        *of_entry = 1;
        fields[0] = event->request;
        return 1;
    default:
        *type = strstr(event->region->name, "rite") ? WRITE : READ;
        *of_entry = *type == WRITE ? 2 : 0;
        memcpy(fields, (int64_t[]){bytes, event->tag}, 2 * sizeof *fields);
        return 2;
    }
}

static void put_mark(struct picl_writer *picl, const struct refrain_event *event) {
    enum event_type type;
    int64_t fields[8];
    size_t of_entry, n = message_fields(event, &type, fields, &of_entry);
    put_record(picl, MARK, type, event->time_ns, event->rank, fields, n);
    count(&picl->places[event->rank], type, event->bytes, 0);
}

/* ---- states ---- */

/* What an MPI call is in table 4. */
static enum event_type type_of(const struct refrain_region_info *region) {
    switch (refrain_mpi_kind(region)) {
    case REFRAIN_MPI_SEND:
        return SEND;
    case REFRAIN_MPI_RECV:
        return RECV;
    case REFRAIN_MPI_ISEND:
        return strstr(region->name, "_init") || strstr(region->name, "sendrecv") ? NO_TYPE : SEND_BEGIN;
    case REFRAIN_MPI_IRECV:
        return strstr(region->name, "_init") ? NO_TYPE : RECV_BEGIN;
    case REFRAIN_MPI_PROBE:
        return strcmp(region->name, "MPI_Probe") == 0 || strcmp(region->name, "MPI_Mprobe") == 0 ? PROBE_WAIT : NO_TYPE;
    case REFRAIN_MPI_BARRIER:
        return strcmp(region->name, "MPI_Barrier") == 0 ? SYNC : NO_TYPE;
    case REFRAIN_MPI_IO:
        return strncmp(region->name, "MPI_File_read", 13) == 0    ? READ
               : strncmp(region->name, "MPI_File_write", 14) == 0 ? WRITE
                                                                  : NO_TYPE;
    default:
        return strncmp(region->name, "MPI_Init", 8) == 0 && !strstr(region->name, "ialized") ? OPEN
               : strcmp(region->name, "MPI_Finalize") == 0                                   ? CLOSE
                                                                                             : NO_TYPE;
    }
}

/* Whether the operation is what the state is about. */
static bool belongs(const struct place *place, const struct refrain_event *event) {
    enum event_type type;
    int64_t fields[8];
    size_t of_entry;
    if (place->calls != 1 || place->has_message || place->state == NO_TYPE)
        return false;
    message_fields(event, &type, fields, &of_entry);
    return type == place->state;
}

/* Writes the entry to a state that waited, with what has come to be known of it. */
static void put_entry(struct picl_writer *picl, int32_t rank) {
    struct place *place = &picl->places[rank];
    enum event_type type;
    int64_t fields[8];
    size_t of_entry = 0;
    if (place->has_message)
        message_fields(&place->message, &type, fields, &of_entry);
    place->waits = false;
    put_record(picl, ENTRY, place->state, place->enter_ns, rank, fields, of_entry);
}

static void put_waiting(struct picl_writer *picl) {
    for (int32_t i = 0; i < picl->n_waiting; i++)
        if (picl->places[picl->waiting[i]].waits)
            put_entry(picl, picl->waiting[i]);
    picl->n_waiting = 0;
}

static void enter(struct picl_writer *picl, struct place *place, const struct refrain_event *event) {
    put_record(picl, ENTRY, event->region->index, event->time_ns, event->rank, NULL, 0);
    if (event->region->kind != REFRAIN_REGION_MPI || place->calls++ > 0)
        return;
    place->state = type_of(event->region);
    place->enter_ns = event->time_ns;
    place->has_message = false;
    if (place->state == NO_TYPE)
        return;
    place->waits = true;
    picl->waiting[picl->n_waiting++] = event->rank;
    picl->waiting_ns = event->time_ns;
}

static void leave(struct picl_writer *picl, struct place *place, const struct refrain_event *event) {
    if (event->region->kind == REFRAIN_REGION_MPI && place->calls > 0 && --place->calls == 0 &&
        place->state != NO_TYPE) {
        enum event_type type;
        int64_t fields[8];
        size_t of_entry = 0, n = place->has_message ? message_fields(&place->message, &type, fields, &of_entry) : 0;
        put_record(picl, EXIT, place->state, event->time_ns, event->rank, fields + of_entry, n - of_entry);
        count(place, place->state, place->has_message ? place->message.bytes : 0, event->time_ns - place->enter_ns);
        place->state = NO_TYPE;
    }
    put_record(picl, EXIT, event->region->index, event->time_ns, event->rank, NULL, 0);
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
    put_start(picl->file.out, LABEL, region->index, 0, -1);
    put_number(picl->file.out, (int64_t)n);
    if (n > 0) {
        put_number(picl->file.out, CHARACTERS);
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
        put_record(picl, ENTRY, TRACING, event.time_ns, event.rank, NULL, 0);
        put_record(picl, MARK, TRACE_LEVEL, event.time_ns, event.rank, (int64_t[]){1, 1, 1}, 3);
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
        put_record(picl, RECORD_COLLECTIVE, event.region->index, event.time_ns, event.rank,
                   (int64_t[]){event.peer, event.bytes, event.received, event.comm ? (int64_t)event.comm->index : -1,
                               event.request},
                   event.request < 0 ? 4 : 5);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
    case REFRAIN_EVENT_CANCEL:
        put_record(picl, event.kind == REFRAIN_EVENT_CANCEL ? RECORD_CANCEL : RECORD_COMPLETE, event.region->index,
                   event.time_ns, event.rank, (int64_t[]){event.request, event.comm ? (int64_t)event.comm->index : -1},
                   2);
        break;
    case REFRAIN_EVENT_RMA:
        put_record(picl, RECORD_RMA, event.region->index, event.time_ns, event.rank,
                   (int64_t[]){event.peer, event.bytes, event.tag}, 3);
        break;
    }
    return picl->file.out->failed != 0;
}

/* ---- end ---- */

/* One of the three statistics of a processor, of all events; nothing where it is zero throughout. */
static void put_statistics(struct picl_writer *picl, int32_t rank, enum record record) {
    const struct place *place = &picl->places[rank];
    struct refrain_sink *out = picl->file.out;
    int64_t n = 0;
    for (size_t i = 0; i < COUNTED; i++)
        n += (record == TIMES    ? (uint64_t)place->times_ns[i]
              : record == COUNTS ? place->counts[i]
                                 : place->volumes[i]) > 0;
    if (n == 0)
        return;
    put_start(out, record, ALL_EVENTS, picl->end_ns, rank);
    put_number(out, n);
    refrain_sink_put_text(out, record == TIMES ? " \"%d%lf\"" : " \"%d%d\"");
    for (size_t i = 0; i < COUNTED; i++) {
        uint64_t value = record == COUNTS ? place->counts[i] : place->volumes[i];
        if (record == TIMES ? place->times_ns[i] == 0 : value == 0)
            continue;
        put_number(out, counted[i]);
        if (record == TIMES)
            refrain_sink_printf(out, " %" PRId64 ".%09" PRId64, place->times_ns[i] / 1000000000,
                                place->times_ns[i] % 1000000000);
        else
            put_number(out, (int64_t)value);
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
        put_statistics(picl, rank, TIMES);
        put_statistics(picl, rank, COUNTS);
        put_statistics(picl, rank, VOLUMES);
    }
    for (int32_t rank = 0; picl->file.begun && rank < picl->trace->size; rank++)
        if (picl->places[rank].started)
            put_record(picl, EXIT, TRACING, picl->end_ns, rank, NULL, 0);
    enum refrain_status status = refrain_file_writer_close(&picl->file, false);
    if (!status && picl->thread_events)
        refrain_warn("picl has no place for threads: %" PRIu64 " events of further threads are left out",
                     picl->thread_events);
    free(picl->places);
    free(picl->waiting);
    free(picl);
    return status != REFRAIN_OK;
}

static enum refrain_status open_picl(const struct refrain_format_request *request, struct refrain_writer **writer,
                                     struct refrain_error *error) {
    static const struct refrain_writer functions = {begin, write_event, end};
    return refrain_file_writer_open(request, sizeof(struct picl_writer), false, &functions, writer, error);
}

const struct refrain_format refrain_format_picl = {
    .name = "picl", .suffix = ".trf", .summary = "PICL's text records, for ParaGraph", .open = open_picl};
