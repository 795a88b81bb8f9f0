/* import_events.c: converts events of another tool to records (import_parts.h). */
#include "import/import_parts.h"
#include "model/mpi_call.h"
#include <refrain/settings.h>

#include <stdlib.h>
#include <string.h>

static void put_operation(struct refrain_import *import, const struct refrain_import_event *event,
                          enum refrain_operation operation, const int64_t *parameters, unsigned n) {
    refrain_import_put(import, event, REFRAIN_RECORD_OPERATION, operation, parameters, n);
}

/* ---- requests ---- */

/* A pending request, with the number that the reader of the trace will give it. */
struct request {
    bool taken;
    int64_t name;       /* its number in the other tool */
    uint64_t record_at; /* position of the record that posted it */
    enum refrain_operation operation;
};

static void forget(struct refrain_import_location *location, struct request *request) {
    refrain_table_remove(&location->names, (uint64_t)request->name, 0);
    refrain_requests_give(&location->requests, request);
}

static struct request *request_of(struct refrain_import_location *location, int64_t number) {
    uintptr_t named = refrain_table_number(&location->names, (uint64_t)number, 0);
    return named ? refrain_requests_at(&location->requests, (int64_t)named - 1) : NULL;
}

/* Writes an operation that posts a request. */
static void put_request(struct refrain_import *import, struct refrain_import_location *location,
                        const struct refrain_import_event *event, enum refrain_operation operation,
                        const int64_t *parameters, unsigned n) {
    uint64_t at = refrain_import_put(import, event, REFRAIN_RECORD_OPERATION, operation, parameters, n);
    struct request *request = refrain_requests_take(&location->requests);
    /* If an earlier request with this number never completed, it stays pending. */
    if (!request || !refrain_table_put(&location->names, (uint64_t)event->request, 0,
                                       (uintptr_t)refrain_requests_number(&location->requests, request) + 1)) {
        import->no_memory = true;
        return;
    }
    request->name = event->request;
    request->record_at = at;
    request->operation = operation;
}

static void complete(struct refrain_import *import, struct refrain_import_location *location,
                     const struct refrain_import_event *event, enum refrain_operation operation) {
    struct request *request = request_of(location, event->request);
    int64_t other[] = {operation, refrain_import_comm_number(import, event)};
    if (!request) { /* posted by another thread */
        put_operation(import, event, REFRAIN_OP_COMPLETE_OTHER, other, 2);
        return;
    }
    int64_t completion[] = {refrain_requests_number(&location->requests, request), event->bytes};
    put_operation(import, event, REFRAIN_OP_COMPLETE, completion, request->operation == REFRAIN_OP_IO_REQUEST ? 2 : 1);
    forget(location, request);
}

static void receive(struct refrain_import *import, struct refrain_import_location *location,
                    const struct refrain_import_event *event) {
    struct request *request = event->request < 0 ? NULL : request_of(location, event->request);
    int64_t parameters[] = {refrain_import_rank_in(import, event, event->peer), event->tag, event->bytes,
                            refrain_import_comm_number(import, event)};
    if (!request || request->operation != REFRAIN_OP_IRECV) {
        put_operation(import, event, REFRAIN_OP_RECV, parameters, 4);
        return;
    }
    refrain_import_amend(import, event->rank, request->record_at, 0, refrain_import_comm_number(import, event));
    int64_t completion[] = {refrain_requests_number(&location->requests, request), parameters[0], parameters[1],
                            parameters[2]};
    put_operation(import, event, REFRAIN_OP_COMPLETE, completion, 4);
    forget(location, request);
}

static void cancel(struct refrain_import *import, struct refrain_import_location *location,
                   const struct refrain_import_event *event) {
    struct request *request = request_of(location, event->request);
    if (!request)
        return;
    int64_t number = refrain_requests_number(&location->requests, request);
    put_operation(import, event, REFRAIN_OP_CANCELLED, &number, 1);
    forget(location, request);
}

/* ---- events ---- */

/* The location of the event; null if this is its first event. */
static struct refrain_import_location *known_location(const struct refrain_import *import,
                                                      const struct refrain_import_event *event) {
    const struct refrain_import_rank *rank = &import->ranks[event->rank];
    return event->thread < rank->n_threads ? &rank->threads[event->thread] : NULL;
}

/* The location of the event, added if it is new. Null without memory. */
static struct refrain_import_location *location_of(struct refrain_import *import,
                                                   const struct refrain_import_event *event) {
    struct refrain_import_rank *rank = &import->ranks[event->rank];
    if (event->thread < rank->n_threads)
        return &rank->threads[event->thread];
    struct refrain_import_location *threads = realloc(rank->threads, (event->thread + 1) * sizeof *threads);
    if (!threads) {
        import->no_memory = true;
        return NULL;
    }
    memset(threads + rank->n_threads, 0, (event->thread + 1 - rank->n_threads) * sizeof *threads);
    for (uint32_t i = rank->n_threads; i <= event->thread; i++)
        threads[i].requests.entry_bytes = sizeof(struct request);
    rank->threads = threads;
    rank->n_threads = event->thread + 1;
    return &threads[event->thread];
}

static enum refrain_record_kind record_kind(const struct refrain_import *import,
                                            const struct refrain_import_event *event) {
    bool enters = event->kind == REFRAIN_EVENT_ENTER;
    switch (refrain_import_region_kind(import, event->region)) {
    case REFRAIN_REGION_MPI:
    case REFRAIN_REGION_IO:
        return enters ? REFRAIN_RECORD_CALL_ENTER : REFRAIN_RECORD_CALL_LEAVE;
    case REFRAIN_REGION_USER:
        return enters ? REFRAIN_RECORD_REGION_ENTER : REFRAIN_RECORD_REGION_LEAVE;
    default:
        return enters ? REFRAIN_RECORD_ENTER : REFRAIN_RECORD_LEAVE;
    }
}

static int64_t object_of(struct refrain_import *import, const struct refrain_import_event *event,
                         enum refrain_object_kind kind) {
    int64_t number = refrain_import_object(&import->ranks[event->rank].objects, kind,
                                           refrain_import_comm_number(import, event), event->tag, event->name);
    import->no_memory |= number < -1;
    return number;
}

static void add_window(struct refrain_import *import, struct refrain_import_location *location,
                       const struct refrain_import_event *event) {
    const int64_t number = object_of(import, event, REFRAIN_OBJECT_WINDOW),
                  access[] = {event->peer, event->bytes, number}, use[] = {event->peer, event->value, number};
    if (event->kind == REFRAIN_EVENT_WINDOW)
        put_operation(import, event, REFRAIN_OP_WINDOW, use, 3);
    else if (event->request < 0)
        put_operation(import, event, REFRAIN_OP_RMA, access, 3);
    else
        put_request(import, location, event, REFRAIN_OP_RMA_REQUEST, access, 3);
}

static void add_file(struct refrain_import *import, struct refrain_import_location *location,
                     const struct refrain_import_event *event) {
    const int64_t number = object_of(import, event, REFRAIN_OBJECT_FILE), access[] = {event->bytes, number},
                  use[] = {event->value, number}, seek[] = {event->value, event->bytes, event->received, number};
    if (event->kind == REFRAIN_EVENT_FILE)
        put_operation(import, event, REFRAIN_OP_FILE, use, 2);
    else if (event->kind == REFRAIN_EVENT_MOVED)
        put_operation(import, event, REFRAIN_OP_MOVED, access, 2);
    else if (event->kind == REFRAIN_EVENT_SEEK)
        put_operation(import, event, REFRAIN_OP_SEEK, seek, 4);
    else if (event->request < 0)
        put_operation(import, event, REFRAIN_OP_IO, access, 2);
    else
        put_request(import, location, event, REFRAIN_OP_IO_REQUEST, access, 2);
}

static void send(struct refrain_import *import, struct refrain_import_location *location,
                 const struct refrain_import_event *event) {
    const int64_t message[] = {refrain_import_rank_in(import, event, event->peer), event->tag, event->bytes,
                               refrain_import_comm_number(import, event)};
    if (event->request < 0)
        put_operation(import, event, REFRAIN_OP_SEND, message, 4);
    else
        put_request(import, location, event, REFRAIN_OP_ISEND, message, 4);
}

static void post_receive(struct refrain_import *import, struct refrain_import_location *location,
                         const struct refrain_import_event *event) {
    const int64_t comm = refrain_import_comm_number(import, event);
    put_request(import, location, event, REFRAIN_OP_IRECV, &comm, 1);
}

static void enter_collective(struct refrain_import *import, struct refrain_import_location *location,
                             const struct refrain_import_event *event) {
    const int64_t collective[] = {refrain_import_root_in(import, event), event->bytes, event->received,
                                  refrain_import_comm_number(import, event)};
    if (event->request < 0)
        location->collective_at =
            refrain_import_put(import, event, REFRAIN_RECORD_OPERATION, REFRAIN_OP_COLLECTIVE, collective, 4);
    else
        put_request(import, location, event, REFRAIN_OP_ICOLLECTIVE, collective, 4);
}

static void add_value(struct refrain_import *import, const struct refrain_import_event *event, int64_t value) {
    refrain_import_put(import, event, REFRAIN_RECORD_VALUE, 0, &value, 1);
}

static void add_untold(struct refrain_import *import, const struct refrain_import_event *event,
                       enum refrain_untold what) {
    bool collective = event->kind == REFRAIN_EVENT_UNTOLD_COLLECTIVES;
    const int64_t values[REFRAIN_UNTOLD_VALUES] = {
        what,
        collective ? refrain_mpi_call_of_role((enum refrain_collective)event->tag)
                   : refrain_import_rank_in(import, event, event->peer),
        collective ? -1 : event->tag, refrain_import_comm_number(import, event), event->value};
    for (unsigned i = 0; i < REFRAIN_UNTOLD_VALUES; i++)
        add_value(import, event, values[i]);
}

/* The location of the event, whose rank has its file. Null without memory or file, or if a trace cannot have as many
 * threads. */
static struct refrain_import_location *enter_location(struct refrain_import *import,
                                                      const struct refrain_import_event *event) {
    struct refrain_import_location *location =
        event->thread < REFRAIN_MAXIMUM_THREADS ? location_of(import, event) : NULL;
    if (!location || !refrain_import_begin_rank(import, event->rank))
        return NULL;
    location->ran = true;
    location->last_ns = event->time_ns > location->last_ns ? event->time_ns : location->last_ns;
    return location;
}

static bool failed(const struct refrain_import *import, const struct refrain_import_event *event) {
    const struct refrain_sink *events = import->ranks[event->rank].events;
    return import->no_memory || import->no_file || (events && events->failed);
}

int refrain_import_add_nobody(struct refrain_import *import, const struct refrain_import_event *event, bool completes) {
    struct refrain_import_location *location = enter_location(import, event);
    if (location && completes)
        complete(import, location, event, REFRAIN_OP_NOTHING);
    else if (location)
        put_request(import, location, event, REFRAIN_OP_NOTHING, NULL, 0);
    return failed(import, event);
}

int refrain_import_add(struct refrain_import *import, const struct refrain_import_event *event) {
    struct refrain_import_location *location = enter_location(import, event);
    import->events++;
    if (!location) {
        import->left_out++;
        return import->no_memory || import->no_file;
    }
    switch (event->kind) {
    case REFRAIN_EVENT_ENTER:
    case REFRAIN_EVENT_LEAVE:
        refrain_import_put(import, event, record_kind(import, event), 0, NULL, 0);
        break;
    case REFRAIN_EVENT_SEND:
        send(import, location, event);
        break;
    case REFRAIN_EVENT_SEND_COMPLETE:
        complete(import, location, event, REFRAIN_OP_ISEND);
        break;
    case REFRAIN_EVENT_RECV_POST:
        post_receive(import, location, event);
        break;
    case REFRAIN_EVENT_RECV:
        receive(import, location, event);
        break;
    case REFRAIN_EVENT_CANCEL:
        cancel(import, location, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE:
        enter_collective(import, location, event);
        break;
    case REFRAIN_EVENT_COLLECTIVE_COMPLETE:
        complete(import, location, event, REFRAIN_OP_ICOLLECTIVE);
        break;
    case REFRAIN_EVENT_RMA:
    case REFRAIN_EVENT_WINDOW:
        add_window(import, location, event);
        break;
    case REFRAIN_EVENT_IO:
    case REFRAIN_EVENT_FILE:
    case REFRAIN_EVENT_MOVED:
    case REFRAIN_EVENT_SEEK:
        add_file(import, location, event);
        break;
    case REFRAIN_EVENT_ACCESS_COMPLETE:
        complete(import, location, event, REFRAIN_OP_RMA_REQUEST);
        break;
    case REFRAIN_EVENT_MARKER:
    case REFRAIN_EVENT_COUNTER:
        add_value(import, event, event->value);
        break;
    case REFRAIN_EVENT_UNTOLD_SENDS:
        add_untold(import, event, REFRAIN_UNTOLD_SEND);
        break;
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
        add_untold(import, event, REFRAIN_UNTOLD_RECEIVE);
        break;
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        add_untold(import, event, event->request < 0 ? REFRAIN_UNTOLD_COLLECTIVE : REFRAIN_UNTOLD_ICOLLECTIVE);
        break;
    }
    return failed(import, event);
}

static void amend_collective(struct refrain_import *import, const struct refrain_import_event *collective,
                             uint64_t record_at) {
    const int64_t parameters[] = {refrain_import_root_in(import, collective), collective->bytes, collective->received,
                                  refrain_import_comm_number(import, collective)};
    for (unsigned i = 0; record_at && i < 4; i++)
        refrain_import_amend(import, collective->rank, record_at, i, parameters[i]);
}

void refrain_import_amend_last(struct refrain_import *import, const struct refrain_import_event *collective) {
    struct refrain_import_location *location = known_location(import, collective);
    if (!location)
        return;
    amend_collective(import, collective, location->collective_at);
    location->collective_at = 0;
}

void refrain_import_amend_request(struct refrain_import *import, const struct refrain_import_event *collective) {
    struct refrain_import_location *location = known_location(import, collective);
    const struct request *request = location ? request_of(location, collective->request) : NULL;
    if (request && request->operation == REFRAIN_OP_ICOLLECTIVE)
        amend_collective(import, collective, request->record_at);
}
