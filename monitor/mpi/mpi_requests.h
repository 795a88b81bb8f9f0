/* mpi_requests.h: what the wrappers remember of requests.
 *
 *     mpi_request_table.c      what is known of a request, by its handle; which number a replay gives it
 *     mpi_requests.c           it is posted, bound to its handle, started, completed or given up
 *     mpi_request_watch.c      arrays of requests that a call waits for, for those who look at the process meanwhile,
 * too
 *
 * Functions whose names have `end` in them end the call. */
#ifndef REFRAIN_MPI_REQUESTS_H
#define REFRAIN_MPI_REQUESTS_H

#include "call.h"
#include "mpi_wrap.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

#define REFRAIN_REQUESTS 256u /* under way before their table grows, persistent ones count twice */

/* A request belongs to the thread that posted it, whose replay hands out the same numbers. Another thread that
 * completes it tells of the message with all it knows of it; the owner gives the number back before it takes the next
 * one. */
struct refrain_request {
    union {
        uint64_t handle; /* of the request, or of the message that MPI_Mprobe matched */
        struct refrain_request *next_free;
    };
    uint32_t posted;   /* reference of the operation that took it, 0 none; of a send it need not be there */
    uint32_t position; /* in the array that a call waits for */
    uint32_t place;    /* of this entry in the table */
    uint32_t next;     /* place + 1: in the chain of its bucket */
    uint32_t watched;  /* place + 1: next one of the same array */
    uint32_t index;    /* in its thread's numbering */
    struct refrain_awaited message; /* that it sends or receives. Of MPI_Comm_idup, `peer` is its number */
    uint32_t comm;                  /* its index + 1, 0 unknown; of a persistent request: place + 1 of its parameters */
    uint16_t thread;                /* that posted it */
    uint8_t operation;              /* enum refrain_operation that took it */
    uint8_t flags;
};
enum {
    REFRAIN_REQUEST_ACTIVE = 1,
    REFRAIN_REQUEST_CANCEL = 2,  /* MPI_Cancel was called: its status says whether it has completed */
    REFRAIN_REQUEST_WATCHED = 4, /* part of the array that a call waits for */
    REFRAIN_REQUEST_FIXED =
        8, /* a receive whose source, tag and bytes are those it was posted with, not the status's */
    REFRAIN_REQUEST_IDUP = 16,   /* of MPI_Comm_idup number `message.peer` */
    REFRAIN_REQUEST_UNTOLD = 32, /* what is under way began in a pause */
};
#define REFRAIN_REQUEST_NOBODYS UINT16_MAX /* `thread` of one that was posted in a pause: it has no number */

/* Tells the operation and takes a request for it; in a pause counts it, and takes one that is nobody's. Null when the
 * call is not traced or no request is left; in the latter case the blocking form of the operation has been told. */
struct refrain_request *refrain_request_take(struct refrain_call *call, enum refrain_operation operation,
                                             const int64_t *parameters, unsigned n);

/* Takes a request for what is told as the call begins, before that; the caller then enters what was told in `posted`,
 * or gives the request back. Null where that is not as usual: no call has begun, and refrain_request_take() says what
 * is to be done then. */
struct refrain_request *refrain_request_reserve(const struct refrain_told *told);
void refrain_request_unreserve(struct refrain_request *request);

/* Sets the source and tag that a receive is posted with, which may be MPI_ANY_SOURCE and MPI_ANY_TAG; it has just been
 * taken. `fixed`: the message will have just these, and `bytes` (of persistent ones, else -1). */
static REFRAIN_INLINE void refrain_request_expects(struct refrain_request *request, int source, int tag) {
    request->message.peer = source == MPI_ANY_SOURCE ? REFRAIN_NOW_ANY : source;
    request->message.tag = tag == MPI_ANY_TAG ? -1 : tag;
}
void refrain_request_fixed(struct refrain_request *request, int64_t bytes);

/* After the PMPI function: the request is known by its key from now on; or, where there is none (`bound` false), given
 * back. Null as `request` does nothing. */
void refrain_request_bind(struct refrain_call *call, struct refrain_request *request, bool bound, uint64_t key);

/* The same for what has made a request unless it failed or had nothing to do. Ends the call, and returns `rc`. */
int refrain_request_end_taking(struct refrain_call *call, struct refrain_request *taken, int rc,
                               const MPI_Request *request);

/* Persistent requests are about to be started; their start has failed. The array may be null. */
void refrain_requests_start(struct refrain_call *call, int count, const MPI_Request *array);
void refrain_requests_not_started(struct refrain_call *call, int count, const MPI_Request *array);

/* The request known by `key` has completed with `status` (null: not known), and the call ends. Where several are known
 * by the key: the one after the `older` oldest. */
void refrain_request_end_complete(struct refrain_call *call, uint64_t key, unsigned older, MPI_Status *status);

/* The request known by `key` is gone without completion: it was freed, or has failed. */
void refrain_request_lost(struct refrain_call *call, uint64_t key);

/* The program gives a request up (MPI_Request_free); between the two the MPI function is called. `receives`: a receive
 * is under way. Its message will arrive without an event, and is counted as untold (untold.h). */
struct refrain_released {
    struct refrain_request *request; /* null: not known */
    bool receives;
    int64_t source, tag; /* of its message, -1 not known */
};
void refrain_request_release(const struct refrain_call *call, MPI_Request handle, struct refrain_released *released);
void refrain_request_released(struct refrain_call *call, struct refrain_released *released, bool gone);

/* The program is about to cancel it, maybe while another thread waits for it: that one's call may return before
 * MPI_Cancel does. */
void refrain_request_cancel(const struct refrain_call *call, MPI_Request handle);

/* The message of a matched probe has become a request. */
void refrain_request_rename(const struct refrain_call *call, uint64_t key, uint64_t new_key);

/* The requests of an array that a call tests or waits for (`waits`); between begin and one of the ends. */
struct refrain_watch {
    uint32_t first;      /* place + 1 */
    uint32_t n_taken;    /* those that were taken out of the table instead, at the same place of the array */
    bool needs_statuses; /* there are some among them whose statuses say more than that they are over */
    struct refrain_request *taken[REFRAIN_MOST_AWAITED];
};
void refrain_watch_begin(const struct refrain_call *call, struct refrain_watch *watch, int count,
                         const MPI_Request *requests, bool waits);
/* The same, of a call that is about to wait for all of them, so that refrain_watch_end_all() will follow. */
void refrain_watch_wait_all(const struct refrain_call *call, struct refrain_watch *watch, int count,
                            const MPI_Request *requests);
/* The same, of a call that waits for one request: takes it out of the table and returns it where it is one of the
 * thread's usual ones; else null, and nothing is done. `needs_status`: as in struct refrain_watch. */
struct refrain_request *refrain_request_wait(const struct refrain_call *call, MPI_Request handle, bool *needs_status);
/* It has completed, with a status if it needs one, and the call ends. Where the call fails instead,
 * refrain_watch_end_all() takes it. */
void refrain_request_end_waited(struct refrain_call *call, struct refrain_request *request, const MPI_Status *status);
/* It is about to wait for one of so few requests that looking them up costs little. */
void refrain_requests_await(const struct refrain_call *call, int count, const MPI_Request *requests);
/* All have completed, or those with MPI_SUCCESS in their status when rc is MPI_ERR_IN_STATUS; the call ends. */
void refrain_watch_end_all(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *requests,
                           MPI_Status *statuses);
/* Those at `n` indices have, in this order, with `n` statuses (null: not known), of which rc says the same; the call
 * ends. */
void refrain_watch_end_some(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *requests,
                            int n, const int *indices, MPI_Status *statuses);

#endif
