/* mpi_request_wait.h: usual requests, for which a call waits: a thread's own messages under way, each the oldest of its
 * handle. They are taken out of the table before the call, and given back after it. */
#ifndef REFRAIN_MPI_REQUEST_WAIT_H
#define REFRAIN_MPI_REQUEST_WAIT_H

#include "mpi_request_await.h"
#include "mpi_request_numbers.h"
#include "mpi_types.h"
#include "mpi_wrap.h"

/* The usual request of the thread that is the oldest in the bucket, where that has this key; else null. */
static REFRAIN_INLINE struct refrain_request *refrain_request_usual(const struct refrain_request_bucket *bucket,
                                                                    uint64_t key, uint32_t thread) {
    struct refrain_request *request = bucket->head;
    return __builtin_expect(request && request->handle == key && request->thread == thread &&
                                request->flags == REFRAIN_REQUEST_ACTIVE &&
                                (request->operation == REFRAIN_OP_IRECV || request->operation == REFRAIN_OP_ISEND),
                            1)
               ? request
               : NULL;
}

/* A call is about to wait for this one alone: takes it out of the table. True where it receives, so that its status is
 * needed. */
static REFRAIN_INLINE bool refrain_request_take_out(const struct refrain_request *request, struct refrain_now *now) {
    struct refrain_request_bucket *bucket = refrain_request_bucket(request->handle);
    bool receives = request->operation == REFRAIN_OP_IRECV;
    bucket->head = request->next ? refrain_request_at(request->next - 1) : NULL;
    refrain_requests.bound--;
    now->awaited[0] = request->message;
    refrain_awaiting_tell(&(struct refrain_awaiting){.now = now, .n = 1, .sends = !receives, .comm = request->comm});
    return receives;
}

/* It has completed, with a status if it receives, and with that the call ends that waited for it. False, and nothing is
 * done, where that is not as in the calls before it (call_again.h). */
static REFRAIN_INLINE bool refrain_request_completes_again(struct refrain_call_cache *known,
                                                           struct refrain_entry *entry,
                                                           const struct refrain_request *request,
                                                           const MPI_Status *status) {
    if (request->operation != REFRAIN_OP_IRECV)
        return refrain_again_completes(known, entry, request->index, 0, -1, -1, -1);
    return refrain_again_completes(known, entry, request->index, request->posted, status->MPI_SOURCE, status->MPI_TAG,
                                   refrain_status_bytes(status));
}

/* Its completion has been told: nobody's any more. */
static REFRAIN_INLINE void refrain_request_give_back(struct refrain_request *request) {
    refrain_number_give(&refrain_numberings[request->thread], request->index);
    refrain_request_entry_give(request);
}

#endif
