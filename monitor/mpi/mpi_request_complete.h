/* mpi_request_complete.h: records completions of requests, one by one or, if their numbers are in sequence, several in
 * one record. */
#ifndef REFRAIN_MPI_REQUEST_COMPLETE_H
#define REFRAIN_MPI_REQUEST_COMPLETE_H

#include "call.h"
#include "mpi_request_table.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* A sequence of completed requests whose numbers are in sequence, too; they are recorded together. */
struct refrain_request_run {
    struct refrain_completion completions[REFRAIN_RUN_REQUESTS];
    uint64_t persistent; /* bit i: number first + i stays in use */
    uint32_t first, n;
};

static REFRAIN_INLINE void refrain_request_run_begin(struct refrain_request_run *run) {
    run->persistent = 0;
    run->first = run->n = 0;
}

/* Records the completions that wait in `run`. */
REFRAIN_HIDDEN void refrain_request_run_record(struct refrain_call *call, struct refrain_request_run *run);

/* Returns where the completion of the thread's own `request` has to be stored. Records the waiting ones first if they
 * cannot be recorded together with it. */
static REFRAIN_INLINE struct refrain_completion *refrain_request_run_next(struct refrain_call *call,
                                                                          struct refrain_request_run *run,
                                                                          const struct refrain_request *request) {
    if (run->n == REFRAIN_RUN_REQUESTS || request->index != run->first + run->n)
        refrain_request_run_record(call, run);
    if (run->n == 0)
        run->first = request->index;
    return &run->completions[run->n++];
}

/* The same, and ends the call. */
REFRAIN_HIDDEN void refrain_request_run_end(struct refrain_call *call, struct refrain_request_run *run);

/* Records the completion of `request`, now or with the next one. */
REFRAIN_HIDDEN void refrain_request_run_add(struct refrain_call *call, struct refrain_request_run *run,
                                            const struct refrain_request *request, MPI_Status *status);

/* Removes the request from the table, or marks a persistent one as inactive. The caller holds the lock. The number of
 * the calling thread's own request is freed when its completion has been recorded. */
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
