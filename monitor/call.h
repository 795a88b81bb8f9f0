/* call.h: records MPI calls; the wrappers of MPI functions call it (call.c). */
#ifndef REFRAIN_CALL_H
#define REFRAIN_CALL_H

#include "context.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

/* In a wrapper:
 *
 *     struct refrain_call call;
 *     refrain_call_begin(&call, REFRAIN_CALL_MPI_Sendrecv, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS);
 *     refrain_call_operation(&call, REFRAIN_OP_SEND, (int64_t[]){dest, tag, bytes, comm}, 4);
 *     int rc = PMPI_Sendrecv(...);
 *     refrain_call_returned(&call);
 *     refrain_call_operation(&call, REFRAIN_OP_RECV, (int64_t[]){source, tag, bytes, comm}, 4);
 *     refrain_call_end(&call);
 *
 * refrain_call_begin_with() does what the first two calls do, refrain_call_end_with() what the last three do, and
 * refrain_call_complete() the same for requests.
 *
 * An operation that sends is recorded before the PMPI call, with the time of begin. One that receives is recorded after
 * it, with the time of end; refrain_call_end() has to follow with no other call in between. If nothing is traced, all
 * functions return at once (`call.entry` is null). */
struct refrain_call {
    struct refrain_context *context;        /* of the thread; null: nothing is known of the call */
    struct refrain_entry *entry;            /* null: the call is not traced */
    struct refrain_call_site *call_site;    /* of an overflow site: that of its host */
    struct refrain_overflow_site *overflow; /* the overflow site that made the call, else null */
    struct refrain_operation_record
        *first_operation; /* the operation that was recorded with the begin of the call; null without one */
    uint64_t begin_ticks;
    uint64_t end_ticks; /* read at the first operation after refrain_call_returned(), or by end */
};

/* True if the call is left out on purpose, since its thread is paused or a filter says so. It then has a context, but
 * no entry. */
static inline bool refrain_call_is_untold(const struct refrain_call *call) {
    return __builtin_expect(!call->entry && call->context, 0);
}

/* Counts a message or collective of such a call (untold.h). Parameters as in enum refrain_untold. */
REFRAIN_SHARED void refrain_call_count_untold(const struct refrain_call *call, enum refrain_untold what, int64_t peer,
                                              int64_t tag, int64_t comm);

/* Records these counts after a traced call that has ended. Otherwise they are recorded later. */
REFRAIN_SHARED void refrain_call_flush_untold(const struct refrain_call *call);

/* `function`: index in mpi_calls.def. `frame_address`: REFRAIN_FRAME_ADDRESS of the wrapper. */
REFRAIN_SHARED void refrain_call_begin(struct refrain_call *call, unsigned function, void *return_address,
                                       void *frame_address);

/* The first or last operation of a call, recorded together with its begin or end. */
struct refrain_operation_values {
    enum refrain_operation operation;
    unsigned n; /* number of parameters, in the order of trace.h */
    int64_t values[REFRAIN_PARAMETERS];
};
/* As refrain_call_begin(), and records `operation` with the same look-ups; null: none. */
REFRAIN_SHARED void refrain_call_begin_with(struct refrain_call *call, unsigned function, void *return_address,
                                            void *frame_address, const struct refrain_operation_values *operation);

/* Stores what the call will wait for, as struct refrain_now has it (-1: nothing). `comm`: index of the communicator, -1
 * unknown. */
static inline void refrain_call_awaits(const struct refrain_call *call, int64_t sends_to, int64_t receives_from,
                                       int64_t comm, int64_t tag) {
    if (!call->entry)
        return;
    struct refrain_now *now = &call->context->thread->now;
    now->sends_to = (int32_t)sends_to;
    now->receives_from = (int32_t)receives_from;
    now->comm = (uint32_t)(comm + 1);
    now->tag = (int32_t)tag;
}

/* Stores that it waits for a message, too, or only for that. */
static inline void refrain_call_awaits_message(const struct refrain_call *call, int64_t receives_from, int64_t comm,
                                               int64_t tag) {
    struct refrain_now *now = &call->context->thread->now;
    now->receives_from = (int32_t)receives_from;
    now->comm = (uint32_t)(comm + 1);
    now->tag = (int32_t)tag;
}

/* Reads the clock that ends the call, after the PMPI call has returned. It is required before operations that come
 * after the PMPI call. Otherwise refrain_call_end() reads the clock. */
REFRAIN_SHARED void refrain_call_returned(struct refrain_call *call);

/* Records an operation with its n parameters (in the order of trace.h) at this call site. Returns the operation's
 * record, which is kept with the request for REFRAIN_OP_IRECV and RECV_INIT. Null if nothing is traced. */
REFRAIN_SHARED struct refrain_operation_record *refrain_call_operation(struct refrain_call *call,
                                                                       enum refrain_operation operation,
                                                                       const int64_t *parameters, unsigned n);

/* Records the operation once for each of `n` requests; its only parameter is the number of a request. */
REFRAIN_SHARED void refrain_call_operations(struct refrain_call *call, enum refrain_operation operation,
                                            const int64_t *requests, unsigned n);

/* What the completion of a request adds to the record of the call that made it: source, tag and bytes of a receive, or
 * the bytes of a file access. Null: the request is neither. */
struct refrain_completion {
    struct refrain_operation_record *posted;
    int64_t source, tag, bytes, comm;
};

/* Records that n requests have completed in this order, with numbers from `request` on: as COMPLETE at this site if n
 * is 1, else as COMPLETE_RUN. The call may end with it. False if it could not be recorded. Then their numbers must not
 * be used again, since a replay does not free them. */
REFRAIN_SHARED bool refrain_call_complete(struct refrain_call *call, uint32_t request,
                                          const struct refrain_completion *completions, unsigned n, bool ends);

REFRAIN_SHARED void refrain_call_end(struct refrain_call *call);

/* As refrain_call_end(), after recording `operation`; null: none. */
REFRAIN_SHARED void refrain_call_end_with(struct refrain_call *call, const struct refrain_operation_values *operation);

#endif
