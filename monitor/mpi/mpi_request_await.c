/* mpi_request_await.c: what a call is about to wait for, for those who look at the process meanwhile (struct
 * refrain_now; mpi_objects.h). */
#include "mpi_request_table.h"

void refrain_request_await(const struct refrain_call *call, uint64_t key) {
    if (!call->entry || refrain_requests.bound == 0)
        return;
    refrain_mpi_lock();
    const struct refrain_request *request = refrain_request_find(call, key, 0);
    if (request && refrain_request_is_send(request))
        refrain_call_awaits(call, request->partner, -1, refrain_request_comm(request), request->tag);
    else if (request && refrain_request_is_receive(request))
        refrain_call_awaits(call, -1, request->partner < 0 ? REFRAIN_NOW_ANY : request->partner,
                            refrain_request_comm(request), request->tag);
    refrain_mpi_unlock();
}

struct awaiting {
    struct refrain_now *now;
    uint32_t n;
    int64_t comm;
};

/* Adds what the request waits for; false: that is not known, or is more than fits. */
static REFRAIN_INLINE bool add_awaited(struct awaiting *awaiting, const struct refrain_request *request) {
    bool sends = refrain_request_is_send(request);
    if (request->operation == REFRAIN_OP_NOTHING)
        return true;
    if (!sends && !refrain_request_is_receive(request))
        return false;
    int64_t comm = refrain_request_comm(request);
    if (awaiting->n == REFRAIN_MOST_AWAITED || (awaiting->n > 0 && comm != awaiting->comm))
        return false;
    int32_t peer = request->partner;
    awaiting->comm = comm;
    awaiting->now->awaited[awaiting->n] = (struct refrain_awaited){peer < 0 ? REFRAIN_NOW_ANY : peer, request->tag};
    awaiting->now->sends &= ~(1u << awaiting->n);
    awaiting->now->sends |= (uint32_t)sends << awaiting->n++;
    return true;
}

/* Others read it at any time: the number comes last. */
static REFRAIN_INLINE void tell_awaited(const struct awaiting *awaiting) {
    awaiting->now->comm = (uint32_t)(awaiting->comm + 1);
    __atomic_store_n(&awaiting->now->n_awaited, awaiting->n, __ATOMIC_RELEASE);
}

void refrain_watch_await(const struct refrain_call *call, const struct refrain_watch *watch) {
    if (!call->entry || !watch->first || watch->others)
        return;
    struct awaiting awaiting = {.now = &call->context->thread->now};
    for (uint32_t next = watch->first; next; next = refrain_request_at(next - 1)->watched)
        if (!add_awaited(&awaiting, refrain_request_at(next - 1)))
            return;
    tell_awaited(&awaiting);
}

void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests) {
    if (!call->entry || refrain_requests.bound == 0 || !requests)
        return;
    struct awaiting awaiting = {.now = &call->context->thread->now};
    bool known = true;
    refrain_mpi_lock();
    for (int i = 0; i < count && known; i++) {
        const struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(requests[i]), 0);
        if (requests[i] != MPI_REQUEST_NULL)
            known = request && (!(request->flags & REFRAIN_REQUEST_ACTIVE) || add_awaited(&awaiting, request));
    }
    refrain_mpi_unlock();
    if (known)
        tell_awaited(&awaiting);
}
