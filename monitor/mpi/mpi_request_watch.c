/* mpi_request_watch.c: arrays of requests that a call waits for or tests (mpi_requests.h). */
#include "call.h"
#include "context.h"
#include "mpi_communicators.h"
#include "mpi_request_complete.h"
#include "mpi_request_table.h"
#include "mpi_types.h"
#include "run/pool.h"
#include <refrain/trace.h>

/* ---- what a call is about to wait for, for those who look at the process meanwhile (struct refrain_now) ---- */

/* What the requests of a call wait for, as far as they have been looked up. */
struct awaiting {
    struct refrain_now *now; /* of the waiting thread */
    uint32_t n;
    uint32_t sends; /* bits */
    uint32_t comm;  /* index + 1; 0: unknown, or several */
    bool several;   /* several communicators: partners are ranks in MPI_COMM_WORLD */
    bool unknown;   /* there are unknown ones, or more than fit */
};

static REFRAIN_INLINE struct awaiting awaiting_begin(const struct refrain_call *call) {
    return (struct awaiting){.now = call->entry ? &call->context->thread->now : NULL, .unknown = !call->entry};
}

/* The message with its partner's rank in MPI_COMM_WORLD. */
static struct refrain_awaited in_world(struct awaiting *awaiting, struct refrain_awaited message,
                                       const struct refrain_communicator *communicator) {
    if (message.peer != REFRAIN_NOW_ANY)
        message.peer = refrain_communicator_world_rank(communicator, message.peer);
    awaiting->unknown |= message.peer == -1;
    return message;
}

/* The same for a request with another communicator than those before it. Out of line, since finding communicators takes
 * long. */
static __attribute__((noinline)) void awaiting_add_other(struct awaiting *awaiting, struct refrain_awaited message,
                                                         uint32_t comm) {
    struct refrain_awaited *awaited = awaiting->now->awaited;
    if (!awaiting->several) {
        const struct refrain_communicator *first = refrain_communicator_at((int64_t)awaiting->comm - 1);
        for (uint32_t i = 0; i < awaiting->n; i++)
            awaited[i] = in_world(awaiting, awaited[i], first);
        awaiting->several = true;
        awaiting->comm = 0;
    }
    awaited[awaiting->n++] = in_world(awaiting, message, refrain_communicator_at((int64_t)comm - 1));
}

/* Adds what the request waits for. */
static REFRAIN_INLINE void awaiting_add(struct awaiting *awaiting, const struct refrain_request *request) {
    uint32_t sends = refrain_request_is_send(request), n = awaiting->n;
    if (!sends && !refrain_request_is_receive(request)) {
        awaiting->unknown |= request->operation != REFRAIN_OP_NOTHING;
        return;
    }
    uint32_t comm = (uint32_t)(refrain_request_comm(request) + 1);
    awaiting->unknown |= n == REFRAIN_MOST_AWAITED;
    if (awaiting->unknown)
        return;
    awaiting->sends |= sends << n;
    if (n > 0 && comm != awaiting->comm) {
        awaiting_add_other(awaiting, request->message, comm);
        return;
    }
    awaiting->comm = comm;
    awaiting->now->awaited[n] = request->message;
    awaiting->n = n + 1;
}

/* Others may read it at any time, so the number is stored last. */
static REFRAIN_INLINE void awaiting_publish(const struct awaiting *awaiting) {
    if (awaiting->unknown)
        return;
    awaiting->now->sends = awaiting->sends;
    awaiting->now->comm = awaiting->comm;
    __atomic_store_n(&awaiting->now->n_awaited, awaiting->n, __ATOMIC_RELEASE);
}

void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests) {
    struct awaiting awaiting = awaiting_begin(call);
    if (awaiting.unknown || refrain_requests.bound == 0 || !requests)
        return;
    refrain_mpi_lock();
    for (int i = 0; i < count && !awaiting.unknown; i++) {
        const struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(requests[i]), 0);
        if (!request)
            awaiting.unknown = requests[i] != MPI_REQUEST_NULL;
        else if (request->flags & REFRAIN_REQUEST_ACTIVE)
            awaiting_add(&awaiting, request);
    }
    refrain_mpi_unlock();
    awaiting_publish(&awaiting);
}

/* ---- usual requests, for which a call waits: a thread's own messages under way, each the oldest of its handle. They
 * are taken out of the table before the call, and given back after it. ---- */

/* The thread's ordinary request that is the oldest in the bucket, if it has this key. Else null. */
static REFRAIN_INLINE struct refrain_request *usual_request(const struct refrain_request_bucket *bucket, uint64_t key,
                                                            uint32_t thread) {
    struct refrain_request *request = bucket->head;
    return __builtin_expect(request && request->handle == key && request->thread == thread &&
                                request->flags == REFRAIN_REQUEST_ACTIVE &&
                                (request->operation == REFRAIN_OP_IRECV || request->operation == REFRAIN_OP_ISEND),
                            1)
               ? request
               : NULL;
}

/* Removes the only request that a call will wait for from the table. True if it receives, so its status is needed. */
static REFRAIN_INLINE bool take_out(const struct refrain_request *request, struct refrain_now *now) {
    struct refrain_request_bucket *bucket = refrain_request_bucket(request->handle);
    bool receives = request->operation == REFRAIN_OP_IRECV;
    bucket->head = request->next ? refrain_request_at(request->next - 1) : NULL;
    refrain_requests.bound--;
    now->awaited[0] = request->message;
    awaiting_publish(&(struct awaiting){.now = now, .n = 1, .sends = !receives, .comm = request->comm});
    return receives;
}

/* ---- arrays ---- */

/* The requests of an array that were looked up. */
struct looked_up {
    uint32_t *link; /* where the next one is linked */
    struct awaiting awaiting;
    bool needs_statuses;
};

static REFRAIN_INLINE void look_up(struct looked_up *looked_up, const struct refrain_call *call, MPI_Request handle,
                                   uint32_t position) {
    struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(handle), 0);
    looked_up->awaiting.unknown |= !request && handle != MPI_REQUEST_NULL;
    if (!request || !(request->flags & REFRAIN_REQUEST_ACTIVE))
        return;
    request->flags |= REFRAIN_REQUEST_WATCHED;
    request->position = position;
    *looked_up->link = refrain_request_place(request);
    looked_up->link = &request->watched;
    looked_up->needs_statuses |=
        refrain_request_needs_status(request) || refrain_mpi_multiple; /* it may be cancelled */
    if (!looked_up->awaiting.unknown)
        awaiting_add(&looked_up->awaiting, request);
}

void refrain_watch_begin(const struct refrain_call *call, struct refrain_watch *watch, int count,
                         const MPI_Request *array, bool waits) {
    struct looked_up looked_up = {.link = &watch->first, .awaiting = awaiting_begin(call)};
    looked_up.awaiting.unknown |= !waits || refrain_requests.bound == 0 || !array;
    watch->n_taken = 0;
    if (refrain_requests.bound > 0 && array) {
        refrain_mpi_lock();
        for (int i = 0; i < count; i++)
            look_up(&looked_up, call, array[i], (uint32_t)i);
        refrain_mpi_unlock();
    }
    *looked_up.link = 0;
    watch->needs_statuses = looked_up.needs_statuses;
    awaiting_publish(&looked_up.awaiting);
}

/* True if only one thread calls MPI, is not paused, and MPI chooses the order of messages. */
static REFRAIN_INLINE bool is_usual_call(const struct refrain_call *call) {
    return __builtin_expect(call->entry && !refrain_mpi_multiple && !refrain_mpi_often.order, 1);
}

/* Puts the requests back, the oldest first. */
static __attribute__((noinline)) void put_back(const struct refrain_watch *watch, uint32_t n) {
    for (uint32_t i = n; i-- > 0;) {
        struct refrain_request *request = watch->taken[i];
        struct refrain_request_bucket *bucket = refrain_request_bucket(request->handle);
        request->next = bucket->head ? refrain_request_place(bucket->head) : 0;
        if (!bucket->head)
            bucket->tail = request;
        bucket->head = request;
    }
    refrain_requests.bound += n;
}

/* The completion of an ordinary receive with this status. */
static REFRAIN_INLINE struct refrain_completion completion_of(const struct refrain_request *request,
                                                              const MPI_Status *status) {
    return (struct refrain_completion){refrain_at_reference(request->posted), status->MPI_SOURCE, status->MPI_TAG,
                                       refrain_status_bytes(status), refrain_request_comm(request)};
}

/* Removes the requests from the table. False, and nothing has changed, unless all are ordinary ones of one
 * communicator. */
static REFRAIN_INLINE bool take_all(const struct refrain_context *context, struct refrain_watch *watch, uint32_t count,
                                    const MPI_Request *array) {
    struct refrain_now *now = &context->thread->now;
    uint32_t thread = context->number, sends = 0, comm = 0, i = 0;
    bool receives = false;
    for (; i < count; i++) {
        uint64_t key = REFRAIN_MPI_KEY(array[i]);
        struct refrain_request_bucket *bucket = refrain_request_bucket(key);
        struct refrain_request *request = usual_request(bucket, key, thread);
        if (!request || (i > 0 && request->comm != comm))
            break;
        bool is_receive = request->operation == REFRAIN_OP_IRECV;
        bucket->head = request->next ? refrain_request_at(request->next - 1) : NULL;
        comm = request->comm;
        sends |= (uint32_t)!is_receive << i;
        receives |= is_receive;
        watch->taken[i] = request;
        now->awaited[i] = request->message;
    }
    refrain_requests.bound -= i;
    if (__builtin_expect(i < count, 0)) {
        put_back(watch, i);
        return false;
    }
    watch->first = 0;
    watch->n_taken = count;
    watch->needs_statuses = receives;
    awaiting_publish(&(struct awaiting){.now = now, .n = count, .sends = sends, .comm = comm});
    return true;
}

static REFRAIN_INLINE bool are_few(int count, const MPI_Request *array) {
    return array && count > 0 && count <= (int)REFRAIN_MOST_AWAITED;
}

void refrain_watch_wait_all(const struct refrain_call *call, struct refrain_watch *watch, int count,
                            const MPI_Request *array) {
    if (!is_usual_call(call) || !are_few(count, array) || !take_all(call->context, watch, (uint32_t)count, array))
        refrain_watch_begin(call, watch, count, array, true);
}

struct refrain_request *refrain_request_wait(const struct refrain_call *call, MPI_Request handle, bool *needs_status) {
    uint64_t key = REFRAIN_MPI_KEY(handle);
    const struct refrain_request_bucket *bucket = refrain_request_bucket(key);
    struct refrain_request *request = is_usual_call(call) ? usual_request(bucket, key, call->context->number) : NULL;
    if (__builtin_expect(!request, 0))
        return NULL;
    *needs_status = take_out(request, &call->context->thread->now);
    return request;
}

void refrain_request_end_waited(struct refrain_call *call, struct refrain_request *request, const MPI_Status *status) {
    struct refrain_completion completion = {NULL, -1, -1, -1, -1};
    uint32_t index = request->index;
    if (request->operation == REFRAIN_OP_IRECV)
        completion = completion_of(request, status);
    refrain_request_entry_give(request);
    if (refrain_call_complete(call, index, &completion, 1, true))
        refrain_number_give(&refrain_numberings[call->context->number], index);
}

/* A request of the array is complete, or has gone without a message. */
static REFRAIN_INLINE void watched_done(struct refrain_call *call, struct refrain_request_run *run,
                                        struct refrain_request *request, bool completed, MPI_Status *status) {
    if (completed) {
        refrain_request_run_add(call, run, request, status);
    } else if (refrain_request_is_own(call, request)) {
        refrain_request_run_record(call, run);
        refrain_number_free(call, request->index);
    }
    refrain_mpi_lock();
    refrain_request_settle(call, request, !completed);
    refrain_mpi_unlock();
}

/* It is still in progress, and another thread may cancel it now. */
static void not_watched(struct refrain_request *request) {
    refrain_mpi_lock();
    request->flags &= (uint8_t)~REFRAIN_REQUEST_WATCHED;
    refrain_mpi_unlock();
}

/* Handles one request of the array after a call that returned `rc`, with this status if it is known. */
static REFRAIN_INLINE void watched_returned(struct refrain_call *call, struct refrain_request_run *run,
                                            struct refrain_request *request, int rc, const MPI_Request *array,
                                            MPI_Status *status) {
    if (rc == MPI_SUCCESS || (rc == MPI_ERR_IN_STATUS && status && status->MPI_ERROR == MPI_SUCCESS))
        watched_done(call, run, request, true, status);
    else if (array[request->position] == MPI_REQUEST_NULL)
        watched_done(call, run, request, false, NULL);
    else
        not_watched(request);
}

/* Handles the requests that were removed from the table, with the statuses that they need. */
static REFRAIN_INLINE void taken_done(struct refrain_call *call, const struct refrain_watch *watch,
                                      const MPI_Status *statuses) {
    struct refrain_request_run run;
    refrain_request_run_begin(&run);
    for (uint32_t i = 0; i < watch->n_taken; i++) {
        struct refrain_request *request = watch->taken[i];
        struct refrain_completion *completion = refrain_request_run_next(call, &run, request);
        completion->posted = NULL;
        if (request->operation == REFRAIN_OP_IRECV)
            *completion = completion_of(request, &statuses[i]);
        refrain_request_entry_give(request);
    }
    refrain_request_run_end(call, &run);
}

/* They are put back, and marked as watched. */
static __attribute__((noinline)) void taken_watched(struct refrain_watch *watch) {
    uint32_t *link = &watch->first;
    put_back(watch, watch->n_taken);
    for (uint32_t i = 0; i < watch->n_taken; i++) {
        struct refrain_request *request = watch->taken[i];
        request->flags |= REFRAIN_REQUEST_WATCHED;
        request->position = i;
        *link = refrain_request_place(request);
        link = &request->watched;
    }
    *link = 0;
}

static __attribute__((noinline)) void watched_all(struct refrain_call *call, const struct refrain_watch *watch, int rc,
                                                  const MPI_Request *array, MPI_Status *statuses) {
    struct refrain_request_run run;
    refrain_request_run_begin(&run);
    for (uint32_t n = watch->first, next; n; n = next) {
        struct refrain_request *request = refrain_request_at(n - 1);
        next = request->watched;
        watched_returned(call, &run, request, rc, array, statuses ? &statuses[request->position] : NULL);
    }
    refrain_request_run_end(call, &run);
}

void refrain_watch_end_all(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array,
                           MPI_Status *statuses) {
    if (__builtin_expect(watch->n_taken && rc == MPI_SUCCESS && (statuses || !watch->needs_statuses), 1)) {
        taken_done(call, watch, statuses);
        return;
    }
    if (watch->n_taken)
        taken_watched(watch);
    watched_all(call, watch, rc, array, statuses);
}

void refrain_watch_end_some(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array,
                            int n, const int *indices, MPI_Status *statuses) {
    struct refrain_request_run run;
    uint32_t *link = &watch->first;
    refrain_request_run_begin(&run);
    for (int i = 0; i < n; i++) {
        if (*link && refrain_request_at(*link - 1)->position > (uint32_t)indices[i])
            link = &watch->first;
        while (*link && refrain_request_at(*link - 1)->position < (uint32_t)indices[i])
            link = &refrain_request_at(*link - 1)->watched;
        if (!*link || refrain_request_at(*link - 1)->position != (uint32_t)indices[i])
            continue;
        struct refrain_request *request = refrain_request_at(*link - 1);
        *link = request->watched;
        watched_returned(call, &run, request, rc, array, statuses ? &statuses[i] : NULL);
    }
    refrain_request_run_end(call, &run);
    for (uint32_t place = watch->first; place; place = refrain_request_at(place - 1)->watched)
        not_watched(refrain_request_at(place - 1));
}
