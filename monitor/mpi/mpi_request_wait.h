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

#endif
