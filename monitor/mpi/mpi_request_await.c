/* mpi_request_await.c: see mpi_request_await.h. */
#include "mpi_request_await.h"
#include "call.h"
#include "mpi_communicators.h"

/* The message, by its peer's rank in MPI_COMM_WORLD. */
static struct refrain_awaited in_world(struct refrain_awaiting *awaiting, struct refrain_awaited message,
                                       const struct refrain_communicator *communicator) {
    if (message.peer != REFRAIN_NOW_ANY)
        message.peer = refrain_communicator_world_rank(communicator, message.peer);
    awaiting->unknown |= message.peer == -1;
    return message;
}

void refrain_awaiting_add_other(struct refrain_awaiting *awaiting, struct refrain_awaited message, uint32_t comm) {
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

void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests) {
    struct refrain_awaiting awaiting = refrain_awaiting_begin(call);
    if (awaiting.unknown || refrain_requests.bound == 0 || !requests)
        return;
    refrain_mpi_lock();
    for (int i = 0; i < count && !awaiting.unknown; i++) {
        const struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(requests[i]), 0);
        if (!request)
            awaiting.unknown = requests[i] != MPI_REQUEST_NULL;
        else if (request->flags & REFRAIN_REQUEST_ACTIVE)
            refrain_awaiting_add(&awaiting, request);
    }
    refrain_mpi_unlock();
    refrain_awaiting_tell(&awaiting);
}
