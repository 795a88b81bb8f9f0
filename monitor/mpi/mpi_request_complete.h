/* mpi_request_complete.h: completions of requests, told one by one or, where their numbers follow each other, as one
 * record. */
#ifndef REFRAIN_MPI_REQUEST_COMPLETE_H
#define REFRAIN_MPI_REQUEST_COMPLETE_H

#include "call.h"
#include "mpi_request_table.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* Completions in a row of requests whose numbers are in a row: they are told together. */
struct refrain_request_run {
    struct refrain_completion completions[REFRAIN_RUN_REQUESTS];
    uint64_t persistent; /* bits: its number stays taken */
    uint32_t first, n;
};

static REFRAIN_INLINE void refrain_request_run_begin(struct refrain_request_run *run) {
    run->persistent = 0;
    run->first = run->n = 0;
}

/* Tells the completions that wait in `run`. */
REFRAIN_HIDDEN void refrain_request_run_tell(struct refrain_call *call, struct refrain_request_run *run);

/* Where the completion of the thread's own `request` is to be noted; those that cannot be told with it are told. */
static REFRAIN_INLINE struct refrain_completion *refrain_request_run_next(struct refrain_call *call,
                                                                          struct refrain_request_run *run,
                                                                          const struct refrain_request *request) {
    if (run->n == REFRAIN_RUN_REQUESTS || request->index != run->first + run->n)
        refrain_request_run_tell(call, run);
    if (run->n == 0)
        run->first = request->index;
    return &run->completions[run->n++];
}

/* The same, and ends the call. */
REFRAIN_HIDDEN void refrain_request_run_end(struct refrain_call *call, struct refrain_request_run *run);

/* Tells of the completion of what was `request`, now or with the next one. */
REFRAIN_HIDDEN void refrain_request_run_add(struct refrain_call *call, struct refrain_request_run *run,
                                            const struct refrain_request *request, MPI_Status *status);

/* Takes the request out of the table, or puts a persistent one to rest; under the lock. The number of the calling
 * thread's own is given back once its completion has been told. */
static REFRAIN_INLINE void refrain_request_settle(const struct refrain_call *call, struct refrain_request *request,
                                                  bool freed) {
    if (refrain_request_is_persistent(request) && !freed) {
        request->flags &= (uint8_t) ~(REFRAIN_REQUEST_ACTIVE | REFRAIN_REQUEST_CANCEL | REFRAIN_REQUEST_WATCHED);
        return;
    }
    refrain_request_unlink(request);
    if (!refrain_request_is_own(call, request) && request->thread != REFRAIN_REQUEST_NOBODYS)
        refrain_number_orphan(&refrain_numberings[request->thread], request->index);
    refrain_request_give(request);
}

#endif
