/* call.h: MPI calls as the wrappers tell them (call.c). */
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
 * refrain_call_begin_told() does what the first two do, refrain_call_end_told() what the last three do, and
 * refrain_call_complete() the same for requests.
 *
 * An operation that sends is told before the PMPI call and bears the time of begin; one that receives is told after it,
 * and then bears the time of end, which must follow with no other call between. All of it is harmless when nothing is
 * traced (`call.entry` is null). */
struct refrain_call {
    struct refrain_context *context;       /* the thread's; null: nothing is known of the call */
    struct refrain_entry *entry;           /* null: not traced */
    struct refrain_call_site *call_site;   /* of a guest, its host's */
    struct refrain_guest *guest;           /* that the call is from, else null */
    struct refrain_operation_record *told; /* of the operation that was told with its begin; null where there is none */
    uint64_t begin_ticks;
    uint64_t end_ticks; /* read at the first operation told after refrain_call_returned(), or by end */
};

/* Is the call one that is left out on purpose: its thread is paused, or a filter says so? It has no entry then, but a
 * context. */
static inline bool refrain_call_is_untold(const struct refrain_call *call) {
    return __builtin_expect(!call->entry && call->context, 0);
}

/* Counts a message or a collective of such a call (untold.h); parameters as enum refrain_untold has them. */
REFRAIN_SHARED void refrain_call_count_untold(const struct refrain_call *call, enum refrain_untold what, int64_t peer,
                                              int64_t tag, int64_t comm);

/* Tells what has been counted, behind a call that was traced and has ended; else it is told with the rest. */
REFRAIN_SHARED void refrain_call_tell_untold(const struct refrain_call *call);

/* `function`: index in mpi_calls.def. `frame_address`: REFRAIN_FRAME_ADDRESS of the wrapper. */
REFRAIN_SHARED void refrain_call_begin(struct refrain_call *call, unsigned function, void *return_address,
                                       void *frame_address);

/* The first or last operation of a call, told with its begin or end. */
struct refrain_told {
    enum refrain_operation operation;
    unsigned n; /* parameters (trace.h's order) */
    int64_t values[REFRAIN_PARAMETERS];
};
/* `told`: null where there is no such operation. */
REFRAIN_SHARED void refrain_call_begin_told(struct refrain_call *call, unsigned function, void *return_address,
                                            void *frame_address, const struct refrain_told *told);

/* What the call will wait for, as struct refrain_now has it (-1: nothing); `comm` is the communicator's index, -1
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

/* It also waits for a message, or only. */
static inline void refrain_call_awaits_message(const struct refrain_call *call, int64_t receives_from, int64_t comm,
                                               int64_t tag) {
    struct refrain_now *now = &call->context->thread->now;
    now->receives_from = (int32_t)receives_from;
    now->comm = (uint32_t)(comm + 1);
    now->tag = (int32_t)tag;
}

/* The PMPI call has returned: reads the clock that closes the call. Optional; refrain_call_end reads it otherwise.
 * Needed before operations that come after the PMPI call. */
REFRAIN_SHARED void refrain_call_returned(struct refrain_call *call);

/* Feeds an operation with its n parameters (trace.h's order) at this call site. Returns the operation's record, for
 * REFRAIN_OP_IRECV and RECV_INIT to be kept with the request; null where nothing is traced. */
REFRAIN_SHARED struct refrain_operation_record *refrain_call_operation(struct refrain_call *call,
                                                                       enum refrain_operation operation,
                                                                       const int64_t *parameters, unsigned n);

/* The same, once for each of `n` requests: operations whose one parameter is a request's number. */
REFRAIN_SHARED void refrain_call_operations(struct refrain_call *call, enum refrain_operation operation,
                                            const int64_t *requests, unsigned n);

/* What a request's completion tells: source, tag and bytes of a receive, bytes of an access to a file go to the record
 * of the posting site; null: the request is neither. */
struct refrain_completion {
    struct refrain_operation_record *posted;
    int64_t source, tag, bytes, comm;
};

/* The requests with numbers `request` and up have completed, n of them, in this order: COMPLETE at this site for one,
 * COMPLETE_RUN for several. The call may end with them. False where it could not be told: their numbers must stay
 * taken then, as a replay does not give them back. */
REFRAIN_SHARED bool refrain_call_complete(struct refrain_call *call, uint32_t request,
                                          const struct refrain_completion *completions, unsigned n, bool ends);

REFRAIN_SHARED void refrain_call_end(struct refrain_call *call);

/* `told`: null where there is no such operation. */
REFRAIN_SHARED void refrain_call_end_told(struct refrain_call *call, const struct refrain_told *told);

#endif
