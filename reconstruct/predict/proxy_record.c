/* proxy_record.c: collects the arguments of calls (proxy_walk.h). A call's arguments are appended to its item's lists
 * when the call ends. A nonblocking receive gets source, tag and bytes when it has completed: until then its lists have
 * the values of the receive before. */
#include "predict/proxy_walk.h"

#include <limits.h>

/* Tag of receives that never got a message, so that they get none in the program either. */
#define NEVER_SENT 32767

static const struct {
    char letter;
    enum refrain_proxy_argument argument;
    int64_t none; /* value in calls without the operation */
} letters[] = {
    {'d', REFRAIN_PROXY_DEST, REFRAIN_PROXY_NONE},
    {'t', REFRAIN_PROXY_SEND_TAG, REFRAIN_PROXY_FREE},
    {'n', REFRAIN_PROXY_SENT, REFRAIN_PROXY_FREE},
    {'s', REFRAIN_PROXY_SOURCE, REFRAIN_PROXY_NONE},
    {'g', REFRAIN_PROXY_RECV_TAG, REFRAIN_PROXY_FREE},
    {'r', REFRAIN_PROXY_RECEIVED, REFRAIN_PROXY_FREE},
    {'o', REFRAIN_PROXY_ROOT, REFRAIN_PROXY_FREE},
    {'c', REFRAIN_PROXY_COMM, REFRAIN_PROXY_FREE},
    {'p', REFRAIN_PROXY_PARENT, REFRAIN_PROXY_FREE},
    {'m', REFRAIN_PROXY_LEADER, REFRAIN_PROXY_NONE},
    {'k', REFRAIN_PROXY_KEY, REFRAIN_PROXY_FREE},
    {'j', REFRAIN_PROXY_MEMBERS, REFRAIN_PROXY_NONE},
    {'y', REFRAIN_PROXY_DIMENSIONS, REFRAIN_PROXY_FREE},
    {'w', REFRAIN_PROXY_COMM, REFRAIN_PROXY_FREE}, /* where the communicator is stored, instead of the communicator */
    {'x', REFRAIN_PROXY_REQUEST, REFRAIN_PROXY_NONE},
    {'q', REFRAIN_PROXY_REQUEST, REFRAIN_PROXY_NONE},
};

static enum refrain_status refuse(const struct refrain_proxy_walk *walk, const char *what) {
    const struct refrain_region_info *region = walk->proxy->items[walk->call.item].region;
    return REFRAIN_FAIL(walk->error, "%s: rank %d: %s (%s:%u) %s", walk->run->trace->path, (int)walk->process->rank,
                        region->name, region->file[0] ? region->file : "?", region->line, what);
}

static void take(struct refrain_proxy_walk *walk, enum refrain_proxy_argument argument, int64_t value) {
    walk->call.has[argument] = true;
    walk->call.values[argument] = value;
    if ((argument == REFRAIN_PROXY_SENT || argument == REFRAIN_PROXY_RECEIVED) && value > walk->most_bytes)
        walk->most_bytes = value;
}

void refrain_proxy_call_begin(struct refrain_proxy_walk *walk, size_t item) {
    struct refrain_proxy_call *call = &walk->call;
    memset(call->has, 0, sizeof call->has);
    memset(call->values, 0, sizeof call->values);
    call->item = item;
    call->n_requests = 0;
    call->grid = NULL;
    call->left_out = !walk->proxy->items[item].text;
}

/* ---- operations ---- */

static enum refrain_status take_comm(struct refrain_proxy_walk *walk, int64_t number) {
    const struct refrain_comm_view *comm = refrain_process_comm(walk->process, number);
    if (!comm || !walk->made[number])
        return refuse(walk, "uses a communicator that no call has made which a proxy can make");
    take(walk, REFRAIN_PROXY_COMM, number);
    return REFRAIN_OK;
}

static bool makes_grid(const struct refrain_proxy_item *item) {
    return refrain_proxy_asks(item, 'y');
}

/* MPI_COMM_NULL. It is stored behind the communicators of the process. */
static enum refrain_status take_null(struct refrain_proxy_walk *walk, int64_t parent) {
    if (!refrain_process_comm(walk->process, parent))
        return refuse(walk, "made no communicator, and the trace does not have the one of which this was a part");
    if (makes_grid(&walk->proxy->items[walk->call.item]))
        return refuse(walk, "makes a grid that is smaller than its communicator, which a proxy cannot");
    take(walk, REFRAIN_PROXY_COMM, (int64_t)walk->process->n_comms);
    take(walk, REFRAIN_PROXY_PARENT, parent);
    return REFRAIN_OK;
}

static enum refrain_status take_made(struct refrain_proxy_walk *walk, int64_t number) {
    const struct refrain_comm_view *comm = refrain_process_comm(walk->process, number);
    bool frees = refrain_mpi_kind(walk->proxy->items[walk->call.item].region) == REFRAIN_MPI_COMM_FREE;
    if (frees && (!comm || !walk->made[number]))
        return refuse(walk, "frees a communicator that no call has made which a proxy can make");
    if (frees) {
        take(walk, REFRAIN_PROXY_COMM, number);
        return REFRAIN_OK;
    }
    if (!comm)
        return take_null(walk, REFRAIN_COMM_NULL_OF(number));
    if (walk->call.left_out || comm->info->remote_size)
        return refuse(walk, "makes a communicator in a way that a proxy cannot");
    if (walk->proxy->n_runs > 1 && refrain_proxy_asks(&walk->proxy->items[walk->call.item], 'j'))
        return refuse(walk, "makes a communicator of a group, which the proxy of a single run can do and this cannot");
    if (makes_grid(&walk->proxy->items[walk->call.item])) {
        walk->call.grid = refrain_topology_of(walk->process, comm);
        if (!walk->call.grid)
            return refuse(walk, "makes a grid whose sizes the trace does not have");
        take(walk, REFRAIN_PROXY_DIMENSIONS, walk->call.grid->n_dimensions);
    }
    walk->made[number] = true;
    take(walk, REFRAIN_PROXY_COMM, number);
    take(walk, REFRAIN_PROXY_PARENT, comm->record->parent ? (int64_t)comm->record->parent - 1 : 0);
    take(walk, REFRAIN_PROXY_LEADER, comm->info->members ? comm->info->members[0] : 0);
    take(walk, REFRAIN_PROXY_MEMBERS, comm->info->index);
    take(walk, REFRAIN_PROXY_KEY, comm->record->my_rank);
    return REFRAIN_OK;
}

static enum refrain_status take_message(struct refrain_proxy_walk *walk, enum refrain_proxy_argument peer,
                                        const int64_t *parameters) {
    if (parameters[2] < 0)
        return refuse(walk, "has a datatype whose size the trace does not have");
    take(walk, peer, parameters[0]);
    take(walk, peer + 1, parameters[1]);
    take(walk, peer + 2, parameters[2]);
    return take_comm(walk, parameters[3]);
}

static enum refrain_status take_request(struct refrain_proxy_walk *walk, uint32_t operation) {
    struct refrain_proxy_request *request = refrain_requests_take(&walk->requests);
    if (!request)
        return REFRAIN_FAIL_MEMORY(walk->error);
    struct refrain_proxy *proxy = walk->proxy;
    struct refrain_proxy_list *sources = proxy->items[walk->call.item].arguments[REFRAIN_PROXY_SOURCE];
    request->operation = operation;
    request->persistent = operation == REFRAIN_OP_SEND_INIT || operation == REFRAIN_OP_RECV_INIT ||
                          operation == REFRAIN_OP_COLLECTIVE_INIT;
    request->pending = operation == REFRAIN_OP_IRECV;
    request->item = walk->call.item;
    request->index = sources ? sources[walk->rank].n : 0;
    int64_t number = refrain_requests_number(&walk->requests, request);
    take(walk, REFRAIN_PROXY_REQUEST, number);
    walk->matched = operation == REFRAIN_OP_IRECV ? number : walk->matched;
    walk->n_requests = number >= walk->n_requests ? number + 1 : walk->n_requests;
    return REFRAIN_OK;
}

static enum refrain_status take_collective(struct refrain_proxy_walk *walk, const int64_t *parameters) {
    take(walk, REFRAIN_PROXY_ROOT, parameters[0] < 0 ? 0 : parameters[0]);
    take(walk, REFRAIN_PROXY_SENT, parameters[1]);
    take(walk, REFRAIN_PROXY_RECEIVED, parameters[2]);
    if (parameters[1] < 0 || parameters[2] < 0)
        return refuse(walk, "has a datatype whose size the trace does not have");
    return take_comm(walk, parameters[3]);
}

/* Sets the arguments of the call that posted a receive, as far as its text has them. False without memory. */
static bool set_received(struct refrain_proxy_walk *walk, const struct refrain_proxy_request *request, int64_t source,
                         int64_t tag, int64_t bytes) {
    const int64_t values[] = {source, tag, bytes};
    struct refrain_proxy_list **lists = &walk->proxy->items[request->item].arguments[REFRAIN_PROXY_SOURCE];
    walk->most_bytes = bytes > walk->most_bytes ? bytes : walk->most_bytes;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (lists[i] && request->index < lists[i][walk->rank].n &&
            !refrain_proxy_set(&lists[i][walk->rank], request->index, values[i]))
            return false;
    return true;
}

/* The same at a later completion of a persistent receive: if it gets messages of several sources or tags, it takes any.
 */
static bool set_received_again(struct refrain_proxy_walk *walk, const struct refrain_proxy_request *request,
                               const int64_t *parameters) {
    struct refrain_proxy_list **lists = walk->proxy->items[request->item].arguments;
    if (!lists[REFRAIN_PROXY_SOURCE] || !lists[REFRAIN_PROXY_RECV_TAG] || !lists[REFRAIN_PROXY_RECEIVED] ||
        request->index >= lists[REFRAIN_PROXY_SOURCE][walk->rank].n)
        return true;
    int64_t source = refrain_proxy_at(&lists[REFRAIN_PROXY_SOURCE][walk->rank], request->index);
    int64_t tag = refrain_proxy_at(&lists[REFRAIN_PROXY_RECV_TAG][walk->rank], request->index);
    int64_t bytes = refrain_proxy_at(&lists[REFRAIN_PROXY_RECEIVED][walk->rank], request->index);
    return set_received(walk, request, source == parameters[0] ? source : REFRAIN_PROXY_ANY,
                        tag == parameters[1] ? tag : REFRAIN_PROXY_ANY, bytes > parameters[2] ? bytes : parameters[2]);
}

static bool add_request(struct refrain_proxy_walk *walk, int64_t number) {
    struct refrain_proxy_call *call = &walk->call;
    if (!REFRAIN_ARRAY_ROOM(call->requests, call->n_requests, call->requests_capacity))
        return false;
    call->requests[call->n_requests++] = number;
    return true;
}

static enum refrain_status start_request(struct refrain_proxy_walk *walk, int64_t number) {
    struct refrain_proxy_request *request = refrain_requests_at(&walk->requests, number);
    if (!request)
        return refuse(walk, "starts a request that the trace does not know");
    request->pending = request->operation == REFRAIN_OP_RECV_INIT;
    return add_request(walk, number) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(walk->error);
}

static enum refrain_status end_request(struct refrain_proxy_walk *walk, const struct refrain_record *record) {
    struct refrain_proxy_request *request = refrain_requests_at(&walk->requests, record->parameters[0]);
    if (!request)
        return refuse(walk, "completes a request that the trace does not know");
    if (record->operation == REFRAIN_OP_CANCELLED)
        return refuse(walk, "completes a request that was cancelled, which a proxy cannot do");
    if (record->operation == REFRAIN_OP_FREE && request->pending && !request->received)
        return refuse(walk, "frees a receive before its message came, which a proxy cannot do");
    bool received = record->operation == REFRAIN_OP_COMPLETE && record->n_parameters == 4, set = true;
    if (received && request->received)
        set = set_received_again(walk, request, record->parameters + 1);
    else if (received)
        set = set_received(walk, request, record->parameters[1], record->parameters[2], record->parameters[3]);
    request->received |= received;
    request->pending = false;
    if (!set || !add_request(walk, record->parameters[0]))
        return REFRAIN_FAIL_MEMORY(walk->error);
    if (record->operation == REFRAIN_OP_FREE || !request->persistent)
        refrain_requests_give(&walk->requests, request);
    return REFRAIN_OK;
}

/* True if other calls depend on the operation: those that receive the message, or use the request. */
static bool matters(uint32_t operation) {
    switch (operation) {
    case REFRAIN_OP_SEND:
    case REFRAIN_OP_RECV:
    case REFRAIN_OP_ISEND:
    case REFRAIN_OP_IRECV:
    case REFRAIN_OP_SEND_INIT:
    case REFRAIN_OP_RECV_INIT:
    case REFRAIN_OP_COLLECTIVE_INIT:
        return true;
    default:
        return false;
    }
}

enum refrain_status refrain_proxy_operation(struct refrain_proxy_walk *walk, const struct refrain_record *record) {
    const int64_t *parameters = record->parameters;
    enum refrain_status status = REFRAIN_OK;
    if (walk->call.left_out && matters(record->operation))
        return refuse(walk, "is a call that a proxy cannot make, and others depend on it");
    switch (record->operation) {
    case REFRAIN_OP_SEND:
        return take_message(walk, REFRAIN_PROXY_DEST, parameters);
    case REFRAIN_OP_RECV:
        return take_message(walk, REFRAIN_PROXY_SOURCE, parameters);
    case REFRAIN_OP_ISEND:
    case REFRAIN_OP_SEND_INIT:
        status = take_message(walk, REFRAIN_PROXY_DEST, parameters);
        return status ? status : take_request(walk, record->operation);
    case REFRAIN_OP_IRECV:
    case REFRAIN_OP_RECV_INIT:
        status = take_comm(walk, parameters[0]);
        return status ? status : take_request(walk, record->operation);
    case REFRAIN_OP_COLLECTIVE:
        return take_collective(walk, parameters);
    case REFRAIN_OP_ICOLLECTIVE:
    case REFRAIN_OP_COLLECTIVE_INIT:
        status = take_collective(walk, parameters);
        return status ? status : take_request(walk, record->operation);
    case REFRAIN_OP_NOTHING:
    case REFRAIN_OP_RMA_REQUEST:
    case REFRAIN_OP_IO_REQUEST:
        return take_request(walk, record->operation);
    case REFRAIN_OP_START:
        return start_request(walk, parameters[0]);
    case REFRAIN_OP_COMPLETE:
    case REFRAIN_OP_CANCELLED:
    case REFRAIN_OP_FREE:
        return end_request(walk, record);
    case REFRAIN_OP_COMPLETE_OTHER:
        return refuse(walk, "completes a request of another thread, which a proxy cannot do");
    case REFRAIN_OP_COMM:
        return take_made(walk, parameters[0]);
    default: /* of windows and files, whose calls are left out */
        return REFRAIN_OK;
    }
}

/* ---- the end of a call ---- */

static bool append(struct refrain_proxy_walk *walk, enum refrain_proxy_argument argument, int64_t value) {
    struct refrain_proxy_list *list = refrain_proxy_argument(walk->proxy, walk->call.item, argument, walk->rank);
    return list && refrain_proxy_append(list, value);
}

static bool append_requests(struct refrain_proxy_walk *walk) {
    const struct refrain_proxy_call *call = &walk->call;
    int64_t first = call->n_requests ? call->requests[0] : 0;
    for (size_t i = 0; i < call->n_requests; i++) {
        walk->proxy->items[call->item].scattered |= call->requests[i] != first + (int64_t)i;
        if (!append(walk, REFRAIN_PROXY_EACH, call->requests[i]))
            return false;
    }
    return append(walk, REFRAIN_PROXY_FIRST, first) && append(walk, REFRAIN_PROXY_COUNT, (int64_t)call->n_requests);
}

static bool append_sizes(struct refrain_proxy_walk *walk) {
    const struct refrain_topology *grid = walk->call.grid;
    for (uint32_t i = 0; i < 2 * grid->n_dimensions; i++)
        if (!append(walk, REFRAIN_PROXY_SIZES, grid->values[i]))
            return false;
    return true;
}

/* True if the call posts a receive, whose message is not known yet. */
static bool posts(const struct refrain_proxy_call *call) {
    return call->has[REFRAIN_PROXY_REQUEST] && call->has[REFRAIN_PROXY_COMM] && !call->has[REFRAIN_PROXY_ROOT];
}

static bool append_argument(struct refrain_proxy_walk *walk, size_t letter) {
    const struct refrain_proxy_call *call = &walk->call;
    enum refrain_proxy_argument argument = letters[letter].argument;
    int64_t value = call->has[argument] ? call->values[argument] : letters[letter].none;
    bool of_receive = argument >= REFRAIN_PROXY_SOURCE && argument <= REFRAIN_PROXY_RECEIVED;
    struct refrain_proxy_list *list = refrain_proxy_argument(walk->proxy, call->item, argument, walk->rank);
    if (list && list->n && of_receive && !call->has[argument] && posts(call))
        value = refrain_proxy_at(list, list->n - 1);
    return list && refrain_proxy_append(list, value);
}

/* The message that a call receives which completes no request: none of MPI_PROC_NULL, or of MPI_Imrecv, of which the
 * trace does not say it, most likely the last one that was found. */
static int64_t message_of(const struct refrain_proxy_walk *walk) {
    bool waits = refrain_mpi_kind(walk->proxy->items[walk->call.item].region) == REFRAIN_MPI_RECV;
    return waits || walk->call.has[REFRAIN_PROXY_REQUEST] ? REFRAIN_PROXY_NONE : walk->matched;
}

static bool names_requests(const struct refrain_proxy_item *item) {
    return refrain_proxy_asks(item, 'f') || refrain_proxy_asks(item, 'h') || refrain_proxy_asks(item, 'u');
}

static bool append_arguments(struct refrain_proxy_walk *walk) {
    const struct refrain_proxy_item *item = &walk->proxy->items[walk->call.item];
    for (size_t i = 0; i < sizeof letters / sizeof *letters; i++)
        if (refrain_proxy_asks(item, letters[i].letter) && !append_argument(walk, i))
            return false;
    if (refrain_proxy_asks(item, 'h') && !walk->call.n_requests && !add_request(walk, message_of(walk)))
        return false;
    if (walk->call.grid && !append_sizes(walk))
        return false;
    return !names_requests(item) || append_requests(walk);
}

enum refrain_status refrain_proxy_call_end(struct refrain_proxy_walk *walk) {
    struct refrain_proxy_call *call = &walk->call;
    const struct refrain_proxy_item *item = &walk->proxy->items[call->item];
    enum refrain_status status = REFRAIN_OK;
    if (!item->text)
        status =
            refrain_proxy_leave_out(walk->proxy, item->region->name) ? REFRAIN_OK : REFRAIN_FAIL_MEMORY(walk->error);
    else if (item->region->role && !call->has[REFRAIN_PROXY_COMM])
        status = refuse(walk, "is a collective without a communicator that the trace knows");
    else if (call->values[REFRAIN_PROXY_SENT] > INT_MAX || call->values[REFRAIN_PROXY_RECEIVED] > INT_MAX)
        status = refuse(walk, "moves 2 GiB or more, which is more than a proxy's calls can");
    else if (!append_arguments(walk))
        status = REFRAIN_FAIL_MEMORY(walk->error);
    call->item = SIZE_MAX;
    return status;
}

bool refrain_proxy_end_requests(struct refrain_proxy_walk *walk) {
    for (size_t i = 0; i < walk->requests.n; i++) {
        struct refrain_proxy_request *request = refrain_requests_at(&walk->requests, (int64_t)i);
        bool waits = request && !request->received &&
                     (request->operation == REFRAIN_OP_IRECV || request->operation == REFRAIN_OP_RECV_INIT);
        if (waits && !set_received(walk, request, 0, NEVER_SENT, 0))
            return false;
    }
    return true;
}
