/* mpi_requests.c: the life of a request, from posting to completion (mpi_requests.h). */
#include "call.h"
#include "mpi_idup.h"
#include "mpi_request_table.h"
#include "run/pool.h"
#include <refrain/trace.h>

/* Makes an entry for a request with these arguments. Null without memory. */
static struct refrain_request *make(enum refrain_operation operation, const int64_t *parameters, unsigned n) {
    static const uint8_t flags[REFRAIN_OPERATIONS] = {
        [REFRAIN_OP_IRECV] = REFRAIN_REQUEST_RECEIVES,
        [REFRAIN_OP_ISEND] = REFRAIN_REQUEST_SENDS,
        [REFRAIN_OP_RECV_INIT] = REFRAIN_REQUEST_RECEIVES | REFRAIN_REQUEST_PERSISTENT,
        [REFRAIN_OP_SEND_INIT] = REFRAIN_REQUEST_SENDS | REFRAIN_REQUEST_PERSISTENT,
        [REFRAIN_OP_COLLECTIVE_INIT] = REFRAIN_REQUEST_PERSISTENT,
    };
    struct refrain_request *request = refrain_request_entry_take();
    if (!request)
        return NULL;
    request->operation = (uint8_t)operation;
    request->flags = flags[operation];
    request->message.peer = n > 0 ? (int32_t)parameters[0] : REFRAIN_NOW_ANY;
    request->message.tag = n > 1 ? (int32_t)parameters[1] : -1;
    request->comm = refrain_request_is_receive(request) ? (uint32_t)(parameters[0] + 1)
                    : n == REFRAIN_PARAMETERS           ? (uint32_t)(parameters[REFRAIN_PARAMETERS - 1] + 1)
                                                        : 0;
    if (__builtin_expect(refrain_request_is_persistent(request), 0))
        return refrain_request_take_posted(request, parameters, n) ? request : NULL;
    request->flags |= REFRAIN_REQUEST_ACTIVE;
    return request;
}

/* There is no memory for a request: records what can be recorded without it. */
static void record_blocking_form(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters,
                                 unsigned n) {
    refrain_lose(REFRAIN_LOSS_REQUESTS, 1);
    if (operation == REFRAIN_OP_ISEND)
        refrain_call_operation(call, REFRAIN_OP_SEND, parameters, n);
    else if (operation == REFRAIN_OP_ICOLLECTIVE)
        refrain_call_operation(call, REFRAIN_OP_COLLECTIVE, parameters, n);
    else if (operation == REFRAIN_OP_RMA_REQUEST)
        refrain_call_operation(call, REFRAIN_OP_RMA, parameters, n);
    else if (operation == REFRAIN_OP_IO_REQUEST)
        refrain_call_operation(call, REFRAIN_OP_IO, parameters, n);
}

/* Takes a request in a call that is not recorded (a pause, a filter). A receive may complete after the pause, and only
 * then its source is known. */
static struct refrain_request *take_untold(const struct refrain_call *call, enum refrain_operation operation,
                                           const int64_t *parameters, unsigned n) {
    if (operation == REFRAIN_OP_ISEND)
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, parameters[0], parameters[1], parameters[3]);
    refrain_mpi_lock();
    struct refrain_request *request = make(operation, parameters, n);
    refrain_mpi_unlock();
    if (!request) {
        refrain_lose(REFRAIN_LOSS_REQUESTS, 1);
        return NULL;
    }
    request->posted = 0;
    request->flags |= REFRAIN_REQUEST_UNTOLD;
    request->thread = REFRAIN_REQUEST_NOBODYS;
    return request;
}

/* Makes an entry with a number of the thread. Null without memory. */
static REFRAIN_INLINE struct refrain_request *make_numbered(uint32_t thread, enum refrain_operation operation,
                                                            const int64_t *parameters, unsigned n) {
    struct refrain_request *request = make(operation, parameters, n);
    uint32_t index;
    if (__builtin_expect(!request, 0))
        return NULL;
    if (!refrain_number_take(&refrain_numberings[thread], &index)) {
        refrain_request_give(request);
        return NULL;
    }
    request->index = index;
    request->thread = (uint16_t)thread;
    return request;
}

struct refrain_request *refrain_request_take(struct refrain_call *call, enum refrain_operation operation,
                                             const int64_t *parameters, unsigned n) {
    if (refrain_call_is_untold(call))
        return take_untold(call, operation, parameters, n);
    if (!call->entry)
        return NULL;
    struct refrain_numbering *numbering = &refrain_numberings[call->context->number];
    refrain_mpi_lock();
    if (numbering->orphans)
        refrain_number_free_orphans(call, numbering);
    struct refrain_request *request = make_numbered(call->context->number, operation, parameters, n);
    refrain_mpi_unlock();
    if (!request) {
        record_blocking_form(call, operation, parameters, n);
        return NULL;
    }
    struct refrain_operation_record *posted = refrain_call_operation(call, operation, parameters, n);
    if (!posted) {
        refrain_mpi_lock();
        refrain_request_unreserve(request);
        refrain_mpi_unlock();
        return NULL;
    }
    request->posted = refrain_reference(posted);
    return request;
}

struct refrain_request *refrain_request_reserve(const struct refrain_operation_values *values) {
    const struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(!context || context->busy | context->unusual || refrain_mpi_multiple, 0) ||
        refrain_numberings[context->number].orphans)
        return NULL;
    return make_numbered(context->number, values->operation, values->values, values->n);
}

void refrain_request_unreserve(struct refrain_request *request) {
    refrain_number_give(&refrain_numberings[request->thread], request->index);
    refrain_request_give(request);
}

void refrain_request_fixed(struct refrain_request *request, int64_t bytes) {
    request->flags |= REFRAIN_REQUEST_FIXED;
    if (refrain_request_is_persistent(request))
        refrain_request_posted(request)->parameters[2] = bytes;
}

void refrain_request_bind(struct refrain_call *call, struct refrain_request *request, bool bind, uint64_t key) {
    if (!request)
        return;
    unsigned index = request->index;
    refrain_mpi_lock();
    if (bind)
        refrain_request_insert(request, key);
    else
        refrain_request_give(request);
    refrain_mpi_unlock();
    if (!bind)
        refrain_number_free(call, index);
}

void refrain_request_rename(const struct refrain_call *call, uint64_t key, uint64_t new_key) {
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_remove(call, key, 0);
    if (request)
        refrain_request_insert(request, new_key);
    refrain_mpi_unlock();
}

/* The thread's own requests that one call starts. */
struct started {
    int64_t numbers[32]; /* recorded together */
    unsigned n;
};

static void record_started(struct refrain_call *call, struct started *started) {
    if (started->n > 0)
        refrain_call_operations(call, REFRAIN_OP_START, started->numbers, started->n);
    started->n = 0;
}

/* A request of another thread, or without a number, cannot be named by a START. Records what it does instead. */
static void record_others_start(struct refrain_call *call, unsigned operation, const int64_t *parameters) {
    bool untold = refrain_call_is_untold(call);
    if (untold && operation == REFRAIN_OP_SEND_INIT)
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, parameters[0], parameters[1], parameters[3]);
    else if (operation == REFRAIN_OP_SEND_INIT)
        refrain_call_operation(call, REFRAIN_OP_SEND, parameters, 4);
    else if (operation == REFRAIN_OP_COLLECTIVE_INIT)
        refrain_call_operation(call, REFRAIN_OP_COLLECTIVE, parameters, 4);
}

static void start(struct refrain_call *call, struct started *started, MPI_Request handle) {
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(handle), 0);
    if (!request) {
        refrain_mpi_unlock();
        return;
    }
    bool own = refrain_request_is_own(call, request);
    unsigned operation = request->operation;
    int64_t number = request->index;
    struct refrain_posted posted = {.parameters = {0}};
    request->flags &= (uint8_t)~REFRAIN_REQUEST_UNTOLD;
    request->flags |= REFRAIN_REQUEST_ACTIVE | (refrain_call_is_untold(call) ? REFRAIN_REQUEST_UNTOLD : 0);
    if (!own && refrain_request_is_persistent(request))
        posted = *refrain_request_posted(request);
    refrain_mpi_unlock();
    if (!own || started->n == sizeof started->numbers / sizeof *started->numbers)
        record_started(call, started);
    if (own)
        started->numbers[started->n++] = number;
    else
        record_others_start(call, operation, posted.parameters);
}

void refrain_requests_start(struct refrain_call *call, int count, const MPI_Request *array) {
    struct started started;
    started.n = 0;
    for (int i = 0; i < count && array; i++)
        start(call, &started, array[i]);
    record_started(call, &started);
}

void refrain_requests_not_started(struct refrain_call *call, int count, const MPI_Request *array) {
    for (int i = 0; i < count && array; i++) {
        refrain_mpi_lock();
        struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(array[i]), 0);
        bool own = request && refrain_request_is_own(call, request);
        int64_t index = request ? request->index : 0;
        if (request)
            request->flags &= (uint8_t)~REFRAIN_REQUEST_ACTIVE;
        refrain_mpi_unlock();
        if (own)
            refrain_call_operation(call, REFRAIN_OP_CANCELLED, &index, 1);
    }
}

void refrain_request_cancel(const struct refrain_call *call, MPI_Request handle) {
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(handle), 0);
    if (request)
        request->flags |= REFRAIN_REQUEST_CANCEL;
    refrain_requests.cancels = true;
    refrain_mpi_unlock();
}

int refrain_request_end_taking(struct refrain_call *call, struct refrain_request *taken, int rc,
                               const MPI_Request *request) {
    if (taken)
        refrain_request_bind(call, taken, rc == MPI_SUCCESS && *request != MPI_REQUEST_NULL,
                             rc == MPI_SUCCESS ? REFRAIN_MPI_KEY(*request) : 0);
    refrain_call_end(call);
    return rc;
}

/* ---- requests that end without completion ---- */

void refrain_request_lost(struct refrain_call *call, uint64_t key) {
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_remove(call, key, 0);
    bool own = request && refrain_request_is_own(call, request);
    unsigned index = request ? request->index : 0;
    if (request)
        refrain_request_settle(request, own, true);
    refrain_mpi_unlock();
    if (own)
        refrain_number_free(call, index);
}

void refrain_request_release(const struct refrain_call *call, MPI_Request handle, struct refrain_released *released) {
    *released = (struct refrain_released){.source = -1, .tag = -1};
    if (handle == MPI_REQUEST_NULL)
        return;
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_remove(call, REFRAIN_MPI_KEY(handle), 0);
    refrain_mpi_unlock();
    released->request = request;
    if (!request || !refrain_request_is_receive(request) || !(request->flags & REFRAIN_REQUEST_ACTIVE) ||
        request->flags & REFRAIN_REQUEST_CANCEL)
        return;
    released->receives = true;
    released->source = refrain_request_source(request);
    released->tag = request->message.tag;
    int has_come = 0;
    MPI_Status status;
    if ((released->source < 0 || released->tag < 0) &&
        PMPI_Request_get_status(handle, &has_come, &status) == MPI_SUCCESS && has_come) {
        released->source = status.MPI_SOURCE;
        released->tag = status.MPI_TAG;
    }
}

void refrain_request_released(struct refrain_call *call, struct refrain_released *released, bool gone) {
    struct refrain_request *request = released->request;
    released->receives &= gone;
    if (!request)
        return;
    int64_t comm = refrain_request_comm(request);
    bool own = refrain_request_is_own(call, request);
    unsigned index = request->index;
    refrain_mpi_lock();
    if (gone)
        refrain_request_settle(request, own, true);
    else
        refrain_request_put_back(request);
    refrain_mpi_unlock();
    if (gone && own)
        refrain_number_free(call, index);
    if (!released->receives)
        return;
    if (call->context)
        refrain_call_count_untold(call, REFRAIN_UNTOLD_RECEIVE, released->source, released->tag, comm);
    if (released->source < 0 || released->tag < 0 || !call->context)
        refrain_lose(REFRAIN_LOSS_REQUESTS, 1); /* the source of a receive is unknown before it completes */
}
