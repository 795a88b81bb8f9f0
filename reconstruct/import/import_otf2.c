/* import_otf2.c: the events of an OTF2 archive, whichever tool wrote it (import_source.h).
 *
 *     archive --> definitions (otf2_definitions.h) --> which location is which rank and thread, regions, communicators
 *             --> events of all locations in the order of their corrected times
 *
 * A rank is a process of MPI; without MPI the processes are ranks in the order of their definitions. Records that a
 * trace has no place for (metrics, parameters, threads' and OpenMP's own, those of accelerators ...) are counted. */
#define _GNU_SOURCE
#include "import_source.h"
#include "import_trace.h"
#include "otf2_definitions.h"
#include <refrain/trace.h>

#include <glob.h>
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define EVENTS_AT_ONCE 65536u

struct archive {
    const char *path;
    struct refrain_error *error;
    OTF2_Reader *reader;
    struct refrain_otf2_definitions definitions;
    struct refrain_import *import;
    uint64_t taken;  /* records that became events, or parts of them */
    int64_t time_ns; /* of the last one */
    bool failed;
};

static enum refrain_status fail(struct archive *archive, OTF2_ErrorCode code) {
    return REFRAIN_FAIL(archive->error, "%s: cannot be read: %s", archive->path, OTF2_Error_GetDescription(code));
}

/* OTF2 prints what fails itself, in several lines; the first goes into the error instead. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list arguments) {
    struct archive *archive = data;
    char text[512];
    (void)file, (void)line, (void)function;
    vsnprintf(text, sizeof text, format, arguments);
    if (code > OTF2_SUCCESS || code < OTF2_WARNING)
        REFRAIN_FAIL(archive->error, "%s: cannot be read: %s (%s)", archive->path, OTF2_Error_GetDescription(code),
                     text);
    return code;
}

/* ---- events ---- */

/* An event of the location at `time`, without its region; null where the location is none of a rank. */
static struct refrain_otf2_place *open_event(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                             enum refrain_event_kind kind, struct refrain_import_event *event) {
    struct refrain_otf2_place *place = refrain_otf2_place(&archive->definitions, location);
    if (!place || place->rank < 0)
        return NULL;
    archive->taken++;
    archive->time_ns = refrain_otf2_time_ns(&archive->definitions, time);
    *event = (struct refrain_import_event){.kind = kind,
                                           .rank = place->rank,
                                           .thread = place->thread,
                                           .time_ns = archive->time_ns,
                                           .comm = REFRAIN_IMPORT_NO_COMM,
                                           .peer = -1,
                                           .request = -1};
    return place;
}

static OTF2_CallbackCode add(struct archive *archive, const struct refrain_import_event *event) {
    archive->failed |= refrain_import_add(archive->import, event) != 0;
    return archive->failed ? OTF2_CALLBACK_INTERRUPT : OTF2_CALLBACK_SUCCESS;
}

/* The MPI call that the location is in; where it is in none, one that does such a thing. */
static uint32_t call_of(struct archive *archive, const struct refrain_otf2_place *place, const char *otherwise) {
    uint32_t top = place->n_stack ? place->stack[place->n_stack - 1] : UINT32_MAX;
    if (place->n_stack && refrain_import_region_kind(archive->import, top) == REFRAIN_REGION_MPI)
        return top;
    return refrain_import_region(archive->import, REFRAIN_REGION_MPI, otherwise, "", 0);
}

static OTF2_CallbackCode enter(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                               OTF2_RegionRef region) {
    struct refrain_import_event event;
    struct refrain_otf2_place *place = open_event(archive, location, time, REFRAIN_EVENT_ENTER, &event);
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    event.region = refrain_otf2_region_number(&archive->definitions, archive->import, region);
    if (!refrain_otf2_place_enter(place, event.region)) {
        REFRAIN_FAIL_MEMORY(archive->error);
        archive->failed = true;
        return OTF2_CALLBACK_INTERRUPT;
    }
    return add(archive, &event);
}

static OTF2_CallbackCode on_enter(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region) {
    (void)attributes;
    return enter(data, location, time, region);
}

/* What was entered in the region and not left, as some tools have it where a program ends in a call, is left with it.
 */
static OTF2_CallbackCode leave(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                               OTF2_RegionRef region) {
    struct refrain_import_event event;
    struct refrain_otf2_place *place = open_event(archive, location, time, REFRAIN_EVENT_LEAVE, &event);
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    uint32_t left = refrain_otf2_region_number(&archive->definitions, archive->import, region);
    size_t n = place->n_stack;
    while (n > 0 && place->stack[n - 1] != left)
        n--;
    if (n == 0) { /* never entered */
        archive->taken--;
        return OTF2_CALLBACK_SUCCESS;
    }
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    while (code == OTF2_CALLBACK_SUCCESS && place->n_stack >= n) {
        event.region = place->stack[--place->n_stack];
        code = add(archive, &event);
    }
    return code;
}

static OTF2_CallbackCode on_leave(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RegionRef region) {
    (void)attributes;
    return leave(data, location, time, region);
}

/* ---- calling contexts: a path of regions, of which each event says only the innermost ---- */

/* Leaves and enters what it takes to come from the location's context to `context`, in one instant. */
static OTF2_CallbackCode move_to(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                 OTF2_CallingContextRef context) {
    struct refrain_otf2_place *place = refrain_otf2_place(&archive->definitions, location);
    const struct refrain_otf2_definitions *definitions = &archive->definitions;
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    if (!place || place->rank < 0)
        return code;
    OTF2_CallingContextRef common = refrain_otf2_common_context(definitions, place->context, context);
    const struct refrain_otf2_context *is;
    uint64_t taken = archive->taken; /* the record is one, however many events it becomes */
    while (code == OTF2_CALLBACK_SUCCESS && place->context != common &&
           (is = refrain_otf2_context(definitions, place->context))) {
        place->context = is->parent;
        code = leave(archive, location, time, is->region);
    }
    for (size_t depth =
             refrain_otf2_context_depth(definitions, context) - refrain_otf2_context_depth(definitions, common);
         code == OTF2_CALLBACK_SUCCESS && depth > 0; depth--) {
        is = refrain_otf2_context_above(definitions, context, depth - 1);
        code = enter(archive, location, time, is->region);
    }
    place->context = context;
    archive->taken = taken + 1;
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
    struct archive *archive = data;
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

static OTF2_CallbackCode message(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                 enum refrain_event_kind kind, uint32_t peer, OTF2_CommRef comm, uint32_t tag,
                                 uint64_t bytes, int64_t request) {
    struct refrain_import_event event;
    const struct refrain_otf2_place *place = open_event(archive, location, time, kind, &event);
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    event.region = call_of(archive, place, kind == REFRAIN_EVENT_SEND ? "MPI_Send" : "MPI_Recv");
    event.comm = refrain_otf2_comm_number(&archive->definitions, comm);
    event.peer = refrain_otf2_world_rank(&archive->definitions, comm, event.rank, peer);
    event.tag = (int32_t)tag;
    event.bytes = (int64_t)bytes;
    event.request = request;
    return add(archive, &event);
}

/* The four of them, which differ in what they are and in whether they have a request. */
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

static OTF2_CallbackCode request_event(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                       enum refrain_event_kind kind, uint64_t request, const char *otherwise) {
    struct refrain_import_event event;
    const struct refrain_otf2_place *place = open_event(archive, location, time, kind, &event);
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    event.region = call_of(archive, place, otherwise);
    event.request = (int64_t)request;
    return add(archive, &event);
}

#define REQUEST_CALLBACK(name, kind, otherwise)                                                                        \
    static OTF2_CallbackCode name(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,                          \
                                  OTF2_AttributeList *attributes, uint64_t request) {                                  \
        (void)attributes;                                                                                              \
        return request_event(data, location, time, kind, request, otherwise);                                          \
    }
REQUEST_CALLBACK(on_isend_complete, REFRAIN_EVENT_SEND_COMPLETE, "MPI_Wait")
REQUEST_CALLBACK(on_irecv_request, REFRAIN_EVENT_RECV_POST, "MPI_Irecv")
REQUEST_CALLBACK(on_cancelled, REFRAIN_EVENT_CANCEL, "MPI_Wait")
REQUEST_CALLBACK(on_collective_request, REFRAIN_EVENT_COLLECTIVE, "MPI_Ibarrier")

/* ---- collectives: what they are is known when they end ---- */

static void fill_collective(struct archive *archive, struct refrain_import_event *event, OTF2_CommRef comm,
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
    struct archive *archive = data;
    struct refrain_import_event event;
    struct refrain_otf2_place *place = open_event(archive, location, time, REFRAIN_EVENT_COLLECTIVE, &event);
    (void)attributes;
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    event.region = call_of(archive, place, "MPI_Barrier");
    place->in_collective = true;
    return add(archive, &event);
}

static OTF2_CallbackCode on_collective_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                           OTF2_AttributeList *attributes, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                           uint32_t root, uint64_t sent, uint64_t received) {
    struct archive *archive = data;
    struct refrain_import_event event;
    struct refrain_otf2_place *place = open_event(archive, location, time, REFRAIN_EVENT_COLLECTIVE, &event);
    (void)attributes, (void)op;
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    fill_collective(archive, &event, comm, root, sent, received);
    if (place->in_collective) {
        place->in_collective = false;
        refrain_import_amend_last(archive->import, &event);
        return OTF2_CALLBACK_SUCCESS;
    }
    event.region = call_of(archive, place, "MPI_Barrier");
    return add(archive, &event);
}

static OTF2_CallbackCode on_collective_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                                OTF2_AttributeList *attributes, OTF2_CollectiveOp op, OTF2_CommRef comm,
                                                uint32_t root, uint64_t sent, uint64_t received, uint64_t request) {
    struct archive *archive = data;
    struct refrain_import_event event;
    const struct refrain_otf2_place *place =
        open_event(archive, location, time, REFRAIN_EVENT_COLLECTIVE_COMPLETE, &event);
    (void)attributes, (void)op;
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    fill_collective(archive, &event, comm, root, sent, received);
    event.request = (int64_t)request;
    refrain_import_amend_request(archive->import, &event);
    event.peer = -1;
    event.region = call_of(archive, place, "MPI_Wait");
    return add(archive, &event);
}

/* ---- windows and files ---- */

/* Is the location in an MPI call whose name begins so? */
static bool is_in(const struct archive *archive, const struct refrain_otf2_place *place, const char *call) {
    uint32_t top = place->n_stack ? place->stack[place->n_stack - 1] : UINT32_MAX;
    return place->n_stack && refrain_import_region_kind(archive->import, top) == REFRAIN_REGION_MPI &&
           strncmp(refrain_import_region_name(archive->import, top), call, strlen(call)) == 0;
}

/* The request of an access that has one: its number, apart from those of messages. */
#define ACCESS_REQUESTS ((int64_t)1 << 62)
static int64_t request_of_access(uint32_t object, uint64_t matching) {
    return ACCESS_REQUESTS | ((int64_t)(object & 0xffffff) << 32 ^ (int64_t)(matching & 0xffffffffffffff));
}

/* An event of a window. */
static struct refrain_otf2_place *open_window(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                              enum refrain_event_kind kind, OTF2_RmaWinRef window, uint32_t target,
                                              const char *otherwise, struct refrain_import_event *event) {
    struct refrain_otf2_place *place = open_event(archive, location, time, kind, event);
    if (!place)
        return NULL;
    event->region = call_of(archive, place, otherwise);
    if (target != OTF2_UNDEFINED_UINT32)
        event->peer = refrain_otf2_window_rank(&archive->definitions, window, event->rank, target);
    event->comm = refrain_otf2_window_comm(&archive->definitions, window);
    event->tag = window;
    return place;
}

static OTF2_CallbackCode access_window(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                       OTF2_RmaWinRef window, uint32_t target, uint64_t bytes, uint64_t matching,
                                       const char *otherwise) {
    struct refrain_import_event event;
    const struct refrain_otf2_place *place =
        open_window(archive, location, time, REFRAIN_EVENT_RMA, window, target, otherwise, &event);
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    event.bytes = (int64_t)bytes;
    if (is_in(archive, place, "MPI_R"))
        event.request = request_of_access(window, matching);
    return add(archive, &event);
}

static OTF2_CallbackCode on_put(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes,
                                uint64_t matching) {
    (void)attributes;
    return access_window(data, location, time, window, target, bytes, matching, "MPI_Put");
}

static OTF2_CallbackCode on_get(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes,
                                uint64_t matching) {
    (void)attributes;
    return access_window(data, location, time, window, target, bytes, matching, "MPI_Get");
}

static OTF2_CallbackCode on_atomic(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint32_t target,
                                   OTF2_RmaAtomicType type, uint64_t sent, uint64_t received, uint64_t matching) {
    (void)attributes, (void)type, (void)received;
    return access_window(data, location, time, window, target, sent, matching, "MPI_Accumulate");
}

/* Most accesses are complete with the call itself, or one that synchronises; told is what a wait for a request
 * completes. */
static OTF2_CallbackCode complete_access(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                         uint32_t object, uint64_t matching) {
    struct refrain_import_event event;
    const struct refrain_otf2_place *place = open_event(archive, location, time, REFRAIN_EVENT_ACCESS_COMPLETE, &event);
    if (!place || (!is_in(archive, place, "MPI_Wait") && !is_in(archive, place, "MPI_Test")))
        return OTF2_CALLBACK_SUCCESS;
    event.region = place->stack[place->n_stack - 1];
    event.request = request_of_access(object, matching);
    return add(archive, &event);
}

static OTF2_CallbackCode on_access_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                            OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint64_t matching) {
    (void)attributes;
    return complete_access(data, location, time, window, matching);
}

static OTF2_CallbackCode on_remotely_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                              OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                              uint64_t matching) {
    struct archive *archive = data;
    (void)location, (void)time, (void)attributes, (void)window, (void)matching;
    archive->taken++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode use_window(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                    OTF2_RmaWinRef window, uint32_t target, int64_t lock, const char *otherwise) {
    struct refrain_import_event event;
    if (!open_window(archive, location, time, REFRAIN_EVENT_WINDOW, window, target, otherwise, &event))
        return OTF2_CALLBACK_SUCCESS;
    event.value = lock;
    return add(archive, &event);
}

static OTF2_CallbackCode on_window_create(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                          OTF2_AttributeList *attributes, OTF2_RmaWinRef window) {
    (void)attributes;
    return use_window(data, location, time, window, OTF2_UNDEFINED_UINT32, 0, "MPI_Win_create");
}

static OTF2_CallbackCode on_window_destroy(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                           OTF2_AttributeList *attributes, OTF2_RmaWinRef window) {
    (void)attributes;
    return use_window(data, location, time, window, OTF2_UNDEFINED_UINT32, 0, "MPI_Win_free");
}

static OTF2_CallbackCode on_fence_begin(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                        OTF2_AttributeList *attributes) {
    struct archive *archive = data;
    (void)location, (void)time, (void)attributes;
    archive->taken++;
    return OTF2_CALLBACK_SUCCESS;
}

/* Of which window it is its end says. */
static OTF2_CallbackCode on_fence_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                      OTF2_AttributeList *attributes, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
                                      OTF2_RmaWinRef window, uint32_t root, uint64_t sent, uint64_t received) {
    (void)attributes, (void)op, (void)level, (void)root, (void)sent, (void)received;
    return use_window(data, location, time, window, OTF2_UNDEFINED_UINT32, 0, "MPI_Win_fence");
}

static OTF2_CallbackCode on_lock(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                 OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint32_t target, uint64_t id,
                                 OTF2_LockType type) {
    (void)attributes, (void)id;
    return use_window(data, location, time, window, target,
                      type == OTF2_LOCK_EXCLUSIVE ? REFRAIN_LOCK_EXCLUSIVE : REFRAIN_LOCK_SHARED, "MPI_Win_lock");
}

static OTF2_CallbackCode on_locked(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint32_t target, uint64_t id,
                                   OTF2_LockType type) {
    (void)window, (void)target, (void)id, (void)type;
    return on_fence_begin(location, time, data, attributes);
}

static OTF2_CallbackCode on_unlock(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint32_t target,
                                   uint64_t id) {
    (void)attributes, (void)id;
    return use_window(data, location, time, window, target, 0, "MPI_Win_unlock");
}

/* An event of a file; null where it is none of MPI's, which have no place. */
static struct refrain_otf2_place *open_file(struct archive *archive, OTF2_LocationRef location, OTF2_TimeStamp time,
                                            enum refrain_event_kind kind, OTF2_IoHandleRef handle,
                                            struct refrain_import_event *event) {
    struct refrain_otf2_place *place = open_event(archive, location, time, kind, event);
    if (!place)
        return NULL;
    event->region = place->n_stack ? place->stack[place->n_stack - 1] : UINT32_MAX;
    if (!is_in(archive, place, "MPI_")) {
        archive->taken--;
        return NULL;
    }
    event->comm = refrain_otf2_handle_comm(&archive->definitions, handle);
    event->name = refrain_otf2_handle_name(&archive->definitions, handle);
    event->tag = handle;
    return place;
}

static OTF2_CallbackCode on_access(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                   OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t matching) {
    struct archive *archive = data;
    struct refrain_import_event event;
    const enum refrain_event_kind kind = mode == OTF2_IO_OPERATION_MODE_FLUSH ? REFRAIN_EVENT_FILE : REFRAIN_EVENT_IO;
    const struct refrain_otf2_place *place = open_file(archive, location, time, kind, handle, &event);
    (void)attributes, (void)flags;
    if (!place)
        return OTF2_CALLBACK_SUCCESS;
    if (kind == REFRAIN_EVENT_IO)
        event.bytes = (int64_t)bytes;
    if (is_in(archive, place, "MPI_File_i"))
        event.request = request_of_access(handle, matching);
    return add(archive, &event);
}

static OTF2_CallbackCode on_access_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                       OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, uint64_t bytes,
                                       uint64_t matching) {
    (void)attributes, (void)bytes;
    return complete_access(data, location, time, handle, matching);
}

static OTF2_CallbackCode on_issued(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, uint64_t matching) {
    (void)handle, (void)matching;
    return on_fence_begin(location, time, data, attributes);
}

static OTF2_CallbackCode on_open(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                 OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status) {
    struct archive *archive = data;
    struct refrain_import_event event;
    (void)attributes;
    if (!open_file(archive, location, time, REFRAIN_EVENT_FILE, handle, &event))
        return OTF2_CALLBACK_SUCCESS;
    event.value = (mode != OTF2_IO_ACCESS_MODE_WRITE_ONLY ? REFRAIN_FILE_READS : 0) |
                  (mode != OTF2_IO_ACCESS_MODE_READ_ONLY ? REFRAIN_FILE_WRITES : 0) |
                  (creation & OTF2_IO_CREATION_FLAG_CREATE ? REFRAIN_FILE_CREATES : 0) |
                  (creation & OTF2_IO_CREATION_FLAG_EXCLUSIVE ? REFRAIN_FILE_EXCLUSIVE : 0) |
                  (creation & OTF2_IO_CREATION_FLAG_NO_SEEK ? REFRAIN_FILE_SEQUENTIAL : 0) |
                  (creation & OTF2_IO_CREATION_FLAG_UNIQUE ? REFRAIN_FILE_UNIQUE : 0) |
                  (status & OTF2_IO_STATUS_FLAG_APPEND ? REFRAIN_FILE_APPENDS : 0) |
                  (status & OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE ? REFRAIN_FILE_DELETES : 0);
    return add(archive, &event);
}

static OTF2_CallbackCode on_close(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle) {
    struct archive *archive = data;
    struct refrain_import_event event;
    (void)attributes;
    return open_file(archive, location, time, REFRAIN_EVENT_FILE, handle, &event) ? add(archive, &event)
                                                                                  : OTF2_CALLBACK_SUCCESS;
}

/* ---- reading ---- */

static OTF2_ErrorCode register_events(struct archive *archive, OTF2_GlobalEvtReader *events) {
    OTF2_GlobalEvtReaderCallbacks *callbacks = OTF2_GlobalEvtReaderCallbacks_New();
    if (!callbacks)
        return OTF2_ERROR_MEM_ALLOC_FAILED;
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
    OTF2_GlobalEvtReaderCallbacks_SetRmaPutCallback(callbacks, on_put);
    OTF2_GlobalEvtReaderCallbacks_SetRmaGetCallback(callbacks, on_get);
    OTF2_GlobalEvtReaderCallbacks_SetRmaAtomicCallback(callbacks, on_atomic);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteBlockingCallback(callbacks, on_access_complete);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteNonBlockingCallback(callbacks, on_access_complete);
    OTF2_GlobalEvtReaderCallbacks_SetRmaOpCompleteRemoteCallback(callbacks, on_remotely_complete);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWinCreateCallback(callbacks, on_window_create);
    OTF2_GlobalEvtReaderCallbacks_SetRmaWinDestroyCallback(callbacks, on_window_destroy);
    OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveBeginCallback(callbacks, on_fence_begin);
    OTF2_GlobalEvtReaderCallbacks_SetRmaCollectiveEndCallback(callbacks, on_fence_end);
    OTF2_GlobalEvtReaderCallbacks_SetRmaRequestLockCallback(callbacks, on_lock);
    OTF2_GlobalEvtReaderCallbacks_SetRmaAcquireLockCallback(callbacks, on_locked);
    OTF2_GlobalEvtReaderCallbacks_SetRmaReleaseLockCallback(callbacks, on_unlock);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationBeginCallback(callbacks, on_access);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationIssuedCallback(callbacks, on_issued);
    OTF2_GlobalEvtReaderCallbacks_SetIoOperationCompleteCallback(callbacks, on_access_end);
    OTF2_GlobalEvtReaderCallbacks_SetIoCreateHandleCallback(callbacks, on_open);
    OTF2_GlobalEvtReaderCallbacks_SetIoDestroyHandleCallback(callbacks, on_close);
    OTF2_ErrorCode code = OTF2_Reader_RegisterGlobalEvtCallbacks(archive->reader, events, callbacks, archive);
    OTF2_GlobalEvtReaderCallbacks_Delete(callbacks);
    return code;
}

/* Each location's own definitions hold the corrections of its clock; not every archive has them. */
static OTF2_ErrorCode read_local_definitions(struct archive *archive) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    bool there = OTF2_Reader_OpenDefFiles(archive->reader) == OTF2_SUCCESS;
    for (size_t i = 0; !code && there && i < archive->definitions.n_places; i++) {
        OTF2_DefReader *reader = OTF2_Reader_GetDefReader(archive->reader, archive->definitions.places[i].location);
        uint64_t n;
        if (!reader)
            continue;
        code = OTF2_Reader_ReadAllLocalDefinitions(archive->reader, reader, &n);
        OTF2_Reader_CloseDefReader(archive->reader, reader);
    }
    if (there)
        OTF2_Reader_CloseDefFiles(archive->reader);
    return code;
}

static OTF2_ErrorCode read_events(struct archive *archive, const struct refrain_import_request *request) {
    OTF2_ErrorCode code = OTF2_Reader_OpenEvtFiles(archive->reader);
    for (size_t i = 0; !code && i < archive->definitions.n_places; i++)
        if (!OTF2_Reader_GetEvtReader(archive->reader, archive->definitions.places[i].location))
            code = OTF2_ERROR_FILE_CAN_NOT_OPEN;
    OTF2_GlobalEvtReader *events = code ? NULL : OTF2_Reader_GetGlobalEvtReader(archive->reader);
    if (!code && !events)
        code = OTF2_ERROR_INVALID;
    if (!code)
        code = register_events(archive, events);
    for (uint64_t n = EVENTS_AT_ONCE; !code && n == EVENTS_AT_ONCE && !archive->failed;) {
        code = OTF2_Reader_ReadGlobalEvents(archive->reader, events, EVENTS_AT_ONCE, &n);
        if (request->progress)
            request->progress(request->data, refrain_import_events(archive->import), archive->time_ns);
    }
    if (events)
        OTF2_Reader_CloseGlobalEvtReader(archive->reader, events);
    OTF2_Reader_CloseEvtFiles(archive->reader);
    return archive->failed ? OTF2_SUCCESS : code;
}

static enum refrain_status read_archive(struct archive *archive, const struct refrain_import_request *request) {
    OTF2_ErrorCode code = OTF2_Reader_SetSerialCollectiveCallbacks(archive->reader);
    if (!code)
        code = refrain_otf2_definitions_read(archive->reader, &archive->definitions);
    if (code)
        return fail(archive, code);
    if (archive->definitions.n_ranks == 0)
        return REFRAIN_FAIL(archive->error, "%s: there is no process with events in it", archive->path);
    char *creator = OTF2_SUCCESS == OTF2_Reader_GetCreator(archive->reader, &creator) ? creator : NULL, *source = NULL;
    if (asprintf(&source, "converted from OTF2 of %s, %s", creator && creator[0] ? creator : "an unknown tool",
                 archive->path) < 0)
        source = NULL;
    free(creator);
    const char *slash = strrchr(archive->path, '/');
    enum refrain_status status =
        source ? refrain_import_open(request->directory, archive->definitions.n_ranks,
                                     slash && slash[1] ? slash + 1 : archive->path, source,
                                     archive->definitions.start_ns, &archive->import, archive->error)
               : REFRAIN_FAIL_MEMORY(archive->error);
    free(source);
    if (status)
        return status;
    refrain_otf2_define_comms(&archive->definitions, archive->import);
    for (size_t i = 0; !code && i < archive->definitions.n_places; i++)
        code = OTF2_Reader_SelectLocation(archive->reader, archive->definitions.places[i].location);
    if (!code)
        code = read_local_definitions(archive);
    if (!code)
        code = read_events(archive, request);
    if (archive->definitions.no_memory)
        return REFRAIN_FAIL_MEMORY(archive->error);
    return code ? fail(archive, code) : archive->failed ? REFRAIN_ERROR : REFRAIN_OK;
}

/* The anchor of an archive: the file itself, or the one in the directory that is named so; null where it is not one. */
static char *anchor_of(const char *path) {
    struct stat status;
    char *pattern = NULL, *anchor = NULL;
    glob_t found = {0};
    if (stat(path, &status) != 0 || !S_ISDIR(status.st_mode))
        return strdup(path);
    if (asprintf(&pattern, "%s/*.otf2", path) < 0)
        return NULL;
    if (glob(pattern, 0, NULL, &found) == 0 && found.gl_pathc == 1)
        anchor = strdup(found.gl_pathv[0]);
    globfree(&found);
    free(pattern);
    return anchor;
}

enum refrain_status refrain_import_otf2(const struct refrain_import_request *request,
                                        struct refrain_import_result *result, struct refrain_error *error) {
    struct archive archive = {.path = request->path, .error = error};
    char *anchor = anchor_of(request->path);
    if (!anchor)
        return REFRAIN_FAIL(error, "%s: is no OTF2 archive: there is not one file with the suffix .otf2 in it",
                            request->path);
    OTF2_Error_RegisterCallback(on_error, &archive);
    archive.reader = OTF2_Reader_Open(anchor);
    enum refrain_status status =
        archive.reader ? read_archive(&archive, request)
                       : REFRAIN_FAIL(error, "%s: is not the anchor of an OTF2 archive (traces.otf2)", anchor);
    if (archive.import) {
        uint64_t left_out = refrain_import_left_out(archive.import), all = archive.definitions.n_events;
        *result = (struct refrain_import_result){archive.definitions.n_ranks,
                                                 refrain_import_events(archive.import) - left_out,
                                                 left_out + (all > archive.taken ? all - archive.taken : 0)};
        enum refrain_status finished = refrain_import_finish(archive.import, !status);
        status = status ? status : finished;
    }
    if (archive.reader)
        OTF2_Reader_Close(archive.reader);
    OTF2_Error_RegisterCallback(NULL, NULL);
    refrain_otf2_definitions_free(&archive.definitions);
    free(anchor);
    return status;
}
