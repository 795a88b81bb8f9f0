/* write_picl.c: the format "picl" (format.h): PICL's trace file (P. H. Worley, "A New PICL Trace File Format",
 * ORNL/TM-12125, 1992; the tables and sections named below are its own).
 *
 *     rank N           -> processor N, process 0
 *     enter, leave     -> entry and exit (-3, -4) of a user event: the number of its region, which a label names
 *     marker, counter  -> a mark (-2) of a user event; with the value
 *     send, receive,   -> entry and exit of the event type of table 4, inside the call's user event, with the
 *     barrier,            fields of tables 7 to 10; a mark where a call has more than one
 *     file access
 *     collective       -> user-defined record 0: root, bytes sent, bytes received, communicator
 *     one-sided access -> user-defined record 1: target, bytes, window
 *     begin and end    -> entry and exit of tracing (-901), with what is traced (-902, -904), and statistics at the end
 *
 * In front of all of them is the header (picl_header.c). The compact form has numbers for the formats of fields and
 * leaves out fields at the end that say nothing; the verbose one has all fields and their formats as scanf takes them.
 * The levels of tracing say which event records there are beside the statistics: of table 4, of user events, of
 * tracing.
 *
 * Times are seconds. Records come in the order of time: what an entry says of its message is known only with the event
 * after it, so the entry waits for that as long as the time stays the same. */
#include "event_names.h"
#include "file_writer.h"
#include "picl_statistics.h"
#include "trace_read.h"
#include "warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

struct rank_state {
    bool started;
    uint32_t calls;        /* MPI calls it is in */
    enum picl_event state; /* of the outermost of them, PICL_NO_TYPE: none */
    int64_t start_ns, enter_ns;
    bool waits;       /* the entry to the state is not written yet */
    bool has_message; /* of the state: known, and written at its entry (sends) or to be written at its exit */
    struct refrain_event message;
    uint64_t written; /* bytes of its records */
    struct refrain_picl_statistics *statistics;
};

struct picl_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    bool verbose;
    struct refrain_picl_levels levels;
    uint64_t thread_events;
    struct refrain_omitted omitted;
    struct rank_state *ranks; /* by rank */
    int32_t *waiting;         /* ranks whose entry waits */
    int32_t n_waiting;
    int64_t waiting_ns; /* their time */
    int64_t end_ns;
};

/* ---- records ---- */

static void put(struct picl_writer *picl, int64_t record, int64_t type, int64_t time_ns, int32_t rank,
                const int64_t *fields, size_t n) {
    uint64_t from = refrain_sink_position(picl->file.out);
    refrain_picl_put(picl->file.out, record, type, time_ns, rank, fields, n, picl->verbose);
    picl->ranks[rank].written += refrain_sink_position(picl->file.out) - from;
}

/* A record of an event type of table 4, with those of its fields that the form has. */
static void put_system(struct picl_writer *picl, enum picl_record record, enum picl_event type, int64_t time_ns,
                       int32_t rank, const int64_t *fields, size_t n) {
    if (picl->levels.system)
        put(picl, record, type, time_ns, rank, fields, picl->verbose ? n : refrain_picl_telling(fields, n));
}

static void put_user(struct picl_writer *picl, int64_t record, const struct refrain_event *event, const int64_t *fields,
                     size_t n) {
    if (picl->levels.user)
        put(picl, record, event->region->index, event->time_ns, event->rank, fields, n);
}

static void put_mark(struct picl_writer *picl, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry, n = refrain_picl_fields(event, &type, fields, &of_entry);
    size_t of_exit = picl->verbose ? n - of_entry : refrain_picl_telling(fields + of_entry, n - of_entry);
    if (n == of_entry && !picl->verbose)
        of_entry = refrain_picl_telling(fields, n);
    if (picl->levels.system)
        put(picl, PICL_MARK, type, event->time_ns, event->rank, fields, of_entry + of_exit);
    refrain_picl_count(picl->ranks[event->rank].statistics, type, event->bytes, 0);
}

/* ---- states ---- */

/* Whether the operation is what the state is about. */
static bool belongs(const struct rank_state *of, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry;
    if (of->calls != 1 || of->has_message || of->state == PICL_NO_TYPE)
        return false;
    refrain_picl_fields(event, &type, fields, &of_entry);
    return type == of->state;
}

/* Writes the entry to a state that waited, with what has come to be known of it. */
static void put_entry(struct picl_writer *picl, int32_t rank) {
    struct rank_state *of = &picl->ranks[rank];
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry = 0;
    if (of->has_message)
        refrain_picl_fields(&of->message, &type, fields, &of_entry);
    of->waits = false;
    put_system(picl, PICL_ENTRY, of->state, of->enter_ns, rank, fields, of_entry);
}

static void put_waiting(struct picl_writer *picl) {
    for (int32_t i = 0; i < picl->n_waiting; i++)
        if (picl->ranks[picl->waiting[i]].waits)
            put_entry(picl, picl->waiting[i]);
    picl->n_waiting = 0;
}

static void enter(struct picl_writer *picl, struct rank_state *of, const struct refrain_event *event) {
    put_user(picl, PICL_ENTRY, event, NULL, 0);
    refrain_picl_count_enter(of->statistics, event->region, event->time_ns);
    if (event->region->kind != REFRAIN_REGION_MPI || of->calls++ > 0)
        return;
    of->state = refrain_picl_type(event->region);
    of->enter_ns = event->time_ns;
    of->has_message = false;
    if (of->state == PICL_NO_TYPE)
        return;
    of->waits = true;
    picl->waiting[picl->n_waiting++] = event->rank;
    picl->waiting_ns = event->time_ns;
}

static void leave(struct picl_writer *picl, struct rank_state *of, const struct refrain_event *event) {
    if (event->region->kind == REFRAIN_REGION_MPI && of->calls > 0 && --of->calls == 0 && of->state != PICL_NO_TYPE) {
        enum picl_event type;
        int64_t fields[8];
        size_t of_entry = 0, n = of->has_message ? refrain_picl_fields(&of->message, &type, fields, &of_entry) : 0;
        put_system(picl, PICL_EXIT, of->state, event->time_ns, event->rank, fields + of_entry, n - of_entry);
        refrain_picl_count(of->statistics, of->state, of->has_message && of->state != PICL_SYNC ? of->message.bytes : 0,
                           event->time_ns - of->enter_ns);
        of->state = PICL_NO_TYPE;
    }
    put_user(picl, PICL_EXIT, event, NULL, 0);
    refrain_picl_count_leave(of->statistics, event->region, event->time_ns);
}

/* An operation becomes part of its call's state where that is about it, and its entry or exit can still say so. */
static void operation(struct picl_writer *picl, struct rank_state *of, const struct refrain_event *event) {
    if (belongs(of, event) && (of->waits || event->kind == REFRAIN_EVENT_RECV)) {
        of->has_message = true;
        of->message = *event;
        if (of->waits)
            put_entry(picl, event->rank);
        return;
    }
    if (event->kind != REFRAIN_EVENT_COLLECTIVE)
        put_mark(picl, event);
}

/* ---- the writer ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    picl->trace = trace;
    picl->ranks = calloc((size_t)trace->size + 1, sizeof *picl->ranks);
    picl->waiting = calloc((size_t)trace->size + 1, sizeof *picl->waiting);
    bool complete = picl->ranks && picl->waiting;
    for (int32_t rank = 0; complete && rank < trace->size; rank++)
        complete = (picl->ranks[rank].statistics = refrain_picl_statistics_make(trace)) != NULL;
    if (!complete || !refrain_picl_header(picl->file.out, trace, picl->verbose)) {
        REFRAIN_FAIL_MEMORY(picl->file.error);
        return 1;
    }
    picl->file.begun = true;
    return picl->file.out->failed != 0;
}

/* The first records of a processor: tracing begins, with so many user events that are profiled, on these levels. */
static void start(struct picl_writer *picl, struct rank_state *of, int32_t rank, int64_t time_ns) {
    of->started = true;
    of->start_ns = time_ns;
    put(picl, PICL_ENTRY, PICL_TRACING, time_ns, rank, NULL, 0);
    if (!picl->levels.tracing)
        return;
    put(picl, PICL_ENTRY, PICL_TRACE_EVENTS, time_ns, rank, (int64_t[]){(int64_t)picl->trace->n_regions}, 1);
    put(picl, PICL_EXIT, PICL_TRACE_EVENTS, time_ns, rank, NULL, 0);
    put(picl, PICL_MARK, PICL_TRACE_LEVEL, time_ns, rank, (int64_t[]){picl->levels.system, picl->levels.user, 1}, 3);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *given) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    struct refrain_event event = *given;
    if (event.thread > 0) {
        picl->thread_events++;
        return 0;
    }
    struct rank_state *of = &picl->ranks[event.rank];
    event.time_ns = event.time_ns < picl->end_ns ? picl->end_ns : event.time_ns;
    picl->end_ns = event.time_ns;
    if (picl->n_waiting > 0 && (event.time_ns > picl->waiting_ns || picl->n_waiting == picl->trace->size))
        put_waiting(picl);
    if (!of->started)
        start(picl, of, event.rank, event.time_ns);
    if (of->waits && (event.kind == REFRAIN_EVENT_ENTER || event.kind == REFRAIN_EVENT_LEAVE))
        put_entry(picl, event.rank);
    switch (event.kind) {
    case REFRAIN_EVENT_ENTER:
        enter(picl, of, &event);
        break;
    case REFRAIN_EVENT_LEAVE:
        leave(picl, of, &event);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
    case REFRAIN_EVENT_RECV_POST:
    case REFRAIN_EVENT_SEND_COMPLETE:
    case REFRAIN_EVENT_IO:
        operation(picl, of, &event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        operation(picl, of, &event); /* a barrier is a state as well */
        put_user(picl, PICL_RECORD_COLLECTIVE, &event,
                 (int64_t[]){event.peer, event.bytes, event.received, event.comm ? (int64_t)event.comm->index : -1,
                             event.request},
                 event.request < 0 ? 4 : 5);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
    case REFRAIN_EVENT_CANCEL:
        put_user(picl, event.kind == REFRAIN_EVENT_CANCEL ? PICL_RECORD_CANCEL : PICL_RECORD_COMPLETE, &event,
                 (int64_t[]){event.request, event.comm ? (int64_t)event.comm->index : -1}, 2);
        break;
    case REFRAIN_EVENT_RMA:
        put_user(picl, PICL_RECORD_RMA, &event, (int64_t[]){event.peer, event.bytes, event.tag}, 3);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        put_user(picl, PICL_MARK, &event, &event.value, event.kind == REFRAIN_EVENT_COUNTER);
        refrain_picl_count_mark(of->statistics, event.region);
        break;
    default:
        picl->omitted.kinds[event.kind]++;
        break;
    }
    return picl->file.out->failed != 0;
}

/* ---- end ---- */

static int end(struct refrain_writer *writer) {
    struct picl_writer *picl = (struct picl_writer *)writer;
    bool no_memory = false;
    if (picl->file.begun)
        put_waiting(picl);
    for (int32_t rank = 0; picl->file.begun && rank < picl->trace->size; rank++) {
        const struct rank_state *of = &picl->ranks[rank];
        if (of->started)
            refrain_picl_put_statistics(of->statistics, picl->file.out, rank, of->start_ns, picl->end_ns, of->written,
                                        picl->verbose);
        no_memory |= refrain_picl_statistics_no_memory(of->statistics);
    }
    for (int32_t rank = 0; picl->file.begun && rank < picl->trace->size; rank++)
        if (picl->ranks[rank].started)
            put(picl, PICL_EXIT, PICL_TRACING, picl->end_ns, rank, NULL, 0);
    enum refrain_status status = refrain_file_writer_close(&picl->file, no_memory);
    if (!status && picl->thread_events)
        refrain_warn("picl has no place for threads: %" PRIu64 " events of further threads are left out",
                     picl->thread_events);
    if (!status)
        refrain_omitted_say(&picl->omitted);
    for (int32_t rank = 0; picl->ranks && rank < picl->trace->size; rank++)
        refrain_picl_statistics_free(picl->ranks[rank].statistics);
    free(picl->ranks);
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
    if (*writer) {
        struct picl_writer *picl = (struct picl_writer *)*writer;
        picl->verbose = request->picl_verbose;
        picl->levels = request->picl_levels;
        picl->omitted.format = "picl";
    }
    return status;
}

const struct refrain_format refrain_format_picl = {.name = "picl",
                                                   .suffix = ".trf",
                                                   .summary = "PICL's text records, for ParaGraph",
                                                   .by_order = true,
                                                   .open = open_picl};
