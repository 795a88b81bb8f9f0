/* translate.c: translates records to events (translate.h). */
#include "match/translate.h"
#include "model/mpi_call.h"

#include <string.h>

struct request {
    bool taken, persistent;
    uint32_t operation; /* the operation that made the request */
    int64_t parameters[REFRAIN_PARAMETERS];
    int64_t id;          /* of the pending communication, the oldest one if there are several; -1 none */
    int64_t later, last; /* the next and the youngest one of several, as numbers of struct later; -1 none */
};

/* A communication of a persistent request that began before the last one had completed. This happens only if it is not
 * certain which request an operation is about. */
struct later {
    bool taken;
    int64_t id, next;
};

static const struct refrain_region_info unknown_region = {
    .index = UINT32_MAX, .name = "unknown", .file = "", .function = "", .collective = ""};

uintptr_t refrain_unknown_region_address(void) {
    return (uintptr_t)&unknown_region;
}

void refrain_translation_open(struct refrain_translation *translation, const struct refrain_process *process,
                              uint32_t thread, bool with_costs) {
    memset(translation, 0, sizeof *translation);
    translation->with_costs = with_costs;
    translation->blank = (struct refrain_event){.rank = process->rank, .thread = thread, .peer = -1, .request = -1};
    translation->process = process;
    translation->thread = thread;
    translation->given_up = -1;
    translation->requests.entry_bytes = sizeof(struct request);
    translation->later.entry_bytes = sizeof(struct later);
}

void refrain_translation_close(struct refrain_translation *translation) {
    refrain_requests_close(&translation->requests);
    refrain_requests_close(&translation->later);
}

/* ---- requests ---- */

static struct request *add_request(struct refrain_translation *translation, const struct refrain_record *record,
                                   bool persistent) {
    struct request *request = refrain_requests_take(&translation->requests);
    if (!request) {
        translation->no_memory = true;
        return NULL;
    }
    request->persistent = persistent;
    request->operation = record->operation;
    request->id = persistent ? -1 : translation->next_id++;
    request->later = request->last = -1;
    memcpy(request->parameters, record->parameters, sizeof request->parameters);
    return request;
}

static struct request *request_at(const struct refrain_translation *translation, int64_t number) {
    return refrain_requests_at(&translation->requests, number);
}

/* The request's oldest communication has ended; the next one, if any, takes its place. */
static void end_communication(struct refrain_translation *translation, struct request *request) {
    struct later *next = refrain_requests_at(&translation->later, request->later);
    request->id = next ? next->id : -1;
    request->later = next ? next->next : -1;
    if (next)
        refrain_requests_give(&translation->later, next);
}

static void release_request(struct refrain_translation *translation, struct request *request, bool for_good) {
    do
        end_communication(translation, request);
    while (for_good && request->id >= 0);
    if (!request->persistent || for_good)
        refrain_requests_give(&translation->requests, request);
}

/* Begins another communication of the request, and returns its id. */
static int64_t begin_communication(struct refrain_translation *translation, struct request *request) {
    int64_t id = translation->next_id++;
    if (request->id < 0)
        return request->id = id;
    struct later *later = refrain_requests_take(&translation->later);
    if (!later) {
        translation->no_memory = true;
        return id;
    }
    later->id = id;
    later->next = -1;
    int64_t number = refrain_requests_number(&translation->later, later);
    if (request->later < 0)
        request->later = number;
    else
        ((struct later *)refrain_requests_at(&translation->later, request->last))->next = number;
    request->last = number;
    return id;
}

static bool receives(const struct request *request) {
    return request->operation == REFRAIN_OP_IRECV || request->operation == REFRAIN_OP_RECV_INIT;
}

static bool sends(const struct request *request) {
    return request->operation == REFRAIN_OP_ISEND || request->operation == REFRAIN_OP_SEND_INIT;
}

static bool accesses(const struct request *request) {
    return request->operation == REFRAIN_OP_RMA_REQUEST || request->operation == REFRAIN_OP_IO_REQUEST;
}

static bool collects(const struct request *request) {
    return request->operation == REFRAIN_OP_ICOLLECTIVE || request->operation == REFRAIN_OP_COLLECTIVE_INIT;
}

/* ---- fields ---- */

/* The rank, or -1 if the run has no such rank. */
static int32_t rank_of_run(const struct refrain_translation *translation, int64_t rank) {
    return rank >= 0 && rank < translation->process->n_ranks ? (int32_t)rank : -1;
}

static void set_comm(const struct refrain_translation *translation, struct refrain_event *event, int64_t index,
                     int64_t peer) {
    const struct refrain_comm_view *view = refrain_process_comm(translation->process, index);
    event->comm = view ? view->info : NULL;
    event->peer = -1;
    if (!view) { /* not approximate if the program itself gave no valid one, e.g. a freed one */
        event->approximate |= index >= 0 || translation->process->header->losses[REFRAIN_LOSS_COMMUNICATORS] > 0;
        return;
    }
    if (peer < 0)
        return;
    if (view->peers)
        event->peer = peer < view->n_peers ? view->peers[peer] : -1;
    else
        event->peer = rank_of_run(translation, peer);
}

static void set_message(const struct refrain_translation *translation, struct refrain_event *event,
                        enum refrain_event_kind kind, const int64_t *parameters, int64_t comm, int64_t request) {
    event->kind = kind;
    set_comm(translation, event, comm, parameters[0]);
    event->tag = parameters[1];
    event->bytes = parameters[2];
    event->request = request;
}

static bool set_collective(const struct refrain_translation *translation, struct refrain_event *event,
                           const int64_t *parameters, int64_t request) {
    event->kind = REFRAIN_EVENT_COLLECTIVE;
    set_comm(translation, event, parameters[3], parameters[0]);
    if (parameters[0] == REFRAIN_ROOT_SELF)
        event->peer = event->rank;
    event->bytes = parameters[1];
    event->received = parameters[2];
    event->request = request;
    return true;
}

static bool complete(struct refrain_translation *translation, const struct refrain_record *record,
                     struct refrain_event *event) {
    struct request *request = request_at(translation, record->parameters[0]);
    if (!request)
        return false;
    bool makes_event = true;
    int64_t comm = receives(request) ? request->parameters[0] : request->parameters[3];
    if (record->operation == REFRAIN_OP_CANCELLED) {
        event->kind = REFRAIN_EVENT_CANCEL;
        event->request = request->id;
    } else if (receives(request) && record->n_parameters == 4) {
        set_message(translation, event, REFRAIN_EVENT_RECV, record->parameters + 1, comm, request->id);
    } else if (sends(request)) {
        event->kind = REFRAIN_EVENT_SEND_COMPLETE;
        event->request = request->id;
    } else if (collects(request)) {
        event->kind = REFRAIN_EVENT_COLLECTIVE_COMPLETE;
        set_comm(translation, event, comm, -1);
        event->request = request->id;
    } else if (accesses(request)) {
        event->kind = REFRAIN_EVENT_ACCESS_COMPLETE;
        event->bytes = record->n_parameters == 2 ? record->parameters[1] : -1;
        event->request = request->id;
    } else {
        makes_event = false;
    }
    release_request(translation, request, false);
    return makes_event;
}

static bool start(struct refrain_translation *translation, const struct refrain_record *record,
                  struct refrain_event *event) {
    struct request *request = request_at(translation, record->parameters[0]);
    if (!request)
        return false;
    int64_t id = begin_communication(translation, request);
    if (sends(request)) {
        set_message(translation, event, REFRAIN_EVENT_SEND, request->parameters, request->parameters[3], id);
        return true;
    }
    if (request->operation == REFRAIN_OP_COLLECTIVE_INIT)
        return set_collective(translation, event, request->parameters, id);
    event->kind = REFRAIN_EVENT_RECV_POST;
    set_comm(translation, event, request->parameters[0], -1);
    event->request = id;
    return true;
}

/* Sets the window, its communicator and the rank. */
static void set_window(const struct refrain_translation *translation, struct refrain_event *event, int64_t rank,
                       int64_t number) {
    const struct refrain_object_view *window = refrain_process_window(translation->process, number);
    event->peer = rank_of_run(translation, rank);
    event->tag = number;
    event->comm = window ? window->comm : NULL;
}

static void set_file(const struct refrain_translation *translation, struct refrain_event *event, int64_t number) {
    const struct refrain_object_view *file = refrain_process_file(translation->process, number);
    event->tag = number;
    event->comm = file ? file->comm : NULL;
}

/* Adds the request of an access that has one. */
static void set_access_request(struct refrain_translation *translation, const struct refrain_record *record,
                               struct refrain_event *event) {
    const struct request *request = NULL;
    if (record->operation == REFRAIN_OP_RMA_REQUEST || record->operation == REFRAIN_OP_IO_REQUEST)
        request = add_request(translation, record, false);
    event->request = request ? request->id : -1;
}

static void seek(const struct refrain_translation *translation, const int64_t *parameters,
                 struct refrain_event *event) {
    event->kind = REFRAIN_EVENT_SEEK;
    event->value = parameters[0];
    event->bytes = parameters[1];
    event->received = parameters[2];
    set_file(translation, event, parameters[3]);
}

/* Completes a request that another thread began. The first parameter is the operation that began it. */
static void complete_other(const struct refrain_translation *translation, const int64_t *parameters,
                           struct refrain_event *event) {
    switch (parameters[0]) {
    case REFRAIN_OP_ISEND:
    case REFRAIN_OP_SEND_INIT:
        event->kind = REFRAIN_EVENT_SEND_COMPLETE;
        return;
    case REFRAIN_OP_RMA_REQUEST:
    case REFRAIN_OP_IO_REQUEST:
        event->kind = REFRAIN_EVENT_ACCESS_COMPLETE;
        event->bytes = -1;
        return;
    default:
        event->kind = REFRAIN_EVENT_COLLECTIVE_COMPLETE;
        event->bytes = -1;
        set_comm(translation, event, parameters[1], -1);
    }
}

/* Translates an operation on a window or a file. False if it is another operation. */
static bool translate_access(struct refrain_translation *translation, const struct refrain_record *record,
                             struct refrain_event *event) {
    const int64_t *parameters = record->parameters;
    switch (record->operation) {
    case REFRAIN_OP_RMA:
    case REFRAIN_OP_RMA_REQUEST:
        event->kind = REFRAIN_EVENT_RMA;
        event->bytes = parameters[1];
        set_window(translation, event, parameters[0], parameters[2]);
        set_access_request(translation, record, event);
        return true;
    case REFRAIN_OP_IO:
    case REFRAIN_OP_IO_REQUEST:
        event->kind = REFRAIN_EVENT_IO;
        event->bytes = parameters[0];
        set_file(translation, event, parameters[1]);
        set_access_request(translation, record, event);
        return true;
    case REFRAIN_OP_WINDOW:
        event->kind = REFRAIN_EVENT_WINDOW;
        event->value = parameters[1];
        set_window(translation, event, parameters[0], parameters[2]);
        return true;
    case REFRAIN_OP_FILE:
        event->kind = REFRAIN_EVENT_FILE;
        event->value = parameters[0];
        set_file(translation, event, parameters[1]);
        return true;
    case REFRAIN_OP_MOVED:
        event->kind = REFRAIN_EVENT_MOVED;
        event->bytes = parameters[0];
        set_file(translation, event, parameters[1]);
        return true;
    case REFRAIN_OP_SEEK:
        seek(translation, parameters, event);
        return true;
    default:
        return false;
    }
}

/* True if the call frees a pending request. A FREE operation of another call means that the request completed in a
 * pause or in a call that is not traced, and that MPI has reused its handle. */
static bool frees_request(const struct refrain_region_info *call) {
    return refrain_mpi_kind(call) == REFRAIN_MPI_REQUEST_FREE;
}

static bool translate_operation(struct refrain_translation *translation, const struct refrain_record *record,
                                struct refrain_event *event) {
    const int64_t *parameters = record->parameters;
    struct request *request;
    switch (record->operation) {
    case REFRAIN_OP_SEND:
        set_message(translation, event, REFRAIN_EVENT_SEND, parameters, parameters[3], -1);
        return true;
    case REFRAIN_OP_RECV:
        set_message(translation, event, REFRAIN_EVENT_RECV, parameters, parameters[3], -1);
        return true;
    case REFRAIN_OP_ISEND:
        request = add_request(translation, record, false);
        set_message(translation, event, REFRAIN_EVENT_SEND, parameters, parameters[3], request ? request->id : -1);
        return true;
    case REFRAIN_OP_IRECV:
        request = add_request(translation, record, false);
        event->kind = REFRAIN_EVENT_RECV_POST;
        set_comm(translation, event, parameters[0], -1);
        event->request = request ? request->id : -1;
        return true;
    case REFRAIN_OP_SEND_INIT:
    case REFRAIN_OP_RECV_INIT:
    case REFRAIN_OP_COLLECTIVE_INIT:
        add_request(translation, record, true);
        return false;
    case REFRAIN_OP_START:
        return start(translation, record, event);
    case REFRAIN_OP_COMPLETE:
    case REFRAIN_OP_CANCELLED:
        return complete(translation, record, event);
    case REFRAIN_OP_FREE:
        if ((request = request_at(translation, parameters[0]))) {
            if (receives(request) && frees_request(event->region)) {
                translation->given_up = request->id;
                translation->given_up_comm = request->parameters[0];
            }
            release_request(translation, request, true);
        }
        return false;
    case REFRAIN_OP_COLLECTIVE:
        return set_collective(translation, event, parameters, -1);
    case REFRAIN_OP_ICOLLECTIVE:
        request = add_request(translation, record, false);
        return set_collective(translation, event, parameters, request ? request->id : -1);
    case REFRAIN_OP_NOTHING:
        add_request(translation, record, false);
        return false;
    case REFRAIN_OP_COMPLETE_OTHER:
        complete_other(translation, parameters, event);
        return true;
    default:
        return translate_access(translation, record, event);
    }
}

/* The id of the receive that the last call freed, if the counted message is its message, else -1. */
static int64_t take_given_up(struct refrain_translation *translation, const int64_t *values) {
    int64_t id = translation->given_up;
    if (id < 0 || values[3] != translation->given_up_comm || values[4] != 1)
        return -1;
    translation->given_up = -1;
    return id;
}

/* Adds one of the values that count messages or collectives of a pause. True if it is the last one, which makes an
 * event. */
static bool add_value_of_pause(struct refrain_translation *translation, int64_t value, struct refrain_event *event) {
    const int64_t *values = translation->untold;
    translation->untold[translation->n_untold++] = value;
    if (translation->n_untold < REFRAIN_UNTOLD_VALUES)
        return false;
    translation->n_untold = 0;
    bool collective = values[0] == REFRAIN_UNTOLD_COLLECTIVE || values[0] == REFRAIN_UNTOLD_ICOLLECTIVE;
    event->kind = collective                         ? REFRAIN_EVENT_UNTOLD_COLLECTIVES
                  : values[0] == REFRAIN_UNTOLD_SEND ? REFRAIN_EVENT_UNTOLD_SENDS
                                                     : REFRAIN_EVENT_UNTOLD_RECEIVES;
    set_comm(translation, event, values[3], collective ? -1 : values[1]);
    event->tag = collective ? (int64_t)refrain_mpi_call((uint32_t)values[1])->collective : values[2];
    event->request = values[0] == REFRAIN_UNTOLD_ICOLLECTIVE ? 0
                     : values[0] == REFRAIN_UNTOLD_RECEIVE   ? take_given_up(translation, values)
                                                             : -1;
    event->value = values[4];
    return true;
}

/* Computes in integers, since a long double would cost time at each event. */
static int64_t cost_ns(const struct refrain_process *process, uint64_t cost) {
    uint64_t ns = cost * process->ns_a_tick + (uint64_t)((unsigned __int128)cost * process->ns_a_tick_fraction >> 64);
    return (int64_t)(ns >> REFRAIN_PROBE_COST_SHIFT);
}

/* Translates the value of a marker, a counter, or a count of a pause. */
static bool translate_value(struct refrain_translation *translation, const struct refrain_record *record,
                            struct refrain_event *event) {
    const struct refrain_user_region_view *region = refrain_process_user_region(translation->process, record->id);
    if (region && region->record->use == REFRAIN_USE_UNTOLD)
        return add_value_of_pause(translation, record->parameters[0], event);
    bool is_marker = region && region->record->use == REFRAIN_USE_MARKER;
    event->kind = is_marker ? REFRAIN_EVENT_MARKER : REFRAIN_EVENT_COUNTER;
    event->value = record->parameters[0];
    return true;
}

/* The region of the record; null unknown. */
static const struct refrain_region_info *region_of(const struct refrain_process *process,
                                                   const struct refrain_record *record) {
    const struct refrain_call_site_view *call_site;
    const struct refrain_user_region_view *region;
    switch (record->kind) {
    case REFRAIN_RECORD_ENTER:
    case REFRAIN_RECORD_LEAVE:
        return refrain_process_function(process, record->id);
    case REFRAIN_RECORD_REGION_ENTER:
    case REFRAIN_RECORD_REGION_LEAVE:
    case REFRAIN_RECORD_VALUE:
        region = refrain_process_user_region(process, record->id);
        return region ? region->region : NULL;
    default:
        call_site = refrain_process_call_site(process, record->id);
        return call_site ? call_site->region : NULL;
    }
}

static inline void set_region(const struct refrain_process *process, const struct refrain_record *record,
                              struct refrain_event *event) {
    const struct refrain_region_info *region = record->region ? *record->region : NULL;
    if (!region)
        region = region_of(process, record);
    if (record->region)
        *record->region = region;
    event->region = region ? region : &unknown_region;
    event->approximate |= !region;
}

/* The functions inlined at the call site of a call that begins, as `value` of its event (inlined_stream.h). */
static int64_t inlined_at_call(const struct refrain_process *process, const struct refrain_record *record) {
    const struct refrain_inlined *inlined = NULL;
    if (record->kind == REFRAIN_RECORD_CALL_ENTER) {
        const struct refrain_call_site_view *call_site = refrain_process_call_site(process, record->id);
        inlined = call_site ? call_site->inlined : NULL;
    } else if (record->kind == REFRAIN_RECORD_REGION_ENTER) {
        const struct refrain_user_region_view *region = refrain_process_user_region(process, record->id);
        inlined = region ? region->inlined : NULL;
    }
    return (int64_t)(intptr_t)inlined;
}

static inline bool translate(struct refrain_translation *translation, const struct refrain_record *record,
                             struct refrain_event *event) {
    set_region(translation->process, record, event);
    switch (record->kind) {
    case REFRAIN_RECORD_ENTER:
    case REFRAIN_RECORD_CALL_ENTER:
    case REFRAIN_RECORD_REGION_ENTER:
        translation->given_up = -1;
        event->kind = REFRAIN_EVENT_ENTER;
        if (translation->process->has_inlined)
            event->value = inlined_at_call(translation->process, record);
        return true;
    case REFRAIN_RECORD_LEAVE:
    case REFRAIN_RECORD_CALL_LEAVE:
    case REFRAIN_RECORD_REGION_LEAVE:
        event->kind = REFRAIN_EVENT_LEAVE;
        return true;
    case REFRAIN_RECORD_OPERATION:
        return translate_operation(translation, record, event);
    case REFRAIN_RECORD_VALUE:
        return translate_value(translation, record, event);
    default:
        return false;
    }
}

size_t refrain_translate(struct refrain_translation *translation, const struct refrain_record *records, size_t n,
                         struct refrain_event *events) {
    const struct refrain_process *process = translation->process;
    size_t made = 0;
    for (size_t i = 0; i < n; i++) {
        const struct refrain_record *record = &records[i];
        struct refrain_event *event = &events[made];
        *event = translation->blank;
        event->approximate = record->approximate;
        event->time_ns = refrain_trace_time_ns(process, record->ticks);
        if (translation->with_costs)
            event->probes_ns = cost_ns(process, record->cost);
        made += translate(translation, record, event);
    }
    return made;
}
