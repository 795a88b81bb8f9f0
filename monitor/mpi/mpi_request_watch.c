/* mpi_request_watch.c: the requests that a call waits for or tests, and their completion (mpi_requests.h). */
#include "call.h"
#include "context.h"
#include "mpi_communicators.h"
#include "mpi_idup.h"
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

#define MOST_AWAITED_ANY 8 /* looking up more of them takes too long */

void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests) {
    struct awaiting awaiting = awaiting_begin(call);
    if (awaiting.unknown || refrain_requests.bound == 0 || !requests || count > MOST_AWAITED_ANY)
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

/* ---- completions ---- */

/* A sequence of completed requests whose numbers are in sequence, too; they are recorded together. */
struct run {
    struct refrain_completion completions[REFRAIN_RUN_REQUESTS];
    uint64_t persistent; /* bit i: number first + i stays in use */
    uint32_t first, n;
    uint32_t thread; /* the calling thread's number; UINT32_MAX if the call is not traced */
};

static REFRAIN_INLINE void run_begin(const struct refrain_call *call, struct run *run) {
    run->thread = call->entry ? call->context->number : UINT32_MAX;
    run->persistent = 0;
    run->first = run->n = 0;
}

/* Fills in the message of a receive, or the bytes that a file access moved. -1: unknown. */
static REFRAIN_INLINE void message_of(const struct refrain_request *request, MPI_Status *status,
                                      struct refrain_completion *message) {
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
static REFRAIN_INLINE void give_numbers(const struct refrain_call *call, const struct run *run) {
    uint64_t given = (UINT64_MAX >> (64 - run->n)) & ~run->persistent;
    if (!given)
        return;
    refrain_mpi_lock();
    refrain_numbers_give(&refrain_numberings[call->context->number], run->first, given);
    refrain_mpi_unlock();
}

static __attribute__((noinline)) void run_record(struct refrain_call *call, struct run *run) {
    if (run->n > 0 && refrain_call_complete(call, run->first, run->completions, run->n, false))
        give_numbers(call, run);
    run->n = 0;
    run->persistent = 0;
}

static void run_end(struct refrain_call *call, struct run *run) {
    if (run->n == 0)
        refrain_call_end(call);
    else if (refrain_call_complete(call, run->first, run->completions, run->n, true))
        give_numbers(call, run);
}

/* Returns where the completion of the thread's own `request` has to be stored. Records the waiting ones first if they
 * cannot be recorded together with it. */
static REFRAIN_INLINE struct refrain_completion *run_next(struct refrain_call *call, struct run *run,
                                                          const struct refrain_request *request) {
    if (run->n == REFRAIN_RUN_REQUESTS || request->index != run->first + run->n) {
        if (run->n > 0)
            run_record(call, run);
        run->first = request->index;
    }
    return &run->completions[run->n++];
}

/* Records that a request was cancelled, or completes in another thread than its own or after a pause. */
static __attribute__((noinline)) void add_other(struct refrain_call *call, struct run *run,
                                                const struct refrain_request *request, bool own, bool cancelled,
                                                MPI_Status *status) {
    run_record(call, run);
    if (own && cancelled) {
        refrain_call_returned(call);
        bool recorded = refrain_call_operation(call, REFRAIN_OP_CANCELLED, (int64_t[]){request->index}, 1) != NULL;
        refrain_number_done(call, request->index, recorded && !refrain_request_is_persistent(request));
    } else if (!cancelled) {
        record_others_completion(call, request, status);
    }
}

/* Records the completion of `request`, now or with the next one. */
static REFRAIN_INLINE void run_add(struct refrain_call *call, struct run *run, const struct refrain_request *request,
                                   bool own, MPI_Status *status) {
    int cancelled = 0;
    if (__builtin_expect(refrain_requests.cancels && status, 0))
        PMPI_Test_cancelled(status, &cancelled);
    if (!cancelled && refrain_request_is_receive(request) && status)
        refrain_order_receives(refrain_request_comm(request), status->MPI_SOURCE, status->MPI_TAG, false);
    own &= !(request->flags & REFRAIN_REQUEST_UNTOLD);
    if (__builtin_expect(own && !cancelled, 1)) {
        message_of(request, status, run_next(call, run, request));
        run->persistent |= (uint64_t)refrain_request_is_persistent(request) << (run->n - 1);
    } else {
        add_other(call, run, request, own, cancelled, status);
    }
    if (__builtin_expect(request->flags & REFRAIN_REQUEST_IDUP, 0)) {
        run_record(call, run);
        refrain_idup_complete((unsigned)request->message.peer);
    }
}

/* ---- arrays ---- */

/* The requests of an array that were looked up. */
struct looked_up {
    uint32_t *link; /* where the next one is linked */
    struct awaiting awaiting;
    bool others; /* not only sends */
};

static REFRAIN_INLINE void look_up(struct looked_up *looked_up, const struct refrain_call *call, MPI_Request handle,
                                   uint32_t position) {
    struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(handle), 0);
    looked_up->awaiting.unknown |= !request && handle != MPI_REQUEST_NULL;
    if (!request || !(request->flags & REFRAIN_REQUEST_ACTIVE))
        return;
    refrain_request_unlink(refrain_request_bucket(REFRAIN_MPI_KEY(handle)), request);
    request->position = position;
    *looked_up->link = refrain_request_place(request);
    looked_up->link = &request->watched;
    looked_up->others |= !refrain_request_is_send(request);
    if (!looked_up->awaiting.unknown)
        awaiting_add(&looked_up->awaiting, request);
}

void refrain_watch_begin(const struct refrain_call *call, struct refrain_watch *watch, int count,
                         const MPI_Request *array, bool waits) {
    struct looked_up looked_up = {.link = &watch->first, .awaiting = awaiting_begin(call)};
    looked_up.awaiting.unknown |= !waits || refrain_requests.bound == 0 || !array;
    if (refrain_requests.bound > 0 && array) {
        refrain_mpi_lock();
        for (int i = 0; i < count; i++)
            look_up(&looked_up, call, array[i], (uint32_t)i);
        refrain_mpi_unlock();
    }
    *looked_up.link = 0;
    watch->needs_statuses = looked_up.others || refrain_requests.cancels || refrain_mpi_multiple;
    awaiting_publish(&looked_up.awaiting);
}

/* A request of the array is complete, or has gone without a message. */
static REFRAIN_INLINE void watched_done(struct refrain_call *call, struct run *run, struct refrain_request *request,
                                        bool completed, MPI_Status *status) {
    bool own = request->thread == run->thread;
    if (__builtin_expect(completed, 1)) {
        run_add(call, run, request, own, status);
    } else if (own) {
        run_record(call, run);
        refrain_number_free(call, request->index);
    }
    refrain_mpi_lock();
    refrain_request_settle(request, own, !completed);
    refrain_mpi_unlock();
}

/* Handles one request of the array after a call that returned `rc`, with this status if it is known. False if it is
 * still in progress. */
static REFRAIN_INLINE bool watched_returned(struct refrain_call *call, struct run *run, struct refrain_request *request,
                                            int rc, const MPI_Request *array, MPI_Status *status) {
    bool completed = rc == MPI_SUCCESS || (rc == MPI_ERR_IN_STATUS && status && status->MPI_ERROR == MPI_SUCCESS);
    if (!completed && array[request->position] != MPI_REQUEST_NULL)
        return false;
    watched_done(call, run, request, completed, status);
    return true;
}

/* Puts the requests that are left in the list back. Those of one handle are put back the latest one first, so that the
 * oldest one is found first again. */
static __attribute__((noinline)) void put_back(uint32_t first) {
    uint32_t latest = 0;
    for (uint32_t n = first, next; n; latest = n, n = next) {
        next = refrain_request_at(n - 1)->watched;
        refrain_request_at(n - 1)->watched = latest;
    }
    refrain_mpi_lock();
    for (; latest; latest = refrain_request_at(latest - 1)->watched)
        refrain_request_put_back(refrain_request_at(latest - 1));
    refrain_mpi_unlock();
}

/* The link to the request at this position of the array, searched from `link` on. Null if there is none. */
static uint32_t *link_of(struct refrain_watch *watch, uint32_t *link, uint32_t position) {
    if (!*link || refrain_request_at(*link - 1)->position > position)
        link = &watch->first;
    while (*link && refrain_request_at(*link - 1)->position < position)
        link = &refrain_request_at(*link - 1)->watched;
    return *link && refrain_request_at(*link - 1)->position == position ? link : NULL;
}

void refrain_watch_end(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array, int n,
                       const int *indices, MPI_Status *statuses) {
    struct run run;
    uint32_t *link = &watch->first;
    if (statuses == MPI_STATUSES_IGNORE)
        statuses = NULL;
    run_begin(call, &run);
    for (int i = 0; indices ? i < n : *link != 0; i++) {
        uint32_t *found = indices ? link_of(watch, link, (uint32_t)indices[i]) : link;
        if (!found)
            continue;
        struct refrain_request *request = refrain_request_at(*found - 1);
        uint32_t next = request->watched;
        MPI_Status *status = !statuses ? NULL : &statuses[indices ? (uint32_t)i : request->position];
        link = found;
        if (watched_returned(call, &run, request, rc, array, status))
            *link = next;
        else if (!indices)
            link = &request->watched;
    }
    run_end(call, &run);
    if (watch->first)
        put_back(watch->first);
}

void refrain_request_end_complete(struct refrain_call *call, uint64_t key, unsigned older, MPI_Status *status) {
    struct refrain_watch watch = {.first = 0};
    refrain_mpi_lock();
    struct refrain_request *request = refrain_request_find(call, key, older);
    if (request && request->flags & REFRAIN_REQUEST_ACTIVE) {
        refrain_request_unlink(refrain_request_bucket(key), request);
        request->position = request->watched = 0;
        watch.first = refrain_request_place(request);
    }
    refrain_mpi_unlock();
    refrain_watch_end(call, &watch, MPI_SUCCESS, NULL, 0, NULL, status);
}
