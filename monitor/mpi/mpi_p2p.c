/* mpi_p2p.c: wrappers of point-to-point communication. A message is told of where it leaves (before the call, since it
 * may be gone when that returns) and where it has arrived (after it). Those to and from MPI_PROC_NULL are no messages;
 * but their requests are requests, and libraries give out one handle for several, so that they take one too. */
#include "call.h"
#include "mpi_request_numbers.h"
#include <refrain/trace.h>

/* Whether MPI would accept `rank`: what it refuses is not told. Ranks of unknown communicators are believed. */
static bool is_partner(const struct refrain_communicator *communicator, int rank) {
    return rank >= 0 &&
           (!communicator || rank < (communicator->remote_size ? communicator->remote_size : communicator->size));
}

static bool is_valid(MPI_Comm comm, const struct refrain_communicator *communicator) {
    return communicator || (refrain_mpi_active && comm != MPI_COMM_NULL);
}

static bool is_sendable(int64_t count, MPI_Datatype datatype, int tag) {
    return count >= 0 && tag >= 0 && datatype != MPI_DATATYPE_NULL;
}

/* A call that is traced, or one in a pause: its messages are counted. */
static bool is_followed(const struct refrain_call *call) {
    return call->entry || refrain_call_is_untold(call);
}

/* A call has begun that sends. */
static REFRAIN_INLINE void tell_send(struct refrain_call *call, int64_t count, MPI_Datatype datatype, int dest, int tag,
                                     MPI_Comm comm, const struct refrain_communicator *communicator) {
    if (!is_followed(call) || !is_valid(comm, communicator) || !is_partner(communicator, dest) ||
        !is_sendable(count, datatype, tag))
        return;
    int64_t parameters[] = {dest, tag, refrain_bytes(count, datatype), refrain_communicator_index(communicator)};
    refrain_call_awaits(call, dest, -1, parameters[3], tag);
    if (refrain_call_is_untold(call))
        refrain_call_count_untold(call, REFRAIN_UNTOLD_SEND, dest, tag, parameters[3]);
    else
        refrain_call_operation(call, REFRAIN_OP_SEND, parameters, 4);
    refrain_order_sends(communicator, dest, tag);
}

/* A call that receives ends. */
static void end_recv(struct refrain_call *call, int rc, const MPI_Status *status, int64_t comm) {
    if (is_followed(call) && rc == MPI_SUCCESS && status->MPI_SOURCE >= 0) {
        if (call->entry) {
            refrain_call_returned(call);
            int64_t parameters[] = {status->MPI_SOURCE, status->MPI_TAG, refrain_status_bytes(status), comm};
            refrain_call_operation(call, REFRAIN_OP_RECV, parameters, 4);
        } else {
            refrain_call_count_untold(call, REFRAIN_UNTOLD_RECEIVE, status->MPI_SOURCE, status->MPI_TAG, comm);
        }
        refrain_order_receives(comm, status->MPI_SOURCE, status->MPI_TAG, true);
    }
    refrain_order_goes_on();
    refrain_call_end(call);
}

static struct refrain_request *take_nothing(struct refrain_call *call) {
    return refrain_request_take(call, REFRAIN_OP_NOTHING, NULL, 0);
}

/* A call has begun that posts a send. */
static REFRAIN_INLINE struct refrain_request *tell_isend(struct refrain_call *call, int64_t count,
                                                         MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {
    if (!is_followed(call))
        return NULL;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    if (!is_valid(comm, communicator))
        return NULL;
    if (!is_partner(communicator, dest) || !is_sendable(count, datatype, tag))
        return dest == MPI_PROC_NULL ? take_nothing(call) : NULL;
    int64_t parameters[] = {dest, tag, refrain_bytes(count, datatype), refrain_communicator_index(communicator)};
    struct refrain_request *taken = refrain_request_take(call, REFRAIN_OP_ISEND, parameters, REFRAIN_PARAMETERS);
    refrain_order_sends(communicator, dest, tag);
    return taken;
}

/* A persistent send. Such requests have handles of their own, so that one to MPI_PROC_NULL may stay unknown. */
static struct refrain_request *tell_send_init(struct refrain_call *call, int64_t count, MPI_Datatype datatype, int dest,
                                              int tag, MPI_Comm comm) {
    if (!is_followed(call))
        return NULL;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    if (!is_valid(comm, communicator) || !is_partner(communicator, dest) || !is_sendable(count, datatype, tag))
        return NULL;
    int64_t parameters[] = {dest, tag, refrain_bytes(count, datatype), refrain_communicator_index(communicator)};
    return refrain_request_take(call, REFRAIN_OP_SEND_INIT, parameters, 4);
}

/* A receive that takes a request, in a call that has begun: REFRAIN_OP_IRECV or REFRAIN_OP_RECV_INIT. */
static REFRAIN_INLINE struct refrain_request *tell_irecv(struct refrain_call *call, enum refrain_operation operation,
                                                         int source, int tag, MPI_Comm comm) {
    if (!is_followed(call))
        return NULL;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    if (!is_valid(comm, communicator))
        return NULL;
    if (source != MPI_ANY_SOURCE && !is_partner(communicator, source))
        return operation == REFRAIN_OP_IRECV && source == MPI_PROC_NULL ? take_nothing(call) : NULL;
    int64_t parameters[] = {refrain_communicator_index(communicator)};
    struct refrain_request *taken = refrain_request_take(call, operation, parameters, 1);
    if (taken)
        refrain_request_expects(taken, source, tag);
    return taken;
}

static REFRAIN_INLINE void bind(struct refrain_call *call, struct refrain_request *request, int rc,
                                const MPI_Request *handle) {
    if (!request)
        return;
    bool bound = rc == MPI_SUCCESS && *handle != MPI_REQUEST_NULL;
    if (__builtin_expect(bound && !refrain_mpi_multiple, 1))
        refrain_request_insert(request, REFRAIN_MPI_KEY(*handle));
    else
        refrain_request_bind(call, request, bound, bound ? REFRAIN_MPI_KEY(*handle) : 0);
}

/* The communicator's index, for a call that receives: after the call it may be gone. */
static int64_t index_of(const struct refrain_call *call, MPI_Comm comm) {
    return is_followed(call) ? refrain_communicator_index(refrain_communicator_find(comm)) : -1;
}

/* Says what a call that receives waits for. */
static REFRAIN_INLINE void await(const struct refrain_call *call, int source, int tag, int64_t index) {
    if (call->entry)
        refrain_call_awaits_message(call,
                                    source == MPI_ANY_SOURCE ? REFRAIN_NOW_ANY
                                    : source < 0             ? -1
                                                             : source,
                                    index, tag == MPI_ANY_TAG ? -1 : tag);
}

/* The status that is handed to MPI: the user's, or our own where there is none. */
static MPI_Status *status_or(MPI_Status *status, MPI_Status *own) {
    return status == MPI_STATUS_IGNORE ? own : status;
}

/* ---- blocking ---- */

/* A call has begun that sends and receives. Returns the communicator's index. */
static REFRAIN_INLINE int64_t tell_exchange(struct refrain_call *call, int64_t count, MPI_Datatype datatype, int dest,
                                            int tag, int source, int received_tag, MPI_Comm comm) {
    const struct refrain_communicator *communicator = is_followed(call) ? refrain_communicator_find(comm) : NULL;
    tell_send(call, count, datatype, dest, tag, comm, communicator);
    int64_t index = refrain_communicator_index(communicator);
    await(call, source, received_tag, index);
    refrain_order_waits();
    return index;
}

#define SEND(name, count_t)                                                                                            \
    int name(const void *buf, count_t count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm) {                \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        tell_send(&call, count, datatype, dest, tag, comm,                                                             \
                  is_followed(&call) ? refrain_communicator_find(comm) : NULL);                                        \
        REFRAIN_MPI_PASS(P##name(buf, count, datatype, dest, tag, comm));                                              \
    }

#define RECV(name, count_t)                                                                                            \
    int name(void *buf, count_t count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,                      \
             MPI_Status *status) {                                                                                     \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        MPI_Status own, *used = status_or(status, &own);                                                               \
        int64_t index = index_of(&call, comm);                                                                         \
        await(&call, source, tag, index);                                                                              \
        refrain_order_waits();                                                                                         \
        int rc = P##name(buf, count, datatype, refrain_order_source(source, tag, comm), tag, comm, used);              \
        end_recv(&call, rc, used, index);                                                                              \
        return rc;                                                                                                     \
    }

#define SENDRECV(name, count_t)                                                                                        \
    int name(const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,      \
             count_t recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Status *status) {   \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        MPI_Status own, *used = status_or(status, &own);                                                               \
        int64_t index = tell_exchange(&call, sendcount, sendtype, dest, sendtag, source, recvtag, comm);               \
        int rc = P##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,   \
                         comm, used);                                                                                  \
        end_recv(&call, rc, used, index);                                                                              \
        return rc;                                                                                                     \
    }

#define SENDRECV_REPLACE(name, count_t)                                                                                \
    int name(void *buf, count_t count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,          \
             MPI_Comm comm, MPI_Status *status) {                                                                      \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        MPI_Status own, *used = status_or(status, &own);                                                               \
        int64_t index = tell_exchange(&call, count, datatype, dest, sendtag, source, recvtag, comm);                   \
        int rc = P##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, used);                            \
        end_recv(&call, rc, used, index);                                                                              \
        return rc;                                                                                                     \
    }

/* ---- nonblocking and persistent ---- */

#define ISEND(name, count_t)                                                                                           \
    int name(const void *buf, count_t count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,                  \
             MPI_Request *request) {                                                                                   \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct refrain_request *taken = tell_isend(&call, count, datatype, dest, tag, comm);                           \
        int rc = P##name(buf, count, datatype, dest, tag, comm, request);                                              \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

#define SEND_INIT(name, count_t)                                                                                       \
    int name(const void *buf, count_t count, MPI_Datatype datatype, int dest, int tag, MPI_Comm comm,                  \
             MPI_Request *request) {                                                                                   \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct refrain_request *taken = tell_send_init(&call, count, datatype, dest, tag, comm);                       \
        int rc = P##name(buf, count, datatype, dest, tag, comm, request);                                              \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

#define IRECV(name, count_t)                                                                                           \
    int name(void *buf, count_t count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,                      \
             MPI_Request *request) {                                                                                   \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct refrain_request *taken = tell_irecv(&call, REFRAIN_OP_IRECV, source, tag, comm);                        \
        int rc = P##name(buf, count, datatype, source, tag, comm, request);                                            \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

#define RECV_INIT(name, count_t)                                                                                       \
    int name(void *buf, count_t count, MPI_Datatype datatype, int source, int tag, MPI_Comm comm,                      \
             MPI_Request *request) {                                                                                   \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        struct refrain_request *taken = tell_irecv(&call, REFRAIN_OP_RECV_INIT, source, tag, comm);                    \
        int rc = P##name(buf, count, datatype, source, tag, comm, request);                                            \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

/* One request for both directions: it is the receive's; the send is told of as one that blocks. MPICH 4.0 never fills
 * in the status of such a request: what was asked for then says whom the message came from, as far as it does. */
#ifdef REFRAIN_HAS_MPI_Isendrecv
static bool isendrecv_has_status;

void refrain_isendrecv_try(void) {
    char out[3] = {1, 2, 3}, in[3];
    const int tag = 4711;
    int bytes = 0;
    MPI_Request request;
    MPI_Status status = {.MPI_SOURCE = -1, .MPI_TAG = -1};
    PMPI_Isendrecv(out, 3, MPI_BYTE, 0, tag, in, 3, MPI_BYTE, 0, tag, MPI_COMM_SELF, &request);
    PMPI_Wait(&request, &status);
    PMPI_Get_count(&status, MPI_BYTE, &bytes);
    isendrecv_has_status = status.MPI_SOURCE == 0 && status.MPI_TAG == tag && bytes == 3;
}

static struct refrain_request *tell_isendrecv(struct refrain_call *call, int source, int tag, MPI_Comm comm) {
    struct refrain_request *taken = tell_irecv(call, REFRAIN_OP_IRECV, source, tag, comm);
    if (taken && taken->operation == REFRAIN_OP_IRECV && !isendrecv_has_status)
        refrain_request_fixed(taken, -1);
    return taken;
}
#else
void refrain_isendrecv_try(void) {
}
#endif

#define ISENDRECV(name, count_t)                                                                                       \
    int name(const void *sendbuf, count_t sendcount, MPI_Datatype sendtype, int dest, int sendtag, void *recvbuf,      \
             count_t recvcount, MPI_Datatype recvtype, int source, int recvtag, MPI_Comm comm, MPI_Request *request) { \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        tell_send(&call, sendcount, sendtype, dest, sendtag, comm,                                                     \
                  is_followed(&call) ? refrain_communicator_find(comm) : NULL);                                        \
        struct refrain_request *taken = tell_isendrecv(&call, source, recvtag, comm);                                  \
        int rc = P##name(sendbuf, sendcount, sendtype, dest, sendtag, recvbuf, recvcount, recvtype, source, recvtag,   \
                         comm, request);                                                                               \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

#define ISENDRECV_REPLACE(name, count_t)                                                                               \
    int name(void *buf, count_t count, MPI_Datatype datatype, int dest, int sendtag, int source, int recvtag,          \
             MPI_Comm comm, MPI_Request *request) {                                                                    \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        tell_send(&call, count, datatype, dest, sendtag, comm,                                                         \
                  is_followed(&call) ? refrain_communicator_find(comm) : NULL);                                        \
        struct refrain_request *taken = tell_isendrecv(&call, source, recvtag, comm);                                  \
        int rc = P##name(buf, count, datatype, dest, sendtag, source, recvtag, comm, request);                         \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

/* A matched probe is where the message is received as far as the order of messages goes: it is told of as the posting
 * of a receive, which MPI_Mrecv completes, or the request of MPI_Imrecv when that does. */
#define MRECV(name, count_t)                                                                                           \
    int name(void *buf, count_t count, MPI_Datatype datatype, MPI_Message *message, MPI_Status *status) {              \
        MPI_Status own, *used = status_or(status, &own);                                                               \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        uint64_t key = message ? REFRAIN_MPI_KEY(*message) : 0;                                                        \
        int rc = P##name(buf, count, datatype, message, used);                                                         \
        if (rc == MPI_SUCCESS)                                                                                         \
            refrain_request_complete(&call, key, 0, used);                                                             \
        else if (message && *message == MPI_MESSAGE_NULL)                                                              \
            refrain_request_lost(&call, key);                                                                          \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

#define IMRECV(name, count_t)                                                                                          \
    int name(void *buf, count_t count, MPI_Datatype datatype, MPI_Message *message, MPI_Request *request) {            \
        REFRAIN_MPI_BEGIN(name);                                                                                       \
        MPI_Message former = message ? *message : MPI_MESSAGE_NULL;                                                    \
        struct refrain_request *taken = former == MPI_MESSAGE_NO_PROC ? take_nothing(&call) : NULL;                    \
        int rc = P##name(buf, count, datatype, message, request);                                                      \
        if (rc == MPI_SUCCESS && former != MPI_MESSAGE_NO_PROC)                                                        \
            refrain_request_rename(&call, REFRAIN_MPI_KEY(former), REFRAIN_MPI_KEY(*request));                         \
        bind(&call, taken, rc, request);                                                                               \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    }

#define ALL(count_t, suffix)                                                                                           \
    SEND(MPI_Send##suffix, count_t)                                                                                    \
    SEND(MPI_Bsend##suffix, count_t)                                                                                   \
    SEND(MPI_Ssend##suffix, count_t)                                                                                   \
    SEND(MPI_Rsend##suffix, count_t)                                                                                   \
    RECV(MPI_Recv##suffix, count_t)                                                                                    \
    SENDRECV(MPI_Sendrecv##suffix, count_t)                                                                            \
    SENDRECV_REPLACE(MPI_Sendrecv_replace##suffix, count_t)                                                            \
    ISEND(MPI_Isend##suffix, count_t)                                                                                  \
    ISEND(MPI_Ibsend##suffix, count_t)                                                                                 \
    ISEND(MPI_Issend##suffix, count_t)                                                                                 \
    ISEND(MPI_Irsend##suffix, count_t)                                                                                 \
    SEND_INIT(MPI_Send_init##suffix, count_t)                                                                          \
    SEND_INIT(MPI_Bsend_init##suffix, count_t)                                                                         \
    SEND_INIT(MPI_Ssend_init##suffix, count_t)                                                                         \
    SEND_INIT(MPI_Rsend_init##suffix, count_t)                                                                         \
    IRECV(MPI_Irecv##suffix, count_t)                                                                                  \
    RECV_INIT(MPI_Recv_init##suffix, count_t)                                                                          \
    MRECV(MPI_Mrecv##suffix, count_t)                                                                                  \
    IMRECV(MPI_Imrecv##suffix, count_t)

ALL(int, )
#ifdef REFRAIN_HAS_MPI_Send_c
ALL(MPI_Count, _c)
#endif

#ifdef REFRAIN_HAS_MPI_Isendrecv
ISENDRECV(MPI_Isendrecv, int)
ISENDRECV_REPLACE(MPI_Isendrecv_replace, int)
#endif
#ifdef REFRAIN_HAS_MPI_Isendrecv_c
ISENDRECV(MPI_Isendrecv_c, MPI_Count)
ISENDRECV_REPLACE(MPI_Isendrecv_replace_c, MPI_Count)
#endif

/* ---- probes ---- */

int MPI_Probe(int source, int tag, MPI_Comm comm, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Probe);
    await(&call, source, tag, index_of(&call, comm));
    refrain_order_waits();
    int rc = PMPI_Probe(refrain_order_source(source, tag, comm), tag, comm, status);
    refrain_order_goes_on();
    refrain_call_end(&call);
    return rc;
}

/* Matched ones. */

static void tell_matched(struct refrain_call *call, MPI_Comm comm, MPI_Message message) {
    if (!is_followed(call) || message == MPI_MESSAGE_NULL || message == MPI_MESSAGE_NO_PROC)
        return;
    refrain_call_returned(call);
    struct refrain_request *taken = tell_irecv(call, REFRAIN_OP_IRECV, MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
    refrain_request_bind(call, taken, true, REFRAIN_MPI_KEY(message));
}

int MPI_Mprobe(int source, int tag, MPI_Comm comm, MPI_Message *message, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Mprobe);
    await(&call, source, tag, index_of(&call, comm));
    refrain_order_waits();
    int rc = PMPI_Mprobe(refrain_order_source(source, tag, comm), tag, comm, message, status);
    refrain_order_goes_on();
    if (rc == MPI_SUCCESS)
        tell_matched(&call, comm, *message);
    refrain_call_end(&call);
    return rc;
}

int MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Improbe);
    int rc = PMPI_Improbe(source, tag, comm, flag, message, status);
    if (rc == MPI_SUCCESS && *flag)
        tell_matched(&call, comm, *message);
    refrain_call_end(&call);
    return rc;
}

/* ---- partitioned: a persistent message whose size is known beforehand ---- */

#ifdef REFRAIN_HAS_MPI_Psend_init
int MPI_Psend_init(const void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int dest, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    REFRAIN_MPI_BEGIN(MPI_Psend_init);
    struct refrain_request *taken = tell_send_init(&call, partitions * count, datatype, dest, tag, comm);
    int rc = PMPI_Psend_init(buf, partitions, count, datatype, dest, tag, comm, info, request);
    bind(&call, taken, rc, request);
    refrain_call_end(&call);
    return rc;
}

int MPI_Precv_init(void *buf, int partitions, MPI_Count count, MPI_Datatype datatype, int source, int tag,
                   MPI_Comm comm, MPI_Info info, MPI_Request *request) {
    REFRAIN_MPI_BEGIN(MPI_Precv_init);
    struct refrain_request *taken = tell_irecv(&call, REFRAIN_OP_RECV_INIT, source, tag, comm);
    if (taken)
        refrain_request_fixed(taken, refrain_bytes(partitions * count, datatype));
    int rc = PMPI_Precv_init(buf, partitions, count, datatype, source, tag, comm, info, request);
    bind(&call, taken, rc, request);
    refrain_call_end(&call);
    return rc;
}
#endif

/* ---- starting ---- */

int MPI_Start(MPI_Request *request) {
    REFRAIN_MPI_BEGIN(MPI_Start);
    if (request)
        refrain_request_start(&call, *request);
    int rc = PMPI_Start(request);
    if (rc != MPI_SUCCESS && request)
        refrain_request_not_started(&call, *request);
    refrain_call_end(&call);
    return rc;
}

int MPI_Startall(int count, MPI_Request array_of_requests[]) {
    REFRAIN_MPI_BEGIN(MPI_Startall);
    for (int i = 0; i < count && array_of_requests; i++)
        refrain_request_start(&call, array_of_requests[i]);
    int rc = PMPI_Startall(count, array_of_requests);
    for (int i = 0; i < count && array_of_requests && rc != MPI_SUCCESS; i++)
        refrain_request_not_started(&call, array_of_requests[i]);
    refrain_call_end(&call);
    return rc;
}
