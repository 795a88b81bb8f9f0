/* mpi_p2p.h: the bodies of the generated wrappers of point-to-point communication (mpi_calls.def, mpi_does.h).
 *
 * A message is recorded where it is sent, before the call, since it may have arrived when the call returns; and where
 * it has arrived, after the call. Messages to and from MPI_PROC_NULL are not recorded. Their requests are, since
 * libraries return one handle for several requests. */
#ifndef REFRAIN_MPI_P2P_H
#define REFRAIN_MPI_P2P_H

#include "call.h"
#include "mpi_request_table.h"

/* ---- functions of mpi_p2p.c ---- */

/* Ends a call that receives, and records the message of the status. */
void refrain_recv_end(struct refrain_call *call, int rc, const MPI_Status *status, int64_t comm);

/* Takes the request of a persistent send. Null: unknown. That is allowed for a send to MPI_PROC_NULL, since persistent
 * requests have handles of their own. */
struct refrain_request *refrain_send_init_record(struct refrain_call *call, int64_t count, MPI_Datatype datatype,
                                                 int dest, int tag, MPI_Comm comm);

/* Takes the request of a call that sends and receives with one request for both. It belongs to the receive. */
struct refrain_request *refrain_isendrecv_record(struct refrain_call *call, int source, int tag, MPI_Comm comm);

/* A matched probe has found a message (null: the probe is not a matched one). It is recorded as a posted receive. */
void refrain_probe_matched(struct refrain_call *call, MPI_Comm comm, const MPI_Message *message);

/* ---- what is recorded ---- */

/* True if MPI would accept `rank`; a call that it refuses is not recorded. Any rank of an unknown communicator is
 * accepted. */
static inline bool refrain_is_partner(const struct refrain_communicator *communicator, int rank) {
    return rank >= 0 &&
           (!communicator || rank < (communicator->remote_size ? communicator->remote_size : communicator->size));
}

static inline bool refrain_is_valid_comm(MPI_Comm comm, const struct refrain_communicator *communicator) {
    return communicator || (refrain_mpi_active && comm != MPI_COMM_NULL);
}

static inline bool refrain_is_sendable(int64_t count, MPI_Datatype datatype, int tag) {
    return count >= 0 && tag >= 0 && datatype != MPI_DATATYPE_NULL;
}

/* True for a call that is traced, and for one in a pause, whose messages are counted. */
static inline bool refrain_call_is_followed(const struct refrain_call *call) {
    return call->entry || refrain_call_is_untold(call);
}

/* The message of a call that sends, to be recorded with the begin of the call. Null if there is none. `operation`: SEND
 * or ISEND. */
static REFRAIN_INLINE const struct refrain_operation_values *
refrain_send_operation(struct refrain_operation_values *values, enum refrain_operation operation, int64_t count,
                       MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,
                       const struct refrain_communicator *communicator) {
    if (!refrain_is_valid_comm(comm, communicator) || !refrain_is_partner(communicator, dest) ||
        !refrain_is_sendable(count, datatype, tag))
        return NULL;
    values->operation = operation;
    values->n = REFRAIN_PARAMETERS;
    values->values[0] = dest;
    values->values[1] = tag;
    values->values[2] = refrain_bytes(count, datatype);
    values->values[3] = refrain_communicator_index(communicator);
    return values;
}

/* Begins the call with this message (null: none). */
static REFRAIN_INLINE void refrain_send_begun(struct refrain_call *call, const struct refrain_operation_values *values,
                                              int dest, int tag, const struct refrain_communicator *communicator) {
    if (!values || !refrain_call_is_followed(call))
        return;
    if (refrain_call_is_untold(call))
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, dest, tag, values->values[3]);
    else
        refrain_call_awaits(call, dest, -1, values->values[3], tag);
    refrain_order_sends(communicator, dest, tag);
}

static inline struct refrain_request *refrain_nothing_take(struct refrain_call *call) {
    return refrain_request_take(call, REFRAIN_OP_NOTHING, NULL, 0);
}

/* A receive that is posted, to be recorded with the begin of the call. Null if there is none. */
static REFRAIN_INLINE const struct refrain_operation_values *
refrain_irecv_operation(struct refrain_operation_values *values, int source, MPI_Comm comm,
                        const struct refrain_communicator *communicator) {
    if (!refrain_is_valid_comm(comm, communicator) ||
        (source != MPI_ANY_SOURCE && !refrain_is_partner(communicator, source)))
        return NULL;
    values->operation = REFRAIN_OP_IRECV;
    values->n = 1;
    values->values[0] = refrain_communicator_index(communicator);
    return values;
}

/* Returns the request of a call that has begun: the one reserved for what was recorded. If nothing was recorded, as the
 * partner is MPI_PROC_NULL, takes one. */
static REFRAIN_INLINE struct refrain_request *refrain_post(struct refrain_call *call,
                                                           const struct refrain_operation_values *values,
                                                           struct refrain_request *reserved, int partner, MPI_Comm comm,
                                                           const struct refrain_communicator *communicator) {
    if (__builtin_expect(reserved && call->first_operation, 1)) {
        reserved->posted = refrain_reference(call->first_operation);
        return reserved;
    }
    if (reserved)
        refrain_request_unreserve(reserved);
    if (!refrain_call_is_followed(call) || (reserved && call->entry))
        return NULL;
    if (values)
        return refrain_request_take(call, values->operation, values->values, values->n);
    return partner == MPI_PROC_NULL && refrain_is_valid_comm(comm, communicator) ? refrain_nothing_take(call) : NULL;
}

/* Takes the request of a receive in a call that has begun: REFRAIN_OP_IRECV or REFRAIN_OP_RECV_INIT. */
static REFRAIN_INLINE struct refrain_request *
refrain_irecv_record(struct refrain_call *call, enum refrain_operation operation, int source, int tag, MPI_Comm comm) {
    if (!refrain_call_is_followed(call))
        return NULL;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    if (!refrain_is_valid_comm(comm, communicator))
        return NULL;
    if (source != MPI_ANY_SOURCE && !refrain_is_partner(communicator, source))
        return operation == REFRAIN_OP_IRECV && source == MPI_PROC_NULL ? refrain_nothing_take(call) : NULL;
    int64_t parameters[] = {refrain_communicator_index(communicator)};
    struct refrain_request *taken = refrain_request_take(call, operation, parameters, 1);
    if (taken)
        refrain_request_expects(taken, source, tag);
    return taken;
}

static REFRAIN_INLINE void refrain_p2p_bind(struct refrain_call *call, struct refrain_request *request, int rc,
                                            const MPI_Request *handle) {
    if (!request)
        return;
    bool bound = rc == MPI_SUCCESS && *handle != MPI_REQUEST_NULL;
    if (__builtin_expect(bound && !refrain_mpi_multiple, 1))
        refrain_request_insert(request, REFRAIN_MPI_KEY(*handle));
    else
        refrain_request_bind(call, request, bound, bound ? REFRAIN_MPI_KEY(*handle) : 0);
}

/* The index of the communicator of a receive, read before the call, since another thread may free the communicator. */
static inline int64_t refrain_comm_index_of(const struct refrain_call *call, MPI_Comm comm) {
    return refrain_call_is_followed(call) ? refrain_communicator_index(refrain_communicator_find(comm)) : -1;
}

/* Stores what a call that receives waits for. */
static REFRAIN_INLINE void refrain_recv_await(const struct refrain_call *call, int source, int tag, int64_t index) {
    if (call->entry)
        refrain_call_awaits_message(call,
                                    source == MPI_ANY_SOURCE ? REFRAIN_NOW_ANY
                                    : source < 0             ? -1
                                                             : source,
                                    index, tag == MPI_ANY_TAG ? -1 : tag);
}

/* The status to pass to MPI: the user's, or our own if the user passes none. */
static inline MPI_Status *refrain_status_or(MPI_Status *status, MPI_Status *own) {
    return status == MPI_STATUS_IGNORE ? own : status;
}

/* ---- wrappers: blocking ---- */

#define BEGIN_SENDING(count, type, dest, tag, comm)                                                                    \
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);                                 \
    struct refrain_operation_values memory;                                                                            \
    const struct refrain_operation_values *values =                                                                    \
        refrain_send_operation(&memory, REFRAIN_OP_SEND, count, type, dest, tag, comm, communicator);                  \
    REFRAIN_MPI_BEGIN_WITH(values);                                                                                    \
    refrain_send_begun(&call, values, dest, tag, communicator)

#define REFRAIN_DOES_SENDS(passed, count, type, dest, tag, comm)                                                       \
    BEGIN_SENDING(count, type, dest, tag, comm);                                                                       \
    REFRAIN_MPI_PASS(passed)

/* `source` and `status` are passed to MPI. */
#define REFRAIN_DOES_RECEIVES(passed, source, tag, comm, status)                                                       \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_Status own;                                                                                                    \
    int64_t index = refrain_comm_index_of(&call, comm);                                                                \
    status = refrain_status_or(status, &own);                                                                          \
    refrain_recv_await(&call, source, tag, index);                                                                     \
    refrain_order_waits();                                                                                             \
    source = refrain_order_source(source, tag, comm);                                                                  \
    int returned = passed;                                                                                             \
    refrain_recv_end(&call, returned, status, index);                                                                  \
    return returned

#define REFRAIN_DOES_SENDS_AND_RECEIVES(passed, count, type, dest, tag, source, received_tag, comm, status)            \
    MPI_Status own;                                                                                                    \
    BEGIN_SENDING(count, type, dest, tag, comm);                                                                       \
    int64_t index = refrain_communicator_index(communicator);                                                          \
    refrain_recv_await(&call, source, received_tag, index);                                                            \
    refrain_order_waits();                                                                                             \
    status = refrain_status_or(status, &own);                                                                          \
    int returned = passed;                                                                                             \
    refrain_recv_end(&call, returned, status, index);                                                                  \
    return returned

/* Waits for a message without receiving it. `message`: of a matched probe, else NULL. `source` is passed to MPI. */
#define REFRAIN_DOES_PROBES(passed, source, tag, comm, message)                                                        \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    refrain_recv_await(&call, source, tag, refrain_comm_index_of(&call, comm));                                        \
    refrain_order_waits();                                                                                             \
    source = refrain_order_source(source, tag, comm);                                                                  \
    int returned = passed;                                                                                             \
    refrain_order_continues();                                                                                           \
    if (returned == MPI_SUCCESS)                                                                                       \
        refrain_probe_matched(&call, comm, message);                                                                   \
    refrain_call_end(&call);                                                                                           \
    return returned

/* Looks for a message to match, without waiting. */
#define REFRAIN_DOES_MATCHES(passed, comm, flag, message)                                                              \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    int returned = passed;                                                                                             \
    if (returned == MPI_SUCCESS && *(flag))                                                                            \
        refrain_probe_matched(&call, comm, message);                                                                   \
    refrain_call_end(&call);                                                                                           \
    return returned

/* Messages match in the order of matched probes. So the probe is recorded as the posting of a receive, which MPI_Mrecv
 * completes, or MPI_Imrecv's request. */
#define REFRAIN_DOES_RECEIVES_MATCHED(passed, message, status)                                                         \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_Status own;                                                                                                    \
    uint64_t key = (message) ? REFRAIN_MPI_KEY(*(message)) : 0;                                                        \
    status = refrain_status_or(status, &own);                                                                          \
    int returned = passed;                                                                                             \
    if (returned == MPI_SUCCESS) {                                                                                     \
        refrain_request_end_complete(&call, key, 0, status);                                                           \
        return returned;                                                                                               \
    }                                                                                                                  \
    if ((message) && *(message) == MPI_MESSAGE_NULL)                                                                   \
        refrain_request_lost(&call, key);                                                                              \
    refrain_call_end(&call);                                                                                           \
    return returned

/* ---- nonblocking and persistent ---- */

#define END_TAKING(passed, request)                                                                                    \
    int returned = passed;                                                                                             \
    refrain_p2p_bind(&call, taken, returned, request);                                                                 \
    refrain_call_end(&call);                                                                                           \
    return returned
#define TAKING(taking, passed, request)                                                                                \
    struct refrain_request *taken = taking;                                                                            \
    END_TAKING(passed, request)

#define POSTING(posted, partner, comm)                                                                                 \
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);                                 \
    struct refrain_operation_values memory;                                                                            \
    const struct refrain_operation_values *values = posted;                                                            \
    struct refrain_request *reserved = values ? refrain_request_reserve(values) : NULL;                                \
    REFRAIN_MPI_BEGIN_WITH(reserved ? values : NULL);                                                                  \
    struct refrain_request *taken = refrain_post(&call, values, reserved, partner, comm, communicator)

#define REFRAIN_DOES_STARTS_SEND(passed, count, type, dest, tag, comm, request)                                        \
    POSTING(refrain_send_operation(&memory, REFRAIN_OP_ISEND, count, type, dest, tag, comm, communicator), dest,       \
            comm);                                                                                                     \
    if (values && refrain_call_is_followed(&call))                                                                     \
        refrain_order_sends(communicator, dest, tag);                                                                  \
    END_TAKING(passed, request)
#define REFRAIN_DOES_PREPARES_SEND(passed, count, type, dest, tag, comm, request)                                      \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    TAKING(refrain_send_init_record(&call, count, type, dest, tag, comm), passed, request)
#define REFRAIN_DOES_STARTS_RECEIVE(passed, source, tag, comm, request)                                                \
    POSTING(refrain_irecv_operation(&memory, source, comm, communicator), source, comm);                               \
    if (taken && values)                                                                                               \
        refrain_request_expects(taken, source, tag);                                                                   \
    END_TAKING(passed, request)
#define REFRAIN_DOES_PREPARES_RECEIVE(passed, source, tag, comm, request)                                              \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    TAKING(refrain_irecv_record(&call, REFRAIN_OP_RECV_INIT, source, tag, comm), passed, request)

/* A partitioned message is a persistent one whose size is known at the beginning. */
#define REFRAIN_DOES_PREPARES_PARTS_TO_SEND(passed, parts, count, type, dest, tag, comm, request)                      \
    REFRAIN_DOES_PREPARES_SEND(passed, (parts) * (count), type, dest, tag, comm, request)
#define REFRAIN_DOES_PREPARES_PARTS_TO_RECEIVE(passed, parts, count, type, source, tag, comm, request)                 \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_request *taken = refrain_irecv_record(&call, REFRAIN_OP_RECV_INIT, source, tag, comm);              \
    if (taken)                                                                                                         \
        refrain_request_fixed(taken, refrain_bytes((parts) * (count), type));                                          \
    END_TAKING(passed, request)

/* The send is recorded as a blocking one. */
#define REFRAIN_DOES_STARTS_BOTH(passed, count, type, dest, tag, source, received_tag, comm, request)                  \
    BEGIN_SENDING(count, type, dest, tag, comm);                                                                       \
    TAKING(refrain_isendrecv_record(&call, source, received_tag, comm), passed, request)

#define REFRAIN_DOES_STARTS_MATCHED(passed, message, request)                                                          \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    MPI_Message former = (message) ? *(message) : MPI_MESSAGE_NULL;                                                    \
    struct refrain_request *taken = former == MPI_MESSAGE_NO_PROC ? refrain_nothing_take(&call) : NULL;                \
    int returned = passed;                                                                                             \
    if (returned == MPI_SUCCESS && former != MPI_MESSAGE_NO_PROC)                                                      \
        refrain_request_rename(&call, REFRAIN_MPI_KEY(former), REFRAIN_MPI_KEY(*(request)));                           \
    refrain_p2p_bind(&call, taken, returned, request);                                                                 \
    refrain_call_end(&call);                                                                                           \
    return returned

#endif
