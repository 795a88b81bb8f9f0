/* mpi_request_await.h: what a call is about to wait for, for those who look at the process meanwhile (struct
 * refrain_now).
 */
#ifndef REFRAIN_MPI_REQUEST_AWAIT_H
#define REFRAIN_MPI_REQUEST_AWAIT_H

#include "call.h"
#include "mpi_request_table.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What the requests of a call wait for, as far as they have been looked at. */
struct refrain_awaiting {
    struct refrain_now *now; /* of the thread that waits */
    uint32_t n;
    uint32_t sends; /* bits */
    uint32_t comm;  /* index + 1, 0 unknown, or several */
    bool several;   /* communicators: peers are ranks in MPI_COMM_WORLD */
    bool unknown;   /* there is more than is known, or than fits */
};

static REFRAIN_INLINE struct refrain_awaiting refrain_awaiting_begin(const struct refrain_call *call) {
    return (struct refrain_awaiting){.now = call->entry ? &call->context->thread->now : NULL, .unknown = !call->entry};
}

/* The same of one whose communicator is not that of those before it. The search for communicators takes long. */
REFRAIN_HIDDEN void refrain_awaiting_add_other(struct refrain_awaiting *awaiting, struct refrain_awaited message,
                                               uint32_t comm);

/* Adds what the request waits for. */
static REFRAIN_INLINE void refrain_awaiting_add(struct refrain_awaiting *awaiting,
                                                const struct refrain_request *request) {
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
        refrain_awaiting_add_other(awaiting, request->message, comm);
        return;
    }
    awaiting->comm = comm;
    awaiting->now->awaited[n] = request->message;
    awaiting->n = n + 1;
}

/* Others read it at any time: the number comes last. */
static REFRAIN_INLINE void refrain_awaiting_tell(const struct refrain_awaiting *awaiting) {
    if (awaiting->unknown)
        return;
    awaiting->now->sends = awaiting->sends;
    awaiting->now->comm = awaiting->comm;
    __atomic_store_n(&awaiting->now->n_awaited, awaiting->n, __ATOMIC_RELEASE);
}

#endif
