/* mpi_request_complete.h: completions of requests, told one by one or, where their numbers follow each other, as one
 * record. */
#ifndef REFRAIN_MPI_REQUEST_COMPLETE_H
#define REFRAIN_MPI_REQUEST_COMPLETE_H

#include "mpi_objects.h"

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

/* Tells of the completion of what was `request`, now or with the next one. */
REFRAIN_HIDDEN void refrain_request_run_add(struct refrain_call *call, struct refrain_request_run *run,
                                            const struct refrain_request *request, MPI_Status *status);

/* Tells the completions that wait in `run`. */
REFRAIN_HIDDEN void refrain_request_run_tell(struct refrain_call *call, struct refrain_request_run *run);

/* Takes the request out of the table, or puts a persistent one to rest; under the lock. The number of the calling
 * thread's own is given back once its completion has been told. */
REFRAIN_HIDDEN void refrain_request_settle(const struct refrain_call *call, struct refrain_request *request,
                                           bool freed);

#endif
