/* picl_paragraph.c: writes PICL's trace file for ParaGraph (picl_records.h; section 2.5 of the description of the
 * format).
 *
 *     rank N           -> processor N
 *     MPI call         -> entry and exit of one event type: that of table 4, else system overhead (-602); states do
 *                         not overlap
 *     further messages of a call -> its state is left; after them the call is system overhead
 *
 * Sends and receives are 1:1, but only a later event shows that a send was received. So the type of a send is
 * overwritten if it was not received. A receive whose send is not in the trace becomes system overhead. Records are
 * in time order. Functions, fields of collectives, one-sided accesses and threads are omitted. */
#include "formats/file_writer.h"
#include "formats/locations.h"
#include "formats/messages.h"
#include "formats/picl_records.h"
#include "formats/warn.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define TYPE_COLUMNS 4 /* width of an event type, so that another type can overwrite it */

struct rank_state {
    bool started;
    uint32_t calls;        /* open MPI calls */
    enum picl_event state; /* of the outermost call; PICL_NO_TYPE: none */
    bool is_written;       /* the operation of the state has been written */
    uint64_t type_at;      /* position of the type of its entry */
    uint64_t match;        /* of the message that it sends */
};

struct paragraph_writer {
    struct refrain_file_writer file;
    const struct refrain_trace *trace;
    struct rank_state *ranks; /* by rank */
    struct refrain_messages *messages;
    uint64_t left_out, lone;
    int64_t end_ns;
};

/* ---- records ---- */

/* Writes a record whose type can be overwritten. Returns the position of the type. */
static uint64_t put(struct paragraph_writer *paragraph, enum picl_record record, enum picl_event type, int32_t rank,
                    const int64_t *fields, size_t n) {
    struct refrain_sink *out = paragraph->file.out;
    char start[64];
    int columns = sprintf(start, "%d ", record);
    refrain_sink_put_bytes(out, start, (size_t)columns);
    uint64_t at = refrain_sink_position(out);
    columns = sprintf(start, "%*d %" PRId64 ".%09" PRId64 " %" PRId32 " 0 %zu", TYPE_COLUMNS, type,
                      paragraph->end_ns / 1000000000, paragraph->end_ns % 1000000000, rank, n);
    refrain_sink_put_bytes(out, start, (size_t)columns);
    if (n > 0)
        refrain_picl_number(out, PICL_INTEGERS);
    for (size_t i = 0; i < n; i++)
        refrain_picl_number(out, fields[i]);
    refrain_sink_put_char(out, '\n');
    return at;
}

/* Changes the event type at `at` to system overhead; 0: no position. */
static void retype(struct paragraph_writer *paragraph, uint64_t at) {
    char type[TYPE_COLUMNS + 1];
    sprintf(type, "%*d", TYPE_COLUMNS, PICL_SYSTEM);
    if (at > 0)
        refrain_sink_patch(paragraph->file.out, at, type, TYPE_COLUMNS);
}

/* ---- states ---- */

static bool is_message_type(enum picl_event type) {
    return type == PICL_SEND || type == PICL_SEND_BEGIN || type == PICL_RECV || type == PICL_RECV_END ||
           type == PICL_PROBE_WAIT;
}

static void enter_state(struct paragraph_writer *paragraph, struct rank_state *of, int32_t rank) {
    /* A blocking receive is entered with its call: its fields are known only at its end. Other messages are entered
     * when their event comes. */
    static const int64_t any[] = {-1, -1, -1};
    bool receives = of->state == PICL_RECV;
    if (!receives && is_message_type(of->state))
        return; /* operation() enters it */
    of->type_at = put(paragraph, PICL_ENTRY, of->state, rank, any, receives ? 3 : 0);
}

/* Leaves the state. If it was about a message and none came, it becomes system overhead. */
static void leave_state(struct paragraph_writer *paragraph, struct rank_state *of, int32_t rank, const int64_t *fields,
                        size_t n) {
    if (of->type_at == 0) /* not entered: no operation came */
        of->type_at = put(paragraph, PICL_ENTRY, PICL_SYSTEM, rank, NULL, 0);
    bool lone = is_message_type(of->state) && !of->is_written;
    if (lone)
        retype(paragraph, of->type_at);
    uint64_t at = put(paragraph, PICL_EXIT, lone ? PICL_SYSTEM : of->state, rank, fields, n);
    struct refrain_message *sent = of->match && !lone ? refrain_messages_find(paragraph->messages, of->match) : NULL;
    if (sent)
        sent->at[1] = at;
    of->type_at = 0;
    of->match = 0;
}

static void send(struct paragraph_writer *paragraph, const struct refrain_event *event, uint64_t entry_at,
                 uint64_t exit_at) {
    struct refrain_message sent = {.at = {entry_at, exit_at}};
    refrain_messages_send(paragraph->messages, event, &sent);
    if (refrain_messages_find(paragraph->messages, event->match))
        return;
    retype(paragraph, entry_at); /* no rank has a trace of its receipt */
    retype(paragraph, exit_at);
    paragraph->lone++;
}

/* Writes a message in a call whose state is about another operation, or is finished. */
static void put_between(struct paragraph_writer *paragraph, struct rank_state *of, const struct refrain_event *event,
                        enum picl_event type, const int64_t *fields, size_t of_entry, size_t n) {
    bool inside = of->calls > 0 && of->type_at > 0;
    if (inside)
        leave_state(paragraph, of, event->rank, NULL, 0);
    struct refrain_message sent;
    bool lone = event->kind == REFRAIN_EVENT_RECV && !refrain_messages_receive(paragraph->messages, event, &sent);
    if (lone) {
        type = PICL_SYSTEM;
        paragraph->lone++;
    }
    uint64_t entry_at = put(paragraph, PICL_ENTRY, type, event->rank, fields, of_entry);
    uint64_t exit_at = put(paragraph, PICL_EXIT, type, event->rank, fields + of_entry, n - of_entry);
    if (event->kind == REFRAIN_EVENT_SEND)
        send(paragraph, event, entry_at, exit_at);
    if (!inside)
        return;
    of->state = PICL_SYSTEM; /* the operation of the call has been written */
    enter_state(paragraph, of, event->rank);
}

static void operation(struct paragraph_writer *paragraph, struct rank_state *of, const struct refrain_event *event) {
    enum picl_event type;
    int64_t fields[8];
    size_t of_entry, n = refrain_picl_fields(event, &type, fields, &of_entry);
    bool own = of->calls == 1 && type == of->state && !of->is_written;
    if (own && type == PICL_RECV) { /* blocking: it ends the waiting */
        struct refrain_message sent;
        of->is_written = refrain_messages_receive(paragraph->messages, event, &sent);
        paragraph->lone += !of->is_written;
        leave_state(paragraph, of, event->rank, of->is_written ? fields + of_entry : NULL,
                    of->is_written ? n - of_entry : 0);
        of->state = PICL_SYSTEM;
        enter_state(paragraph, of, event->rank);
        return;
    }
    if (own && (type == PICL_SEND || type == PICL_SEND_BEGIN) && of->type_at == 0) {
        of->is_written = true;
        of->type_at = put(paragraph, PICL_ENTRY, type, event->rank, fields, of_entry);
        of->match = event->match;
        send(paragraph, event, of->type_at, 0);
        return;
    }
    put_between(paragraph, of, event, type, fields, of_entry, n);
}

/* ---- the writer ---- */

static int begin(struct refrain_writer *writer, const struct refrain_trace *trace) {
    struct paragraph_writer *paragraph = (struct paragraph_writer *)writer;
    paragraph->trace = trace;
    paragraph->ranks = calloc((size_t)trace->size + 1, sizeof *paragraph->ranks);
    paragraph->messages = refrain_messages_make(trace);
    if (!paragraph->ranks || !paragraph->messages) {
        REFRAIN_FAIL_MEMORY(paragraph->file.error);
        return 1;
    }
    paragraph->file.begun = true;
    return 0;
}

static void start(struct paragraph_writer *paragraph, struct rank_state *of, int32_t rank) {
    of->started = true;
    put(paragraph, PICL_ENTRY, PICL_TRACING, rank, NULL, 0);
    put(paragraph, PICL_MARK, PICL_TRACE_LEVEL, rank, (const int64_t[]){1, 0, 1}, 3);
}

static int write_event(struct refrain_writer *writer, const struct refrain_event *event) {
    struct paragraph_writer *paragraph = (struct paragraph_writer *)writer;
    bool mpi = event->region->kind == REFRAIN_REGION_MPI;
    if (event->thread > 0) {
        paragraph->left_out++;
        return 0;
    }
    struct rank_state *of = &paragraph->ranks[event->rank];
    paragraph->end_ns = event->time_ns > paragraph->end_ns ? event->time_ns : paragraph->end_ns;
    if (!of->started)
        start(paragraph, of, event->rank);
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
        if (mpi && of->calls++ == 0) {
            enum picl_event type = refrain_picl_type(event->region);
            of->state = type == PICL_NO_TYPE || type == PICL_PROBE_WAIT || type == PICL_READ || type == PICL_WRITE
                            ? PICL_SYSTEM
                            : type;
            of->is_written = false;
            enter_state(paragraph, of, event->rank);
        }
        break;
    case REFRAIN_EVENT_LEAVE:
        if (mpi && of->calls > 0 && --of->calls == 0)
            leave_state(paragraph, of, event->rank, NULL, 0);
        break;
    case REFRAIN_EVENT_SEND:
    case REFRAIN_EVENT_RECV:
    case REFRAIN_EVENT_IO:
        operation(paragraph, of, event);
        break;
    default: /* the state of their call represents them */
        break;
    }
    return paragraph->file.out->failed != 0;
}

static void retype_lone(void *data, const struct refrain_message *message) {
    struct paragraph_writer *paragraph = data;
    retype(paragraph, message->at[0]);
    retype(paragraph, message->at[1]);
    paragraph->lone++;
}

static int end(struct refrain_writer *writer) {
    struct paragraph_writer *paragraph = (struct paragraph_writer *)writer;
    bool no_memory = paragraph->messages && refrain_messages_no_memory(paragraph->messages);
    for (int32_t rank = 0; paragraph->file.begun && rank < paragraph->trace->size; rank++) {
        struct rank_state *of = &paragraph->ranks[rank];
        if (of->started && of->calls > 0)
            leave_state(paragraph, of, rank, NULL, 0);
        if (of->started)
            put(paragraph, PICL_EXIT, PICL_TRACING, rank, NULL, 0);
    }
    if (paragraph->file.begun)
        refrain_messages_visit(paragraph->messages, retype_lone, paragraph);
    enum refrain_status status = refrain_file_writer_close(&paragraph->file, no_memory);
    if (!status && paragraph->left_out)
        refrain_warn("picl has no place for threads: %" PRIu64 " events of further threads are left out",
                     paragraph->left_out);
    if (!status && paragraph->lone)
        refrain_warn("ParaGraph needs both ends of a message: %" PRIu64 " single ends are written as system overhead",
                     paragraph->lone);
    refrain_messages_free(paragraph->messages);
    free(paragraph->ranks);
    free(paragraph);
    return status != REFRAIN_OK;
}

enum refrain_status refrain_picl_paragraph_open(const struct refrain_format_request *request,
                                                struct refrain_writer **writer, struct refrain_error *error) {
    static const struct refrain_format_file file = {
        sizeof(struct paragraph_writer), {begin, write_event, end}, .patchable = true};
    return refrain_file_writer_open(request, &file, writer, error);
}
