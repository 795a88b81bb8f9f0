/* write_paraver.c: the format "paraver" (format.h): a trace for Paraver, OUT.prv with OUT.pcf and OUT.row beside it
 * (Paraver's trace description: states 1, events 2, communications 3, ordered by their first time).
 *
 *     rank N, thread t -> task N + 1, thread t + 1, on a processor of its own on its host
 *     enter, leave     -> event of a type for the kind of call, with its number and that of its line; 0 at its end
 *     MPI call         -> state, between the states "Running"
 *     message          -> communication, if both ends are in the trace; a single end is an event
 *     collective, one-sided and file accesses -> events with their fields
 *
 * The file has a state before its end is known, a communication before it is received, and the header before the end
 * of the run is known. So records of fixed size first go to a temporary file, where they are completed later. */
#define _GNU_SOURCE
#include "formats/event_names.h"
#include "formats/format.h"
#include "formats/messages.h"
#include "formats/paraver_tables.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum record_kind { RECORD_STATE, RECORD_EVENT, RECORD_SEND, RECORD_MESSAGE, RECORD_RECV };

/* A record of the temporary file. */
struct record {
    uint32_t kind, location;
    int64_t time_ns;
    union {
        struct {
            int64_t end_ns, state;
        } state;
        struct {
            int64_t types[3], values[3]; /* type 0: no more */
        } event;
        struct { /* SEND: not received so far; RECV: without a send */
            int64_t peer, tag, bytes, receiver, ready_ns, received_ns;
        } message;
    };
};

struct location_state {
    int64_t since_ns;  /* of the state */
    uint64_t state_at; /* position of its record */
    int64_t enter_ns;  /* of the MPI call */
    int state;
    uint32_t calls; /* open MPI calls */
    uint64_t cpu;
};

struct paraver_writer {
    struct refrain_writer writer;
    struct refrain_error *error;
    const struct refrain_trace *trace;
    struct refrain_sink *prv, *pcf, *row, *spool;
    struct refrain_locations locations;
    struct refrain_messages *messages;
    struct refrain_omitted omitted;
    struct location_state *of_location; /* by location */
    int64_t end_ns;
    bool begun;
};

/* ---- begin ---- */

static void put_state(struct paraver_writer *paraver, size_t location, int64_t time_ns, int state) {
    struct location_state *of = &paraver->of_location[location];
    struct record record = {.kind = RECORD_STATE, .location = (uint32_t)location, .time_ns = time_ns};
    record.state.state = state;
    record.state.end_ns = -1;
    of->state = state;
    of->since_ns = time_ns;
    of->state_at = refrain_sink_position(paraver->spool);
    refrain_sink_put_bytes(paraver->spool, &record, sizeof record);
}

static void end_state(struct paraver_writer *paraver, size_t location, int64_t time_ns) {
    struct location_state *of = &paraver->of_location[location];
    refrain_sink_patch(paraver->spool, of->state_at + offsetof(struct record, state.end_ns), &time_ns, sizeof time_ns);
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct paraver_writer *paraver = (struct paraver_writer *)writer;
    paraver->trace = trace;
    paraver->messages = refrain_messages_make(trace);
    if (refrain_locations_make(&paraver->locations, trace))
        paraver->of_location = calloc(paraver->locations.n + 1, sizeof *paraver->of_location);
    if (!paraver->of_location || !paraver->messages) {
        REFRAIN_FAIL_MEMORY(paraver->error);
        return 1;
    }
    uint64_t cpu = 0;
    for (uint32_t host = 0; host < paraver->locations.n_hosts; host++)
        for (size_t i = 0; i < paraver->locations.n; i++)
            if (paraver->locations.all[i].host == host)
                paraver->of_location[i].cpu = ++cpu;
    for (size_t i = 0; i < paraver->locations.n; i++)
        put_state(paraver, i, 0, REFRAIN_PARAVER_NOT_CREATED);
    paraver->begun = true;
    return paraver->spool->failed != 0;
}

/* ---- events ---- */

static void put_event(struct paraver_writer *paraver, size_t location, int64_t time_ns, const int64_t (*pairs)[2],
                      size_t n) {
    struct record record = {.kind = RECORD_EVENT, .location = (uint32_t)location, .time_ns = time_ns};
    for (size_t i = 0; i < n; i++) {
        record.event.types[i] = pairs[i][0];
        record.event.values[i] = pairs[i][1];
    }
    refrain_sink_put_bytes(paraver->spool, &record, sizeof record);
}

static void put_enter(struct paraver_writer *paraver, size_t location, const struct refrain_event *event,
                      int64_t time_ns) {
    const struct refrain_region_info *region = event->region;
    struct location_state *of = &paraver->of_location[location];
    bool mpi = region->kind == REFRAIN_REGION_MPI, known = region->index < paraver->trace->n_regions;
    int state = of->state;
    if (mpi && of->calls++ == 0) {
        of->enter_ns = time_ns;
        state = refrain_paraver_state_of(region);
    } else if (state == REFRAIN_PARAVER_NOT_CREATED) {
        state = REFRAIN_PARAVER_RUNNING;
    }
    if (state != of->state) {
        end_state(paraver, location, time_ns);
        put_state(paraver, location, time_ns, state);
    }
    put_event(paraver, location, time_ns,
              (const int64_t[][2]){{refrain_paraver_type_of(region), known ? refrain_paraver_value_of(region) : -1},
                                   {mpi ? REFRAIN_PARAVER_CALL_LINE : REFRAIN_PARAVER_FUNCTION_LINE,
                                    known ? (int64_t)region->index + 1 : 0}},
              2);
}

static void put_leave(struct paraver_writer *paraver, size_t location, const struct refrain_event *event,
                      int64_t time_ns) {
    struct location_state *of = &paraver->of_location[location];
    put_event(paraver, location, time_ns, (const int64_t[][2]){{refrain_paraver_type_of(event->region), 0}}, 1);
    if (event->region->kind != REFRAIN_REGION_MPI || of->calls == 0 || --of->calls > 0)
        return;
    end_state(paraver, location, time_ns);
    put_state(paraver, location, time_ns, REFRAIN_PARAVER_RUNNING);
}

static void put_message(struct paraver_writer *paraver, size_t location, const struct refrain_event *event,
                        int64_t time_ns) {
    bool sends = event->kind == REFRAIN_EVENT_SEND;
    struct record record = {
        .kind = sends ? RECORD_SEND : RECORD_RECV, .location = (uint32_t)location, .time_ns = time_ns};
    struct refrain_message sent = {.at = {refrain_sink_position(paraver->spool)}};
    record.message.peer = event->peer;
    record.message.tag = event->tag;
    record.message.bytes = event->bytes;
    if (sends) {
        refrain_messages_send(paraver->messages, event, &sent);
    } else if (refrain_messages_receive(paraver->messages, event, &sent)) {
        static const uint32_t message = RECORD_MESSAGE;
        int64_t receipt[3] = {(int64_t)location, paraver->of_location[location].enter_ns, time_ns};
        refrain_sink_patch(paraver->spool, sent.at[0], &message, sizeof message);
        refrain_sink_patch(paraver->spool, sent.at[0] + offsetof(struct record, message.receiver), receipt,
                           sizeof receipt);
        return;
    }
    refrain_sink_put_bytes(paraver->spool, &record, sizeof record);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct paraver_writer *paraver = (struct paraver_writer *)writer;
    size_t location = refrain_locations_of(&paraver->locations, event);
    int64_t time_ns = event->time_ns < 0 ? 0 : event->time_ns;
    paraver->end_ns = time_ns > paraver->end_ns ? time_ns : paraver->end_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        put_enter(paraver, location, event, time_ns);
        break;
    case REFRAIN_EVENT_LEAVE:
        put_leave(paraver, location, event, time_ns);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
        put_message(paraver, location, event, time_ns);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        put_event(paraver, location, time_ns,
                  (const int64_t[][2]){{REFRAIN_PARAVER_COLLECTIVE_SENT, event->bytes},
                                       {REFRAIN_PARAVER_COLLECTIVE_RECEIVED, event->received}},
                  2);
        put_event(paraver, location, time_ns,
                  (const int64_t[][2]){{REFRAIN_PARAVER_COLLECTIVE_ROOT, (int64_t)event->peer + 1},
                                       {REFRAIN_PARAVER_COLLECTIVE_COMM, event->comm ? event->comm->index + 1 : 0}},
                  2);
        break;
    case REFRAIN_EVENT_RMA:
        put_event(paraver, location, time_ns,
                  (const int64_t[][2]){{REFRAIN_PARAVER_RMA_TARGET, (int64_t)event->peer + 1},
                                       {REFRAIN_PARAVER_RMA_BYTES, event->bytes}},
                  2);
        break;
    case REFRAIN_EVENT_IO:
        put_event(paraver, location, time_ns, (const int64_t[][2]){{REFRAIN_PARAVER_IO_BYTES, event->bytes}}, 1);
        break;
    default:
        paraver->omitted.kinds[event->kind]++;
        break;
    }
    return paraver->spool->failed != 0;
}

/* ---- end: converts the records of the temporary file to lines ---- */

static void put_field(struct refrain_sink *out, int64_t value) {
    refrain_sink_put_char(out, ':');
    refrain_sink_put_signed(out, value);
}

/* processor:application:task:thread */
static void put_location(struct paraver_writer *paraver, size_t location) {
    put_field(paraver->prv, (int64_t)paraver->of_location[location].cpu);
    put_field(paraver->prv, 1);
    put_field(paraver->prv, (int64_t)paraver->locations.all[location].rank + 1);
    put_field(paraver->prv, (int64_t)paraver->locations.all[location].thread + 1);
}

static void put_events(struct paraver_writer *paraver, const struct record *record, const int64_t *types,
                       const int64_t *values, size_t n) {
    refrain_sink_put_char(paraver->prv, '2');
    put_location(paraver, record->location);
    put_field(paraver->prv, record->time_ns);
    for (size_t i = 0; i < n && types[i]; i++) {
        put_field(paraver->prv, types[i]);
        put_field(paraver->prv, values[i]);
    }
    refrain_sink_put_char(paraver->prv, '\n');
}

static void put_line(struct paraver_writer *paraver, const struct record *record) {
    struct refrain_sink *out = paraver->prv;
    switch ((enum record_kind)record->kind) {
    case RECORD_STATE:
        refrain_sink_put_char(out, '1');
        put_location(paraver, record->location);
        put_field(out, record->time_ns);
        put_field(out, record->state.end_ns < 0 ? paraver->end_ns : record->state.end_ns);
        put_field(out, record->state.state);
        refrain_sink_put_char(out, '\n');
        break;
    case RECORD_EVENT:
        put_events(paraver, record, record->event.types, record->event.values, 3);
        break;
    case RECORD_SEND:
    case RECORD_RECV:
        put_events(
            paraver, record,
            (const int64_t[]){record->kind == RECORD_SEND ? REFRAIN_PARAVER_LONE_DEST : REFRAIN_PARAVER_LONE_SOURCE,
                              REFRAIN_PARAVER_LONE_TAG, REFRAIN_PARAVER_LONE_BYTES},
            (const int64_t[]){record->message.peer + 1, record->message.tag, record->message.bytes}, 3);
        break;
    case RECORD_MESSAGE:
        refrain_sink_put_char(out, '3');
        put_location(paraver, record->location);
        put_field(out, record->time_ns); /* logical and physical time are the same */
        put_field(out, record->time_ns);
        put_location(paraver, (size_t)record->message.receiver);
        put_field(out, record->message.ready_ns);
        put_field(out, record->message.received_ns);
        put_field(out, record->message.bytes);
        put_field(out, record->message.tag);
        refrain_sink_put_char(out, '\n');
        break;
    }
}

/* The header: date, end, processors of each node, threads of each task with their node, communicators. */
static void put_header(struct paraver_writer *paraver) {
    const struct refrain_locations *locations = &paraver->locations;
    const struct refrain_trace *trace = paraver->trace;
    struct refrain_sink *out = paraver->prv;
    time_t start = (time_t)(trace->start_realtime_ns / 1000000000);
    struct tm date;
    gmtime_r(&start, &date);
    refrain_sink_printf(out, "#Paraver (%02d/%02d/%04d at %02d:%02d):%" PRId64 "_ns:%" PRIu32 "(", date.tm_mday,
                        date.tm_mon + 1, date.tm_year + 1900, date.tm_hour, date.tm_min, paraver->end_ns,
                        locations->n_hosts);
    for (uint32_t host = 0; host < locations->n_hosts; host++) {
        size_t cpus = 0;
        for (size_t i = 0; i < locations->n; i++)
            cpus += locations->all[i].host == host;
        refrain_sink_printf(out, "%s%zu", host ? "," : "", cpus);
    }
    refrain_sink_printf(out, "):1:%" PRId32 "(", locations->size);
    for (int32_t rank = 0; rank < locations->size; rank++) {
        size_t first = locations->first[rank],
               next = rank + 1 < locations->size ? locations->first[rank + 1] : locations->n;
        refrain_sink_printf(out, "%s%zu:%" PRIu32, rank ? "," : "", next - first, locations->all[first].host + 1);
    }
    refrain_sink_printf(out, "),%zu\n", trace->n_comms);
    for (size_t i = 0; i < trace->n_comms; i++) {
        const struct refrain_comm_info *comm = &trace->comms[i];
        refrain_sink_printf(out, "c:1:%zu:%" PRId32, i + 1, i == 1 ? 1 : comm->size + comm->remote_size);
        for (int32_t m = 0; m < (i == 1 ? 1 : comm->size); m++)
            put_field(out, (comm->members ? comm->members[m] : m) + 1);
        for (int32_t m = 0; m < comm->remote_size; m++)
            put_field(out, (comm->remote_members ? comm->remote_members[m] : m) + 1);
        refrain_sink_put_char(out, '\n');
    }
}

static bool put_lines(struct paraver_writer *paraver) {
    struct record records[256];
    uint64_t n = refrain_sink_position(paraver->spool);
    for (uint64_t at = 0; at < n && !paraver->prv->failed;) {
        size_t bytes = n - at < sizeof records ? (size_t)(n - at) : sizeof records;
        if (!refrain_sink_read(paraver->spool, at, records, bytes))
            return false;
        for (size_t i = 0; i < bytes / sizeof *records; i++)
            put_line(paraver, &records[i]);
        at += bytes;
    }
    return !paraver->prv->failed;
}

static int end(struct refrain_writer *writer) {
    struct paraver_writer *paraver = (struct paraver_writer *)writer;
    enum refrain_status status = REFRAIN_OK;
    bool whole = paraver->begun;
    if (paraver->messages && refrain_messages_no_memory(paraver->messages)) {
        status = REFRAIN_FAIL_MEMORY(paraver->error);
        whole = false;
    }
    if (whole) {
        put_header(paraver);
        whole = put_lines(paraver);
        refrain_paraver_write_pcf(paraver->pcf, paraver->trace);
        refrain_paraver_write_row(paraver->row, &paraver->locations);
        struct refrain_sink *const outs[] = {paraver->prv, paraver->pcf, paraver->row};
        for (size_t i = 0; i < 3; i++) {
            refrain_sink_flush(outs[i]); /* no file gets its name unless all are complete */
            whole = whole && !outs[i]->failed;
        }
    }
    struct refrain_sink *const sinks[] = {paraver->spool, paraver->pcf, paraver->row, paraver->prv};
    for (size_t i = 0; i < 4; i++) {
        enum refrain_status closed = refrain_sink_close(sinks[i], whole, paraver->error);
        whole = whole && !closed;
        status = status ? status : closed;
    }
    if (whole)
        refrain_omitted_warn(&paraver->omitted, "paraver");
    refrain_messages_free(paraver->messages);
    refrain_locations_free(&paraver->locations);
    free(paraver->of_location);
    free(paraver);
    return status != REFRAIN_OK || !whole;
}

/* ---- open ---- */

/* Opens a sink for a file with the name of the trace and another suffix. */
static enum refrain_status open_beside(const struct refrain_format_request *request, const char *suffix,
                                       struct refrain_sink **sink, struct refrain_error *error) {
    size_t n = strlen(request->path);
    char *path;
    if (n > 4 && strcmp(request->path + n - 4, ".prv") == 0)
        n -= 4;
    if (asprintf(&path, "%.*s%s", (int)n, request->path, suffix) < 0)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_sink_open(path, request->force, sink, error);
    free(path);
    return status;
}

static enum refrain_status open_paraver(const struct refrain_format_request *request, struct refrain_writer **writer,
                                        struct refrain_error *error) {
    *writer = NULL;
    if (!request->path || strcmp(request->path, "-") == 0)
        return REFRAIN_FAIL_USAGE(error, "paraver is three files and cannot be standard output: -o OUT.prv");
    struct paraver_writer *paraver = calloc(1, sizeof *paraver);
    if (!paraver)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = refrain_sink_open(request->path, request->force, &paraver->prv, error);
    if (!status)
        status = open_beside(request, ".pcf", &paraver->pcf, error);
    if (!status)
        status = open_beside(request, ".row", &paraver->row, error);
    if (!status)
        status = refrain_sink_open_spool(request->path, &paraver->spool, error);
    if (status) {
        struct refrain_sink *const sinks[] = {paraver->prv, paraver->pcf, paraver->row};
        for (size_t i = 0; i < 3; i++)
            if (sinks[i])
                refrain_sink_close(sinks[i], false, NULL);
        free(paraver);
        return status;
    }
    paraver->writer = (struct refrain_writer){begin, write_event, end};
    paraver->error = error;
    *writer = &paraver->writer;
    return REFRAIN_OK;
}

const struct refrain_format refrain_format_paraver = {
    .name = "paraver", .suffix = ".prv", .summary = "for Paraver, with .pcf and .row beside it", .open = open_paraver};
