/* write_picl.c: the format "picl" (format.h): PICL's trace file (P. H. Worley, "A New PICL Trace File Format",
 * ORNL/TM-12125, 1992, which has the tables and sections named below).
 *
 *     rank N, thread t -> processor N, process t
 *     enter, leave     -> entry and exit (-3, -4) of a user event: the number of its region, which a label names
 *     marker, counter  -> a mark (-2) of a user event; with the value
 *     send, receive,   -> entry and exit of the event type of table 4, inside the user event of the call, with the
 *     barrier,            fields of tables 7 to 10; further ones in the same call are marks
 *     file access
 *     file opened,     -> a mark of its event type; only a mark can have the name of the file
 *     file closed
 *     collective       -> user-defined record 0: root, bytes sent, bytes received, communicator
 *     one-sided access -> user-defined record 1: target, bytes, window
 *     begin and end    -> entry and exit of tracing (-901), with its levels (-902, -904), and statistics at the end
 *
 * The file begins with the header (picl_header.c). The compact form has numbers for the formats of fields, and omits
 * fields at the end without information. The verbose form has all fields, and their formats as scanf takes them. The
 * levels of tracing say which event records there are besides the statistics: of table 4, of user events, of
 * tracing.
 *
 * A receive waited if its message was sent after the call began. The completion of a send waited if its message
 * arrived during the completing call. Their types are -52, -61 and -31. If it is known that they did not wait, the
 * types are -51, -60 or -30.
 *
 * Times are seconds. Records are in time order. The message of an entry is known only with the next event, so the
 * entry is held until the time changes. If the type is known only at the end, it is overwritten. */
#include "formats/event_names.h"
#include "formats/file_writer.h"
#include "formats/picl_requests.h"
#include "formats/picl_statistics.h"
#include "formats/warn.h"
#include "model/mpi_call.h"
#include "model/trace_read.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct location_state {
    struct refrain_picl_location location;
    bool started;
    uint32_t calls;        /* open MPI calls */
    enum picl_event state; /* of the outermost call, PICL_NO_TYPE: none */
    int64_t start_ns, enter_ns;
    uint64_t type_at; /* position of the last digit of the type of the entry; 0: not written */
    bool held;        /* the entry of the state is held */
    bool completes;   /* the outermost call has completed a request */
    struct refrain_picl_requests requests;
    bool has_message; /* the message of the state is known; it is written at its entry (sends) or exit (receives) */
    struct refrain_event message;
    uint64_t written; /* bytes of its records */
    struct refrain_picl_statistics *statistics;
};

struct picl_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    bool verbose;
    struct refrain_picl_levels levels;
    struct refrain_omitted omitted;
    struct refrain_locations locations;
    struct location_state *states; /* by location */
    size_t *held;                  /* locations whose entry is held */
    size_t n_held;
    int64_t held_ns; /* time of the held entries */
    int64_t end_ns;
};

/* ---- records ---- */

static void put(struct picl_writer *picl, struct location_state *of, int64_t record, int64_t type, int64_t time_ns,
                const int64_t *fields, size_t n) {
    uint64_t from = refrain_sink_position(picl->file.out);
    refrain_picl_put(picl->file.out, record, type, time_ns, of->location, fields, n, picl->verbose);
    of->written += refrain_sink_position(picl->file.out) - from;
}

/* Writes a record of an event type of table 4, with the fields that the form has. */
static void put_system(struct picl_writer *picl, struct location_state *of, enum picl_record record,
                       enum picl_event type, int64_t time_ns, const int64_t *fields, size_t n) {
    if (picl->levels.system)
        put(picl, of, record, type, time_ns, fields, picl->verbose ? n : refrain_picl_needed(fields, n));
}

static void put_user(struct picl_writer *picl, struct location_state *of, int64_t record,
                     const struct refrain_event *event, const int64_t *fields, size_t n) {
    if (picl->levels.user)
        put(picl, of, record, event->region->index, event->time_ns, fields, n);
}

/* The event type of an operation, given whether the call had to wait for it. */
static enum picl_event type_after(enum picl_event type, bool waited) {
    return waited ? type : refrain_picl_unwaited(type);
}

static void put_mark(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event,
                     bool waited) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry, n = refrain_picl_fields(event, &type, fields, &of_entry);
    size_t of_exit = picl->verbose ? n - of_entry : refrain_picl_needed(fields + of_entry, n - of_entry);
    if (n == of_entry && !picl->verbose)
        of_entry = refrain_picl_needed(fields, n);
    type = type_after(type, waited);
    if (picl->levels.system)
        put(picl, of, PICL_MARK, type, event->time_ns, fields, of_entry + of_exit);
    refrain_picl_count(of->statistics, type, event->bytes, 0);
}

/* Writes the opening or closing of a file. False for other events. */
static bool put_file(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    bool opens = kind == REFRAIN_MPI_FILE_OPEN;
    uint64_t from = refrain_sink_position(picl->file.out);
    if (!opens && kind != REFRAIN_MPI_FILE_CLOSE)
        return false;
    refrain_picl_count(of->statistics, opens ? PICL_FILE_OPEN : PICL_FILE_CLOSE, 0, 0);
    if (opens && picl->levels.system) {
        refrain_picl_put_open(picl->file.out, event->time_ns, of->location, refrain_event_file_name(picl->trace, event),
                              event->tag);
        of->written += refrain_sink_position(picl->file.out) - from;
    } else if (picl->levels.system) {
        put(picl, of, PICL_MARK, PICL_FILE_CLOSE, event->time_ns, &event->tag, 1);
    }
    return true;
}

/* ---- states ---- */

/* True if the operation is the one of the state. */
static bool belongs(const struct location_state *of, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry;
    if (of->calls != 1 || of->has_message || of->state == PICL_NO_TYPE)
        return false;
    refrain_picl_fields(event, &type, fields, &of_entry);
    return type == of->state;
}

/* True if the call waited for the received message, or if the send of the message is unknown. */
static bool waited_for(const struct location_state *of, const struct refrain_event *receive) {
    return !receive->match || receive->match_time_ns > of->enter_ns;
}

/* Writes the held entry of a state, with the facts that are known by now. */
static void put_entry(struct picl_writer *picl, struct location_state *of) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry = 0;
    if (of->has_message)
        refrain_picl_fields(&of->message, &type, fields, &of_entry);
    of->held = false;
    of->type_at = refrain_sink_position(picl->file.out) + strlen("-3 -5");
    put_system(picl, of, PICL_ENTRY, of->state, of->enter_ns, fields, of_entry);
}

/* Changes the state: a receive whose message was there already. */
static void retype_receive(struct picl_writer *picl, struct location_state *of) {
    of->state = PICL_RECV_THERE;
    if (!of->held && picl->levels.system)
        refrain_sink_patch(picl->file.out, of->type_at, "1", 1);
}

static void put_held(struct picl_writer *picl) {
    for (size_t i = 0; i < picl->n_held; i++)
        if (picl->states[picl->held[i]].held)
            put_entry(picl, &picl->states[picl->held[i]]);
    picl->n_held = 0;
}

static void enter(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    put_user(picl, of, PICL_ENTRY, event, NULL, 0);
    refrain_picl_count_enter(of->statistics, event->region, event->time_ns);
    if (event->region->kind != REFRAIN_REGION_MPI || of->calls++ > 0)
        return;
    of->state = refrain_picl_type(event->region);
    of->enter_ns = event->time_ns;
    of->has_message = of->completes = false;
    if (of->state == PICL_FILE_OPEN || of->state == PICL_FILE_CLOSE)
        of->state = PICL_NO_TYPE; /* a mark, as soon as the file is known */
    if (of->state == PICL_NO_TYPE)
        return;
    of->held = true;
    picl->held[picl->n_held++] = (size_t)(of - picl->states);
    picl->held_ns = event->time_ns;
}

/* Polls have no records, but are counted: those of incomplete requests if only sends or only receives are pending.
 * Results of probes are unknown. */
static void count_poll(struct location_state *of, const struct refrain_region_info *region) {
    static const enum picl_event missed[] = {PICL_RECV_MISSED, PICL_SEND_MISSED};
    const struct refrain_picl_requests *requests = &of->requests;
    bool sends = requests->n_sends > 0, receives = requests->n_sends < requests->n;
    enum refrain_mpi_kind kind = refrain_mpi_kind(region);
    if (kind == REFRAIN_MPI_IPROBE) {
        refrain_picl_count_unknown(of->statistics, PICL_PROBE_FOUND);
        refrain_picl_count_unknown(of->statistics, PICL_PROBE_MISSED);
    } else if (kind == REFRAIN_MPI_TEST && !of->completes && sends != receives) {
        refrain_picl_count(of->statistics, missed[sends], 0, 0);
    } else if (kind == REFRAIN_MPI_TEST && !of->completes && sends) {
        refrain_picl_count_unknown(of->statistics, PICL_SEND_MISSED);
        refrain_picl_count_unknown(of->statistics, PICL_RECV_MISSED);
    }
}

static void leave_call(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry = 0, n = of->has_message ? refrain_picl_fields(&of->message, &type, fields, &of_entry) : 0;
    if (of->state == PICL_NO_TYPE) {
        count_poll(of, event->region);
        return;
    }
    put_system(picl, of, PICL_EXIT, of->state, event->time_ns, fields + of_entry, n - of_entry);
    refrain_picl_count(of->statistics, of->state, of->has_message && of->state != PICL_SYNC ? of->message.bytes : 0,
                       event->time_ns - of->enter_ns);
    of->state = PICL_NO_TYPE;
}

static void leave(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    if (event->region->kind == REFRAIN_REGION_MPI && of->calls > 0 && --of->calls == 0)
        leave_call(picl, of, event);
    put_user(picl, of, PICL_EXIT, event, NULL, 0);
    refrain_picl_count_leave(of->statistics, event->region, event->time_ns);
}

/* Follows begins and ends of requests. True if the call had to wait for the completion in this event. */
static bool follow_requests(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    int64_t arrived_ns;
    switch (event->kind) {
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV_POST:
        if (event->request >= 0)
            refrain_picl_requests_begin(&of->requests, event);
        return true;
    case REFRAIN_EVENT_RECV:
        of->completes = true;
        if (event->match && event->peer >= 0)
            refrain_picl_requests_arrive(
                &picl->states[picl->locations.first[event->peer] + event->match_thread].requests, event->match,
                event->time_ns);
        if (event->request >= 0)
            refrain_picl_requests_end(&of->requests, event->request);
        return waited_for(of, event);
    default:
        of->completes = true;
        arrived_ns = event->request >= 0 ? refrain_picl_requests_end(&of->requests, event->request) : INT64_MAX;
        return arrived_ns > of->enter_ns;
    }
}

/* Makes an operation part of the state of its call if it is the one of the state and its entry or exit is not
 * written. Else writes a mark. */
static void operation(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event,
                      bool waited) {
    if (belongs(of, event) && (of->held || event->kind == REFRAIN_EVENT_RECV)) {
        of->has_message = true;
        of->message = *event;
        if (of->state == PICL_RECV && !waited)
            retype_receive(picl, of);
        if (of->held)
            put_entry(picl, of);
        return;
    }
    if (event->kind != REFRAIN_EVENT_COLLECTIVE)
        put_mark(picl, of, event, waited);
}

/* ---- the writer ---- */

static bool make_states(struct picl_writer *picl, const struct refrain_trace *trace) {
    if (!refrain_locations_make(&picl->locations, trace))
        return false;
    picl->states = calloc(picl->locations.n + 1, sizeof *picl->states);
    picl->held = calloc(picl->locations.n + 1, sizeof *picl->held);
    bool made = picl->states && picl->held;
    for (size_t i = 0; made && i < picl->locations.n; i++) {
        const struct refrain_location *location = &picl->locations.all[i];
        picl->states[i].location = (struct refrain_picl_location){location->rank, location->thread};
        made = (picl->states[i].statistics = refrain_picl_statistics_make(trace)) != NULL;
    }
    return made;
}

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    picl->trace = trace;
    if (!make_states(picl, trace) || !refrain_picl_header(picl->file.out, trace, &picl->locations, picl->verbose)) {
        REFRAIN_FAIL_MEMORY(picl->file.error);
        return 1;
    }
    picl->file.begun = true;
    return picl->file.out->failed != 0;
}

/* The first records of a process: tracing begins, with the number of profiled user events, and its levels. */
static void start(struct picl_writer *picl, struct location_state *of, int64_t time_ns) {
    of->started = true;
    of->start_ns = time_ns;
    put(picl, of, PICL_ENTRY, PICL_TRACING, time_ns, NULL, 0);
    if (!picl->levels.tracing)
        return;
    put(picl, of, PICL_ENTRY, PICL_TRACE_EVENTS, time_ns, (int64_t[]){(int64_t)picl->trace->n_regions}, 1);
    put(picl, of, PICL_EXIT, PICL_TRACE_EVENTS, time_ns, NULL, 0);
    put(picl, of, PICL_MARK, PICL_TRACE_LEVEL, time_ns, (int64_t[]){picl->levels.system, picl->levels.user, 1}, 3);
}

static void put_collective(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    operation(picl, of, event, true); /* a barrier is a state as well */
    put_user(picl, of, PICL_RECORD_COLLECTIVE, event,
             (int64_t[]){event->peer, event->bytes, event->received, event->comm ? (int64_t)event->comm->index : -1,
                         event->request},
             event->request < 0 ? 4 : 5);
}

static void put_event(struct picl_writer *picl, struct location_state *of, const struct refrain_event *event) {
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        enter(picl, of, event);
        break;
    case REFRAIN_EVENT_LEAVE:
        leave(picl, of, event);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_SEND_COMPLETE:
        operation(picl, of, event, follow_requests(picl, of, event));
        break;
    case REFRAIN_EVENT_IO:
        operation(picl, of, event, true);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        put_collective(picl, of, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
    case REFRAIN_EVENT_CANCEL:
        follow_requests(picl, of, event);
        put_user(picl, of, event->kind == REFRAIN_EVENT_CANCEL ? PICL_RECORD_CANCEL : PICL_RECORD_COMPLETE, event,
                 (int64_t[]){event->request, event->comm ? (int64_t)event->comm->index : -1}, 2);
        break;
    case REFRAIN_EVENT_RMA:
        put_user(picl, of, PICL_RECORD_RMA, event, (int64_t[]){event->peer, event->bytes, event->tag}, 3);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        put_user(picl, of, PICL_MARK, event, &event->value, event->kind == REFRAIN_EVENT_COUNTER);
        refrain_picl_count_mark(of->statistics, event->region);
        break;
    case REFRAIN_EVENT_FILE:
        picl->omitted.kinds[event->kind] += !put_file(picl, of, event);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        of->completes = true;
        picl->omitted.kinds[event->kind]++;
        break;
    default:
        picl->omitted.kinds[event->kind]++;
        break;
    }
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *given) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    struct refrain_event event = *given;
    struct location_state *of = &picl->states[refrain_locations_of(&picl->locations, given)];
    event.time_ns = event.time_ns < picl->end_ns ? picl->end_ns : event.time_ns;
    picl->end_ns = event.time_ns;
    if (picl->n_held > 0 && (event.time_ns > picl->held_ns || picl->n_held == picl->locations.n))
        put_held(picl);
    if (!of->started)
        start(picl, of, event.time_ns);
    if (of->held && (event.kind == REFRAIN_EVENT_ENTER || event.kind == REFRAIN_EVENT_LEAVE))
        put_entry(picl, of);
    put_event(picl, of, &event);
    return picl->file.out->failed != 0;
}

/* ---- end ---- */

/* Writes all statistics, then the ends of tracing. True if memory ran out. */
static bool finish(struct picl_writer *picl) {
    bool no_memory = false;
    put_held(picl);
    for (size_t i = 0; i < picl->locations.n; i++) {
        const struct location_state *of = &picl->states[i];
        if (of->started)
            refrain_picl_put_statistics(of->statistics, picl->file.out, of->location, of->start_ns, picl->end_ns,
                                        of->written, picl->verbose);
        no_memory |= refrain_picl_statistics_no_memory(of->statistics) || of->requests.no_memory;
    }
    for (size_t i = 0; i < picl->locations.n; i++)
        if (picl->states[i].started)
            put(picl, &picl->states[i], PICL_EXIT, PICL_TRACING, picl->end_ns, NULL, 0);
    return no_memory;
}

static int end(struct refrain_writer *writer) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    enum refrain_status status = refrain_file_writer_close(&picl->file, picl->file.begun && finish(picl));
    if (!status)
        refrain_omitted_warn(&picl->omitted, "picl");
    for (size_t i = 0; picl->states && i < picl->locations.n; i++) {
        refrain_picl_statistics_free(picl->states[i].statistics);
        refrain_picl_requests_free(&picl->states[i].requests);
    }
    refrain_locations_free(&picl->locations);
    free(picl->states);
    free(picl->held);
    free(picl);
    return status != REFRAIN_OK;
}

static enum refrain_status open_picl(const struct refrain_format_request *request, struct refrain_writer **writer,
                                     struct refrain_error *error) {
    static const struct refrain_format_file file = {
        sizeof(struct picl_writer), {begin, write_event, end}, .patchable = true};
    if (request->paragraph)
        return refrain_picl_paragraph_open(request, writer, error);
    enum refrain_status status = refrain_file_writer_open(request, &file, writer, error);
    if (*writer) {
        struct picl_writer *picl = (struct picl_writer *)*writer;
        picl->verbose = request->picl_verbose;
        picl->levels = request->picl_levels;
    }
    return status;
}

const struct refrain_format refrain_format_picl = {.name = "picl",
                                                   .suffix = ".trf",
                                                   .summary = "PICL's text records, for ParaGraph",
                                                   .by_order = true,
                                                   .open = open_picl};
