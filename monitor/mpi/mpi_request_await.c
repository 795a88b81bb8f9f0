/* mpi_request_await.c: see mpi_request_await.h. */
#include "mpi_request_await.h"

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
