/* otf2_communication.c: writes messages and collectives as OTF2 records (otf2_communication.h). */
#include "formats/otf2_communication.h"
#include "common/array.h"

#include <string.h>

/* ---- ranks ---- */

/* The rank of `peer` in the communicator of the event. False if OTF2 cannot represent it. */
static bool comm_rank(const struct refrain_otf2_comm *comms, const struct refrain_event *event, uint32_t *rank) {
    if (!event->comm || event->peer < 0)
        return false;
    return refrain_otf2_comm_rank(&comms[event->comm->index], event->rank, event->peer, rank);
}

static uint32_t root_of(const struct refrain_otf2_comm *comms, const struct refrain_event *event) {
    uint32_t root = OTF2_COLLECTIVE_ROOT_NONE;
    if (event->peer == event->rank && event->comm && comms[event->comm->index].is_remote)
        return OTF2_COLLECTIVE_ROOT_SELF; /* of an intercommunicator: a number would mean a rank of the other group */
    if (event->peer >= 0 && !comm_rank(comms, event, &root))
        root = event->peer == event->rank ? OTF2_COLLECTIVE_ROOT_SELF : OTF2_COLLECTIVE_ROOT_THIS_GROUP;
    return root;
}

/* ---- collectives ---- */

static OTF2_CollectiveOp collective_op(const char *name) {
    static const struct {
        const char *name;
        OTF2_CollectiveOp op;
    } ops[] = {{"barrier", OTF2_COLLECTIVE_OP_BARRIER},
               {"bcast", OTF2_COLLECTIVE_OP_BCAST},
               {"gather", OTF2_COLLECTIVE_OP_GATHER},
               {"gatherv", OTF2_COLLECTIVE_OP_GATHERV},
               {"scatter", OTF2_COLLECTIVE_OP_SCATTER},
               {"scatterv", OTF2_COLLECTIVE_OP_SCATTERV},
               {"allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
               {"allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
               {"alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
               {"alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
               {"alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW},
               {"allreduce", OTF2_COLLECTIVE_OP_ALLREDUCE},
               {"reduce", OTF2_COLLECTIVE_OP_REDUCE},
               {"reduce_scatter", OTF2_COLLECTIVE_OP_REDUCE_SCATTER},
               {"reduce_scatter_block", OTF2_COLLECTIVE_OP_REDUCE_SCATTER_BLOCK},
               {"scan", OTF2_COLLECTIVE_OP_SCAN},
               {"exscan", OTF2_COLLECTIVE_OP_EXSCAN},
               {"neighbor_allgather", OTF2_COLLECTIVE_OP_ALLGATHER},
               {"neighbor_allgatherv", OTF2_COLLECTIVE_OP_ALLGATHERV},
               {"neighbor_alltoall", OTF2_COLLECTIVE_OP_ALLTOALL},
               {"neighbor_alltoallv", OTF2_COLLECTIVE_OP_ALLTOALLV},
               {"neighbor_alltoallw", OTF2_COLLECTIVE_OP_ALLTOALLW}};
    for (size_t i = 0; i < sizeof ops / sizeof *ops; i++)
        if (strcmp(name, ops[i].name) == 0)
            return ops[i].op;
    return OTF2_COLLECTIVE_OP_CREATE_HANDLE;
}

OTF2_ErrorCode refrain_otf2_collective_end(const struct refrain_otf2_comm *comms,
                                           struct refrain_otf2_location *location, uint64_t time) {
    const struct refrain_event *event = &location->collective;
    location->in_collective = false;
    location->events++;
    return OTF2_EvtWriter_MpiCollectiveEnd(location->writer, NULL, time, collective_op(event->region->collective),
                                           event->comm->index, root_of(comms, event), (uint64_t)event->bytes,
                                           (uint64_t)event->received);
}

/* A nonblocking collective: OTF2 records its kind at completion. */
static OTF2_ErrorCode request_collective(struct refrain_otf2_location *location, const struct refrain_event *event,
                                         uint64_t time) {
    if (!REFRAIN_ARRAY_ROOM(location->pending, location->n_pending, location->capacity_pending))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    location->pending[location->n_pending++] = *event;
    location->events++;
    return OTF2_EvtWriter_NonBlockingCollectiveRequest(location->writer, NULL, time, (uint64_t)event->request);
}

OTF2_ErrorCode refrain_otf2_collective_complete(const struct refrain_otf2_comm *comms,
                                                struct refrain_otf2_location *location, int64_t request,
                                                uint64_t time) {
    size_t i = 0;
    while (i < location->n_pending && location->pending[i].request != request)
        i++;
    if (i == location->n_pending)
        return OTF2_SUCCESS;
    struct refrain_event event = location->pending[i];
    location->pending[i] = location->pending[--location->n_pending];
    location->events++;
    return OTF2_EvtWriter_NonBlockingCollectiveComplete(
        location->writer, NULL, time, collective_op(event.region->collective), event.comm->index,
        root_of(comms, &event), (uint64_t)event.bytes, (uint64_t)event.received, (uint64_t)request);
}

static OTF2_ErrorCode begin_collective(const struct refrain_otf2_comm *comms, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time) {
    OTF2_ErrorCode code = location->in_collective ? refrain_otf2_collective_end(comms, location, time) : OTF2_SUCCESS;
    if (code)
        return code;
    location->collective = *event;
    location->in_collective = true;
    location->events++;
    return OTF2_EvtWriter_MpiCollectiveBegin(location->writer, NULL, time);
}

OTF2_ErrorCode refrain_otf2_collective(const struct refrain_otf2_comm *comms, struct refrain_otf2_location *location,
                                       const struct refrain_event *event, uint64_t time) {
    if (!event->comm) {
        location->unknown++;
        return OTF2_SUCCESS;
    }
    return event->request < 0 ? begin_collective(comms, location, event, time)
                              : request_collective(location, event, time);
}

/* ---- messages ---- */

OTF2_ErrorCode refrain_otf2_message(const struct refrain_otf2_comm *comms, struct refrain_otf2_location *location,
                                    const struct refrain_event *event, uint64_t time) {
    uint32_t peer, comm, tag = (uint32_t)event->tag;
    uint64_t bytes = (uint64_t)event->bytes, request = (uint64_t)event->request;
    if (!comm_rank(comms, event, &peer)) {
        location->unknown++;
        return OTF2_SUCCESS;
    }
    comm = event->comm->index;
    location->events++;
    if (event->kind == REFRAIN_EVENT_SEND)
        return event->request < 0
                   ? OTF2_EvtWriter_MpiSend(location->writer, NULL, time, peer, comm, tag, bytes)
                   : OTF2_EvtWriter_MpiIsend(location->writer, NULL, time, peer, comm, tag, bytes, request);
    return event->request < 0 ? OTF2_EvtWriter_MpiRecv(location->writer, NULL, time, peer, comm, tag, bytes)
                              : OTF2_EvtWriter_MpiIrecv(location->writer, NULL, time, peer, comm, tag, bytes, request);
}

OTF2_ErrorCode refrain_otf2_request(struct refrain_otf2_location *location, const struct refrain_event *event,
                                    uint64_t time) {
    if (event->request < 0)
        return OTF2_SUCCESS;
    location->events++;
    if (event->kind == REFRAIN_EVENT_SEND_COMPLETE)
        return OTF2_EvtWriter_MpiIsendComplete(location->writer, NULL, time, (uint64_t)event->request);
    if (event->kind == REFRAIN_EVENT_RECV_POST)
        return OTF2_EvtWriter_MpiIrecvRequest(location->writer, NULL, time, (uint64_t)event->request);
    return OTF2_EvtWriter_MpiRequestCancelled(location->writer, NULL, time, (uint64_t)event->request);
}
