/* mpi_requests.c: the life of a request, from posting to completion (mpi_requests.h). */
#include "call.h"
#include "mpi_idup.h"
#include "mpi_request_complete.h"
#include "mpi_request_table.h"
#include "run/pool.h"
#include <refrain/trace.h>

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

/* Takes a request in a pause. What a receive has received is known when it completes, maybe after the pause. */
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
        record_blocking_form(call, operation, parameters, n);
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

struct refrain_request *refrain_request_reserve(const struct refrain_operation_values *values) {
    const struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(!context || context->busy | context->unusual || refrain_mpi_multiple, 0))
        return NULL;
    struct refrain_numbering *numbering = &refrain_numberings[context->number];
    struct refrain_request *request =
        numbering->orphans ? NULL : refrain_request_make(values->operation, values->values, values->n);
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

/* Records the start of a request of another thread, or without a number, by what it does. */
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

/* ---- completion, and requests that end without it ---- */

/* Fills in the message of a receive, or the bytes that a file access moved. -1: unknown. */
static void message_of(const struct refrain_request *request, MPI_Status *status, struct refrain_completion *message) {
    message->posted = NULL;
    message->source = message->tag = message->bytes = -1;
    if (!refrain_request_is_receive(request) && !refrain_request_is_file_access(request))
        return;
    message->posted = request->posted ? refrain_at_reference(request->posted) : NULL;
    message->comm = refrain_request_comm(request);
    if (refrain_request_is_file_access(request)) {
        message->bytes = status ? refrain_status_bytes(status) : -1;
    } else if (request->flags & REFRAIN_REQUEST_FIXED) {
        message->source = refrain_request_source(request);
        message->tag = request->message.tag;
        message->bytes = refrain_request_is_persistent(request) ? refrain_request_posted(request)->parameters[2] : -1;
    } else if (status) {
        message->source = status->MPI_SOURCE;
        message->tag = status->MPI_TAG;
        message->bytes = refrain_status_bytes(status);
    } else {
        refrain_lose(REFRAIN_LOSS_REQUESTS, 1);
    }
}

/* Records the completion of a request of another thread, or one that began in a pause: its number has no meaning here.
 * A send that was not recorded does not complete. */
static void record_others_completion(struct refrain_call *call, const struct refrain_request *request,
                                     MPI_Status *status) {
    refrain_call_returned(call);
    if (refrain_request_is_receive(request)) {
        struct refrain_completion message;
        message_of(request, status, &message);
        int64_t parameters[] = {message.source, message.tag, message.bytes, refrain_request_comm(request)};
        if (!refrain_call_is_untold(call))
            refrain_call_operation(call, REFRAIN_OP_RECV, parameters, 4);
        else if (message.source >= 0)
            refrain_call_count_untold(call, REFRAIN_UNTOLD_RECEIVE, message.source, message.tag, parameters[3]);
    } else if (request->operation != REFRAIN_OP_NOTHING && !(request->flags & REFRAIN_REQUEST_UNTOLD)) {
        int64_t parameters[] = {request->operation, refrain_request_comm(request)};
        refrain_call_operation(call, REFRAIN_OP_COMPLETE_OTHER, parameters, 2);
    }
}

/* Their completion has been recorded: frees their numbers, except those of persistent requests. */
static void give_numbers(const struct refrain_call *call, const struct refrain_request_run *run) {
    uint64_t given = (UINT64_MAX >> (64 - run->n)) & ~run->persistent;
    if (!given)
        return;
    refrain_mpi_lock();
    refrain_numbers_give(&refrain_numberings[call->context->number], run->first, given);
    refrain_mpi_unlock();
}

void refrain_request_run_record(struct refrain_call *call, struct refrain_request_run *run) {
    if (run->n > 0 && refrain_call_complete(call, run->first, run->completions, run->n, false))
        give_numbers(call, run);
    run->n = 0;
    run->persistent = 0;
}

void refrain_request_run_end(struct refrain_call *call, struct refrain_request_run *run) {
    if (run->n == 0)
        refrain_call_end(call);
    else if (refrain_call_complete(call, run->first, run->completions, run->n, true))
        give_numbers(call, run);
}

void refrain_request_run_add(struct refrain_call *call, struct refrain_request_run *run,
                             const struct refrain_request *request, MPI_Status *status) {
    int cancelled = 0;
    bool own = refrain_request_is_own(call, request) && !(request->flags & REFRAIN_REQUEST_UNTOLD);
    if (request->flags & REFRAIN_REQUEST_CANCEL && status)
        PMPI_Test_cancelled(status, &cancelled);
    if (!cancelled && refrain_request_is_receive(request) && status)
        refrain_order_receives(refrain_request_comm(request), status->MPI_SOURCE, status->MPI_TAG, false);
    if (own && !cancelled) {
        message_of(request, status, refrain_request_run_next(call, run, request));
        run->persistent |= (uint64_t)refrain_request_is_persistent(request) << (run->n - 1);
    } else {
        refrain_request_run_record(call, run);
        if (own) {
            refrain_call_returned(call);
            bool recorded = refrain_call_operation(call, REFRAIN_OP_CANCELLED, (int64_t[]){request->index}, 1) != NULL;
            refrain_number_done(call, request->index, recorded && !refrain_request_is_persistent(request));
        } else if (!cancelled) {
            record_others_completion(call, request, status);
        }
    }
    if (request->flags & REFRAIN_REQUEST_IDUP) {
        refrain_request_run_record(call, run);
        refrain_idup_complete((unsigned)request->message.peer);
    }
}

void refrain_request_end_complete(struct refrain_call *call, uint64_t key, unsigned older, MPI_Status *status) {
    struct refrain_request_run run;
    refrain_mpi_lock();
    struct refrain_request *request = refrain_requests.bound ? refrain_request_find(call, key, older) : NULL;
    if (request && !(request->flags & REFRAIN_REQUEST_ACTIVE))
        request = NULL;
    if (request)
        request->flags |= REFRAIN_REQUEST_WATCHED; /* so no other thread takes the one with the same handle */
    refrain_mpi_unlock();
    if (!request) {
        refrain_call_end(call);
        return;
    }
    refrain_request_run_begin(&run);
    refrain_request_run_add(call, &run, request, status);
    refrain_request_run_end(call, &run);
    refrain_mpi_lock();
    refrain_request_settle(call, request, false);
    refrain_mpi_unlock();
}

void refrain_request_lost(struct refrain_call *call, uint64_t key) {
    refrain_mpi_lock();
    struct refrain_request *request = refrain_requests.bound ? refrain_request_find(call, key, 0) : NULL;
    bool own = request && refrain_request_is_own(call, request);
    unsigned index = request ? request->index : 0;
    if (request)
        refrain_request_settle(call, request, true);
    refrain_mpi_unlock();
    if (own)
        refrain_number_free(call, index);
}

void refrain_request_release(const struct refrain_call *call, MPI_Request handle, struct refrain_released *released) {
    *released = (struct refrain_released){.source = -1, .tag = -1};
    if (handle == MPI_REQUEST_NULL)
        return;
    refrain_mpi_lock();
    struct refrain_request *request =
        refrain_requests.bound ? refrain_request_find(call, REFRAIN_MPI_KEY(handle), 0) : NULL;
    if (request)
        request->flags |= REFRAIN_REQUEST_WATCHED; /* so no other thread takes the one with the same handle */
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
    request->flags &= (uint8_t)~REFRAIN_REQUEST_WATCHED;
    if (gone)
        refrain_request_settle(call, request, true);
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
