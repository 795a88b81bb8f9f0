/* mpi_requests.c: a request from its posting to its start (mpi_objects.h).
 *
 *     mpi_request_numbers.h    which number a replay gives it
 *     mpi_request_table.h      what is known of it, by its handle
 *     mpi_requests.c           it is posted, bound to its handle, started
 *     mpi_request_complete.c   it completes
 *     mpi_request_watch.c      arrays of requests that a call waits for
 *     mpi_request_await.c      what a call waits for, for those who look at it meanwhile
 */
#include "call.h"
#include "mpi_request_numbers.h"
#include "mpi_request_table.h"
#include "run/pool.h"
#include <refrain/trace.h>

/* Without a request: what can still be told. */
static void tell_blocking_form(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters,
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

/* In a pause. What a receive has received is known when it completes, be that after the pause. */
static struct refrain_request *take_untold(const struct refrain_call *call, enum refrain_operation operation,
                                           const int64_t *parameters, unsigned n) {
    if (operation == REFRAIN_OP_ISEND)
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, parameters[0], parameters[1], parameters[3]);
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_make(operation, parameters, n);
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

struct refrain_request *refrain_request_take(struct refrain_call *call, enum refrain_operation operation,
                                             const int64_t *parameters, unsigned n) {
    if (refrain_call_is_untold(call))
        return take_untold(call, operation, parameters, n);
    if (!call->entry)
        return NULL;
    struct refrain_numbering *numbering = &refrain_numberings[call->context->number];
    uint32_t index = 0;
    refrain_mpi_lock();
    if (numbering->orphans)
        refrain_number_free_orphans(call, numbering);
    struct refrain_request *request = refrain_request_make(operation, parameters, n);
    bool numbered = request && refrain_number_take(numbering, &index);
    if (request && !numbered)
        refrain_request_give(request);
    refrain_mpi_unlock();
    if (!numbered) {
        tell_blocking_form(call, operation, parameters, n);
        return NULL;
    }
    struct refrain_operation_record *posted = refrain_call_operation(call, operation, parameters, n);
    if (!posted) {
        refrain_mpi_lock();
        refrain_number_give(numbering, index);
        refrain_request_give(request);
        refrain_mpi_unlock();
        return NULL;
    }
    request->posted = refrain_reference(posted);
    request->index = index;
    request->thread = (uint16_t)call->context->number;
    return request;
}

struct refrain_request *refrain_request_reserve(const struct refrain_told *told) {
    const struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(!context || context->busy | context->unusual || refrain_mpi_multiple, 0))
        return NULL;
    struct refrain_numbering *numbering = &refrain_numberings[context->number];
    struct refrain_request *request =
        numbering->orphans ? NULL : refrain_request_make(told->operation, told->values, told->n);
    if (__builtin_expect(!request, 0))
        return NULL;
    uint32_t index;
    if (!refrain_number_take(numbering, &index)) {
        refrain_request_give(request);
        return NULL;
    }
    request->index = index;
    request->thread = (uint16_t)context->number;
    return request;
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
    struct refrain_request *request = refrain_requests.bound ? refrain_request_find(call, key, 0) : NULL;
    if (request) {
        refrain_request_unlink(request);
        refrain_request_insert(request, new_key);
    }
    refrain_mpi_unlock();
}

/* The thread's own requests that are started in one call. */
struct started {
    int64_t numbers[32]; /* told together */
    unsigned n;
};

static void tell_started(struct refrain_call *call, struct started *started) {
    if (started->n > 0)
        refrain_call_operations(call, REFRAIN_OP_START, started->numbers, started->n);
    started->n = 0;
}

/* A request that another thread has made, or that is nobody's, is told as what it does. */
static void tell_others_start(struct refrain_call *call, unsigned operation, const int64_t *parameters) {
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
    struct refrain_request *request =
        refrain_requests.bound ? refrain_request_find(call, REFRAIN_MPI_KEY(handle), 0) : NULL;
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
        tell_started(call, started);
    if (own)
        started->numbers[started->n++] = number;
    else
        tell_others_start(call, operation, posted.parameters);
}

void refrain_requests_start(struct refrain_call *call, int count, const MPI_Request *array) {
    struct started started;
    started.n = 0;
    for (int i = 0; i < count && array; i++)
        start(call, &started, array[i]);
    tell_started(call, &started);
}

void refrain_requests_not_started(struct refrain_call *call, int count, const MPI_Request *array) {
    for (int i = 0; i < count && array; i++) {
        refrain_mpi_lock();
        struct refrain_request *request =
            refrain_requests.bound ? refrain_request_find(call, REFRAIN_MPI_KEY(array[i]), 0) : NULL;
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
    uint64_t key = REFRAIN_MPI_KEY(handle);
    refrain_mpi_lock();
    struct refrain_request *request = refrain_requests.bound ? refrain_request_find(call, key, 0) : NULL;
    if (!request)
        request = refrain_request_find_watched(key);
    if (request)
        request->flags |= REFRAIN_REQUEST_CANCEL;
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
