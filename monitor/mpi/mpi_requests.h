/* mpi_requests.h: the requests that the wrappers follow.
 *
 *     mpi_request_table.c      a request by its handle, and the number that a replay gives it
 *     mpi_requests.c           it is posted, bound to its handle, started, completed or freed
 *     mpi_request_watch.c      the array of requests that a call waits for, also shown to readers of the running
 * process
 *
 * Functions with `end` in their names end the call. */
#ifndef REFRAIN_MPI_REQUESTS_H
#define REFRAIN_MPI_REQUESTS_H

#include "call.h"
#include "mpi_wrap.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_REQUESTS 256u /* requests in progress before their table grows; persistent ones count twice */

/* A request belongs to the thread that posted it, whose replay gives the same numbers. If another thread completes it,
 * that thread records the message with all that is known of it. The owner frees the number before it takes the next
 * one. */
struct refrain_request {
    union {
        uint64_t handle; /* of the request, or of the message that MPI_Mprobe matched */
        struct refrain_request *next_free;
    };
    uint32_t posted;   /* reference of the operation record that posted it; 0 none, which sends do not need */
    uint32_t position; /* in the array that a call waits for */
    uint32_t place;    /* number of this entry in the table */
    uint32_t next;     /* place + 1 of the next one in its bucket */
    uint32_t watched;  /* place + 1 of the next one in the same array */
    uint32_t index;    /* number in its thread's numbering */
    struct refrain_awaited
        message;     /* the message that it sends or receives. Of MPI_Comm_idup, `peer` is the duplicate's number */
    uint32_t comm;   /* index of the communicator + 1, 0 unknown; of a persistent request: place + 1 of its arguments */
    uint16_t thread; /* the thread that posted it */
    uint8_t operation; /* enum refrain_operation that posted it */
    uint8_t flags;
};
enum {
    REFRAIN_REQUEST_ACTIVE = 1,
    REFRAIN_REQUEST_CANCEL = 2, /* MPI_Cancel was called: only the status says whether it has completed */
    REFRAIN_REQUEST_FIXED =
        8, /* a receive whose source, tag and bytes are known from its posting, not from the status */
    REFRAIN_REQUEST_IDUP = 16,   /* of MPI_Comm_idup number `message.peer` */
    REFRAIN_REQUEST_UNTOLD = 32, /* the current operation began in a pause */
    /* what its operation does */
    REFRAIN_REQUEST_RECEIVES = 4,
    REFRAIN_REQUEST_SENDS = 64,
    REFRAIN_REQUEST_PERSISTENT = 128,
};
#define REFRAIN_REQUEST_NOBODYS UINT16_MAX /* `thread` of a request that was posted in a pause: it has no number */

/* Records the operation and takes a request for it. In a pause, counts it and takes a request without a number. Null if
 * the call is not traced, or if there is no memory; then the blocking form of the operation has been recorded. */
struct refrain_request *refrain_request_take(struct refrain_call *call, enum refrain_operation operation,
                                             const int64_t *parameters, unsigned n);

/* Takes a request for an operation that will be recorded with the begin of the call. The caller then sets `posted` to
 * its record, or frees the request. Null in all other cases: no call has begun, and refrain_request_take() does what is
 * needed. */
struct refrain_request *refrain_request_reserve(const struct refrain_operation_values *values);
void refrain_request_unreserve(struct refrain_request *request);

/* Sets the source and tag of a receive, which may be MPI_ANY_SOURCE and MPI_ANY_TAG. The request has just been taken.
 * `fixed`: the message will have exactly these, and `bytes` (of a persistent one, else -1). */
static REFRAIN_INLINE void refrain_request_expects(struct refrain_request *request, int source, int tag) {
    request->message.peer = source == MPI_ANY_SOURCE ? REFRAIN_NOW_ANY : source;
    request->message.tag = tag == MPI_ANY_TAG ? -1 : tag;
}
void refrain_request_fixed(struct refrain_request *request, int64_t bytes);

/* Called after the PMPI function. Binds the request to its key; or, if it has no handle (`bound` false), frees it. Null
 * as `request` does nothing. */
void refrain_request_bind(struct refrain_call *call, struct refrain_request *request, bool bound, uint64_t key);

/* The same for a function that has made a request unless it failed or had nothing to do. Ends the call, and returns
 * `rc`. */
int refrain_request_end_taking(struct refrain_call *call, struct refrain_request *taken, int rc,
                               const MPI_Request *request);

/* Before persistent requests are started, and after their start has failed. The array may be null. */
void refrain_requests_start(struct refrain_call *call, int count, const MPI_Request *array);
void refrain_requests_not_started(struct refrain_call *call, int count, const MPI_Request *array);

/* The request with this key has completed with `status` (null: unknown). Ends the call. If several have the key: the
 * one after the `older` oldest. */
void refrain_request_end_complete(struct refrain_call *call, uint64_t key, unsigned older, MPI_Status *status);

/* The request with this key no longer exists and has not completed: it was freed, or has failed. */
void refrain_request_lost(struct refrain_call *call, uint64_t key);

/* The program frees a request (MPI_Request_free); the MPI function is called between the two. `receives`: a receive is
 * in progress. Its message will arrive without an event, and is counted as untold (untold.h). */
struct refrain_released {
    struct refrain_request *request; /* null: unknown */
    bool receives;
    int64_t source, tag; /* of its message, -1 unknown */
};
void refrain_request_release(const struct refrain_call *call, MPI_Request handle, struct refrain_released *released);
void refrain_request_released(struct refrain_call *call, struct refrain_released *released, bool gone);

/* The program is about to cancel the request. Another thread may be waiting for it, and its call may return before
 * MPI_Cancel does. */
void refrain_request_cancel(const struct refrain_call *call, MPI_Request handle);

/* The message of a matched probe has become a request. */
void refrain_request_rename(const struct refrain_call *call, uint64_t key, uint64_t new_key);

/* The requests of an array that a call tests or waits for (`waits`). Valid between begin and one of the ends.
 * Meanwhile they are not in the table, so several of one handle are found one after the other, and no other thread
 * finds them. */
struct refrain_watch {
    uint32_t first;      /* place + 1 of the first one */
    bool needs_statuses; /* the statuses of some of them have to be read */
};
void refrain_watch_begin(const struct refrain_call *call, struct refrain_watch *watch, int count,
                         const MPI_Request *requests, bool waits);
/* Begins a call that waits for any of the requests. Does nothing if there are many. */
void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests);
/* The requests at the `n` indices have completed in this order; null: all. `statuses`: theirs, in the same order (null
 * or MPI_STATUSES_IGNORE: unknown). If rc is MPI_ERR_IN_STATUS, only those with MPI_SUCCESS in their status have. Ends
 * the call. */
void refrain_watch_end(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *requests,
                       int n, const int *indices, MPI_Status *statuses);

#endif
