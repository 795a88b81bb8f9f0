/* mpi_p2p.c: functions for the generated wrappers of point-to-point communication (mpi_p2p.h). */
#include "mpi_p2p.h"
#include <refrain/trace.h>

/* Ends a call that receives. */
void refrain_recv_end(struct refrain_call *call, int rc, const MPI_Status *status, int64_t comm) {
    struct refrain_operation_values message;
    bool received = refrain_call_is_followed(call) && rc == MPI_SUCCESS && status->MPI_SOURCE >= 0;
    if (received) {
        message.operation = REFRAIN_OP_RECV;
        message.n = REFRAIN_PARAMETERS;
        message.values[0] = status->MPI_SOURCE;
        message.values[1] = status->MPI_TAG;
        message.values[2] = call->entry ? refrain_status_bytes(status) : 0;
        message.values[3] = comm;
        if (!call->entry)
            refrain_call_count_untold(call, REFRAIN_UNTOLD_RECEIVE, status->MPI_SOURCE, status->MPI_TAG, comm);
        refrain_order_receives(comm, status->MPI_SOURCE, status->MPI_TAG, true);
    }
    refrain_order_continues();
    refrain_call_end_with(call, received ? &message : NULL);
}

/* Takes the request of a persistent send. A send to MPI_PROC_NULL may stay unknown, since persistent requests have
 * handles of their own. */
struct refrain_request *refrain_send_init_record(struct refrain_call *call, int64_t count, MPI_Datatype datatype,
                                                 int dest, int tag, MPI_Comm comm) {
    if (!refrain_call_is_followed(call))
        return NULL;
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    if (!refrain_is_valid_comm(comm, communicator) || !refrain_is_partner(communicator, dest) ||
        !refrain_is_sendable(count, datatype, tag))
        return NULL;
    int64_t parameters[] = {dest, tag, refrain_bytes(count, datatype), refrain_communicator_index(communicator)};
    return refrain_request_take(call, REFRAIN_OP_SEND_INIT, parameters, 4);
}

/* One request for both directions belongs to the receive; the send is recorded as a blocking one. MPICH 4.0 never fills
 * in the status of such a request. Then the arguments say whom the message came from, unless they name any source. */
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

struct refrain_request *refrain_isendrecv_record(struct refrain_call *call, int source, int tag, MPI_Comm comm) {
    struct refrain_request *taken = refrain_irecv_record(call, REFRAIN_OP_IRECV, source, tag, comm);
    if (taken && taken->operation == REFRAIN_OP_IRECV && !isendrecv_has_status)
        refrain_request_fixed(taken, -1);
    return taken;
}
#else
void refrain_isendrecv_try(void) {
}
#endif

/* ---- matched probes ---- */

void refrain_probe_matched(struct refrain_call *call, MPI_Comm comm, const MPI_Message *message) {
    if (!message || !refrain_call_is_followed(call) || *message == MPI_MESSAGE_NULL || *message == MPI_MESSAGE_NO_PROC)
        return;
    refrain_call_returned(call);
    struct refrain_request *taken = refrain_irecv_record(call, REFRAIN_OP_IRECV, MPI_ANY_SOURCE, MPI_ANY_TAG, comm);
    refrain_request_bind(call, taken, true, REFRAIN_MPI_KEY(*message));
}
