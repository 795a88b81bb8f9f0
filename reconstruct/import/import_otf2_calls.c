/* import_otf2_calls.c: regions, calling contexts, messages and collectives of an OTF2 archive (import_otf2.h). */
#include "import/import_otf2.h"

#include <string.h>

/* ---- shared by callbacks ---- */

struct refrain_otf2_thread *refrain_otf2_event(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                               OTF2_TimeStamp time, enum refrain_event_kind kind,
                                               struct refrain_import_event *event) {
    struct refrain_otf2_thread *thread = refrain_otf2_thread(&archive->definitions, location);
    if (!thread || thread->rank < 0)
        return NULL;
    archive->used++;
    archive->time_ns = refrain_otf2_time_ns(&archive->definitions, time);
    *event = (struct refrain_import_event){.kind = kind,
                                           .rank = thread->rank,
                                           .thread = thread->thread,
                                           .time_ns = archive->time_ns,
                                           .comm = REFRAIN_IMPORT_NO_COMM,
                                           .peer = -1,
                                           .request = -1};
    return thread;
}

OTF2_CallbackCode refrain_otf2_add(struct refrain_otf2_archive *archive, const struct refrain_import_event *event) {
    archive->failed |= refrain_import_add(archive->import, event) != 0;
    return archive->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

uint32_t refrain_otf2_call(struct refrain_otf2_archive *archive, const struct refrain_otf2_thread *thread,
                           const char *fallback) {
    uint32_t top = thread->n_stack ? thread->stack[thread->n_stack - 1] : UINT32_MAX;
    if (thread->n_stack && refrain_import_is_call(archive->import, top))
        return top;
    return refrain_import_region(archive->import, REFRAIN_REGION_MPI, fallback, "", 0);
}

bool refrain_otf2_in_call(const struct refrain_otf2_archive *archive, const struct refrain_otf2_thread *thread) {
    return thread->n_stack && refrain_import_is_call(archive->import, thread->stack[thread->n_stack - 1]);
}

enum refrain_mpi_kind refrain_otf2_does(const struct refrain_otf2_archive *archive,
                                        const struct refrain_otf2_thread *thread) {
    return thread->n_stack ? refrain_import_region_does(archive->import, thread->stack[thread->n_stack - 1])
                           : REFRAIN_MPI_OTHER;
}

/* ---- regions ---- */

static OTF2_CallbackCode enter(struct refrain_otf2_archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                               OTF2_RegionRef region) {
    struct refrain_import_event event;
    struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, REFRAIN_EVENT_ENTER, &event);
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    event.region = refrain_otf2_region_number(&archive->definitions, archive->import, region);
    if (!refrain_otf2_thread_enter(thread, event.region)) {
        REFRAIN_FAIL_MEMORY(archive->error);
        archive->failed = true;
        return OTF2_CALLBACK_INTERRUPT;
    }
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region) {
    (void)attributes;
    return enter(data, location, time, region);
}

/* Also leaves regions inside that were not left. Some tools write such regions if a program ends in a call. */
static OTF2_CallbackCode leave(struct refrain_otf2_archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                               OTF2_RegionRef region) {
    struct refrain_import_event event;
    struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, REFRAIN_EVENT_LEAVE, &event);
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    uint32_t left = refrain_otf2_region_number(&archive->definitions, archive->import, region);
    size_t n = thread->n_stack;
    while (n > 0 && thread->stack[n - 1] != left)
        n--;
    if (n == 0) { /* it was never entered */
        archive->used--;
        return OTF2_CALLBACK_SUCCESS;
    }
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    while (code == OTF2_CALLBACK_SUCCESS && thread->n_stack >= n) {
        event.region = thread->stack[--thread->n_stack];
        code = refrain_otf2_add(archive, &event);
    }
    return code;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region) {
    (void)attributes;
    return leave(data, location, time, region);
}

/* ---- calling contexts: paths of regions; an event names only the innermost one ---- */

/* Leaves and enters regions, all at one time, to get from the context of the location to `context`. */
static OTF2_CallbackCode move_to(struct refrain_otf2_archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                 OTF2_CallingContextRef context) {
    struct refrain_otf2_thread *thread = refrain_otf2_thread(&archive->definitions, location);
    const struct refrain_otf2_definitions *definitions = &archive->definitions;
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    if (!thread || thread->rank < 0)
        return code;
    OTF2_CallingContextRef common = refrain_otf2_common_context(definitions, thread->context, context);
    const struct refrain_otf2_context *is;
    const size_t shared = refrain_otf2_context_depth(definitions, common);
    uint64_t used = archive->used; /* one record, even if it becomes several events */
    for (size_t depth = refrain_otf2_context_depth(definitions, thread->context) - shared;
         code == OTF2_CALLBACK_SUCCESS && depth > 0; depth--) {
        is = refrain_otf2_context(definitions, thread->context);
        thread->context = is->parent;
        code = leave(archive, location, time, is->region);
    }
    for (size_t depth = refrain_otf2_context_depth(definitions, context) - shared;
         code == OTF2_CALLBACK_SUCCESS && depth > 0; depth--) {
        is = refrain_otf2_context_above(definitions, context, depth - 1);
        code = enter(archive, location, time, is->region);
    }
    thread->context = context;
    archive->used = used + 1;
    return code;
}

static OTF2_CallbackCode on_context_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                          OTF2_AttributeList *attributes, OTF2_CallingContextRef context,
                                          uint32_t distance) {
    (void)attributes, (void)distance;
    return move_to(data, location, time, context);
}

static OTF2_CallbackCode on_context_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                          OTF2_AttributeList *attributes, OTF2_CallingContextRef context) {
    struct refrain_otf2_archive *archive = data;
    const struct refrain_otf2_context *is = refrain_otf2_context(&archive->definitions, context);
    (void)attributes;
    return is ? move_to(archive, location, time, is->parent) : OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode on_context_sample(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                           OTF2_AttributeList *attributes, OTF2_CallingContextRef context,
                                           uint32_t distance, OTF2_InterruptGeneratorRef generator) {
    (void)attributes, (void)distance, (void)generator;
    return move_to(data, location, time, context);
}

/* ---- messages ---- */

static OTF2_CallbackCode message(struct refrain_otf2_archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                 enum refrain_event_kind kind, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes, int64_t request) {
    struct refrain_import_event event;
    const struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, kind, &event);
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    event.region = refrain_otf2_call(archive, thread, kind == REFRAIN_EVENT_SEND ? "MPI_Send" : "MPI_Recv");
    event.comm = refrain_otf2_comm_number(&archive->definitions, comm);
    event.peer = refrain_otf2_world_rank(&archive->definitions, comm, event.rank, peer);
    event.tag = (int32_t)tag;
    event.bytes = (int64_t)bytes;
    event.request = request;
    return refrain_otf2_add(archive, &event);
}

/* The callbacks of the four kinds of message records, which differ in their kind and in whether they have a request. */
#define MESSAGE_CALLBACK(name, kind, further_parameters, request)                                                      \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,                          \
                                  OTF2_AttributeList *attributes, uint32_t peer, OTF2_CommRef comm, uint32_t tag,      \
                                  uint64_t bytes further_parameters) {                                                 \
        (void)attributes;                                                                                              \
        return message(data, location, time, kind, peer, comm, tag, bytes, request);                                   \
    }
#define AND_REQUEST , uint64_t number
MESSAGE_CALLBACK(on_send, REFRAIN_EVENT_SEND, , -1)
MESSAGE_CALLBACK(on_isend, REFRAIN_EVENT_SEND, AND_REQUEST, (int64_t)number)
MESSAGE_CALLBACK(on_recv, REFRAIN_EVENT_RECV, , -1)
MESSAGE_CALLBACK(on_irecv, REFRAIN_EVENT_RECV, AND_REQUEST, (int64_t)number)

static OTF2_CallbackCode request_event(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                       OTF2_TimeStamp time, enum refrain_event_kind kind, uint64_t request,
                                       const char *fallback) {
    struct refrain_import_event event;
    const struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, kind, &event);
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    event.region = refrain_otf2_call(archive, thread, fallback);
    event.request = (int64_t)request;
    return refrain_otf2_add(archive, &event);
}

#define REQUEST_CALLBACK(name, kind, fallback)                                                                         \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,                          \
                                  OTF2_AttributeList *attributes, uint64_t request) {                                  \
        (void)attributes;                                                                                              \
        return request_event(data, location, time, kind, request, fallback);                                           \
    }
REQUEST_CALLBACK(on_isend_complete, REFRAIN_EVENT_SEND_COMPLETE, "MPI_Wait")
REQUEST_CALLBACK(on_irecv_request, REFRAIN_EVENT_RECV_POST, "MPI_Irecv")
REQUEST_CALLBACK(on_cancelled, REFRAIN_EVENT_CANCEL, "MPI_Wait")
REQUEST_CALLBACK(on_collective_request, REFRAIN_EVENT_COLLECTIVE, "MPI_Ibarrier")

/* ---- collectives, whose kind is known only at their end ---- */

static void fill_collective(struct refrain_otf2_archive *archive, struct refrain_import_event *event, OTF2_CommRef comm,
                            uint32_t root, uint64_t sent, uint64_t received) {
    event->comm = refrain_otf2_comm_number(&archive->definitions, comm);
    event->bytes = (int64_t)sent;
    event->received = (int64_t)received;
    if (root == OTF2_COLLECTIVE_ROOT_SELF)
        event->peer = event->rank;
    else if (root != OTF2_COLLECTIVE_ROOT_NONE && root != OTF2_COLLECTIVE_ROOT_THIS_GROUP)
        event->peer = refrain_otf2_world_rank(&archive->definitions, comm, event->rank, root);
}

static OTF2_CallbackCode on_collective_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                             OTF2_AttributeList *attributes) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, REFRAIN_EVENT_COLLECTIVE, &event);
    (void)attributes;
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    event.region = refrain_otf2_call(archive, thread, "MPI_Barrier");
    thread->in_collective = true;
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                           OTF2_AttributeList *attributes, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                           uint32_t root, uint64_t sent, uint64_t received) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, REFRAIN_EVENT_COLLECTIVE, &event);
    (void)attributes, (void)op;
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    fill_collective(archive, &event, comm, root, sent, received);
    if (thread->in_collective) {
        thread->in_collective = false;
        refrain_import_amend_last(archive->import, &event);
        return OTF2_CALLBACK_SUCCESS;
    }
    event.region = refrain_otf2_call(archive, thread, "MPI_Barrier");
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                                OTF2_AttributeList *attributes, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                                uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    const struct refrain_otf2_thread *thread =
        refrain_otf2_event(archive, location, time, REFRAIN_EVENT_COLLECTIVE_COMPLETE, &event);
    (void)attributes, (void)op;
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    fill_collective(archive, &event, comm, root, sent, received);
    event.request = (int64_t)request;
    refrain_import_amend_request(archive->import, &event);
    event.peer = -1;
    event.region = refrain_otf2_call(archive, thread, "MPI_Wait");
    return refrain_otf2_add(archive, &event);
}

void refrain_otf2_register_calls(OTF2_GlobalEvtReaderCallbacks *callbacks) {
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(callbacks, on_enter);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(callbacks, on_leave);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextEnterCallback(callbacks, on_context_enter);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextLeaveCallback(callbacks, on_context_leave);
    OTF2_GlobalEvtReaderCallbacks_SetCallingContextSampleCallback(callbacks, on_context_sample);
    OTF2_GlobalEvtReaderCallbacks_SetMpiSendCallback(callbacks, on_send);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCallback(callbacks, on_isend);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIsendCompleteCallback(callbacks, on_isend_complete);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvRequestCallback(callbacks, on_irecv_request);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRecvCallback(callbacks, on_recv);
    OTF2_GlobalEvtReaderCallbacks_SetMpiIrecvCallback(callbacks, on_irecv);
    OTF2_GlobalEvtReaderCallbacks_SetMpiRequestCancelledCallback(callbacks, on_cancelled);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveBeginCallback(callbacks, on_collective_begin);
    OTF2_GlobalEvtReaderCallbacks_SetMpiCollectiveEndCallback(callbacks, on_collective_end);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveRequestCallback(callbacks, on_collective_request);
    OTF2_GlobalEvtReaderCallbacks_SetNonBlockingCollectiveCompleteCallback(callbacks, on_collective_complete);
}
