/* import_otf2_access.c: windows and files of an OTF2 archive, and accesses to them (import_otf2.h). */
#include "import/import_otf2.h"

#include <refrain/trace.h>

/* ---- windows ---- */

/* The request number of an access; different from those of messages. */
#define ACCESS_REQUESTS ((int64_t)1 << 62)
static int64_t request_of_access(uint32_t object, uint64_t matching) {
    return ACCESS_REQUESTS | ((int64_t)(object & 0xffffff) << 32 ^ (int64_t)(matching & 0xffffffffffffff));
}

/* Prepares an event of a window. */
static struct refrain_otf2_thread *open_window(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                               OTF2_TimeStamp time, enum refrain_event_kind kind, OTF2_RmaWinRef window,
                                               uint32_t target, const char *fallback,
                                               struct refrain_import_event *event) {
    struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, kind, event);
    if (!thread)
        return NULL;
    event->region = refrain_otf2_call(archive, thread, fallback);
    if (target != OTF2_UNDEFINED_UINT32)
        event->peer = refrain_otf2_window_rank(&archive->definitions, window, event->rank, target);
    event->comm = refrain_otf2_window_comm(&archive->definitions, window);
    event->tag = window;
    return thread;
}

static OTF2_CallbackCode access_window(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                       OTF2_TimeStamp time, OTF2_RmaWinRef window, uint32_t target, uint64_t bytes,
                                       uint64_t matching, const char *fallback) {
    struct refrain_import_event event;
    const struct refrain_otf2_thread *thread =
        open_window(archive, location, time, REFRAIN_EVENT_RMA, window, target, fallback, &event);
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    event.bytes = (int64_t)bytes;
    enum refrain_mpi_kind kind = refrain_otf2_does(archive, thread);
    if (kind == REFRAIN_MPI_RPUT || kind == REFRAIN_MPI_RGET || kind == REFRAIN_MPI_RACCUMULATE ||
        kind == REFRAIN_MPI_RGET_ACCUMULATE)
        event.request = request_of_access(window, matching);
    return refrain_otf2_add(archive, &event);
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

/* Most accesses complete in their own call, or in one that synchronises. Only completions by a wait for a request
 * become events. */
static OTF2_CallbackCode complete_access(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                         OTF2_TimeStamp time, uint32_t object, int64_t bytes, uint64_t matching) {
    struct refrain_import_event event;
    const struct refrain_otf2_thread *thread =
        refrain_otf2_event(archive, location, time, REFRAIN_EVENT_ACCESS_COMPLETE, &event);
    enum refrain_mpi_kind kind = thread ? refrain_otf2_does(archive, thread) : REFRAIN_MPI_OTHER;
    if (kind != REFRAIN_MPI_WAIT && kind != REFRAIN_MPI_TEST)
        return OTF2_CALLBACK_SUCCESS;
    event.region = thread->stack[thread->n_stack - 1];
    event.request = request_of_access(object, matching);
    event.bytes = bytes;
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_access_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                            OTF2_AttributeList *attributes, OTF2_RmaWinRef window, uint64_t matching) {
    (void)attributes;
    return complete_access(data, location, time, window, -1, matching);
}

static OTF2_CallbackCode on_remotely_complete(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                              OTF2_AttributeList *attributes, OTF2_RmaWinRef window,
                                              uint64_t matching) {
    struct refrain_otf2_archive *archive = data;
    (void)location, (void)time, (void)attributes, (void)window, (void)matching;
    archive->used++;
    return OTF2_CALLBACK_SUCCESS;
}

static OTF2_CallbackCode use_window(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                    OTF2_TimeStamp time, OTF2_RmaWinRef window, uint32_t target, int64_t lock,
                                    const char *fallback) {
    struct refrain_import_event event;
    if (!open_window(archive, location, time, REFRAIN_EVENT_WINDOW, window, target, fallback, &event))
        return OTF2_CALLBACK_SUCCESS;
    event.value = lock;
    return refrain_otf2_add(archive, &event);
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
    struct refrain_otf2_archive *archive = data;
    (void)location, (void)time, (void)attributes;
    archive->used++;
    return OTF2_CALLBACK_SUCCESS;
}

/* Writes the fence at its end, since the record of its begin does not name the window. */
static OTF2_CallbackCode on_fence_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                      OTF2_AttributeList *attributes, OTF2_CollectiveOp op, OTF2_RmaSyncLevel level,
                                      OTF2_RmaWinRef window, uint32_t root, uint64_t sent, uint64_t received) {
    (void)attributes, (void)op, (void)level, (void)root, (void)sent, (void)received;
    return use_window(data, location, time, window, OTF2_UNDEFINED_UINT32, 0, "MPI_Win_fence");
}

/* Synchronisation with a group: the calls that begin it name the group, those that end it the window. */
static OTF2_CallbackCode on_group(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_RmaSyncLevel level, OTF2_RmaWinRef window,
                                  OTF2_GroupRef group) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    const struct refrain_otf2_thread *thread = open_window(archive, location, time, REFRAIN_EVENT_WINDOW, window,
                                                           OTF2_UNDEFINED_UINT32, "MPI_Win_start", &event);
    uint32_t n = 0;
    (void)attributes, (void)level;
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    enum refrain_mpi_kind kind = refrain_otf2_does(archive, thread);
    if (kind != REFRAIN_MPI_WINDOW_COMPLETE && kind != REFRAIN_MPI_WINDOW_WAIT && kind != REFRAIN_MPI_WINDOW_TEST)
        n = refrain_otf2_group_size(&archive->definitions, group);
    if (n == 0)
        return refrain_otf2_add(archive, &event);
    OTF2_CallbackCode code = OTF2_CALLBACK_SUCCESS;
    for (uint32_t i = 0; code == OTF2_CALLBACK_SUCCESS && i < n; i++) {
        event.peer = refrain_otf2_group_rank(&archive->definitions, group, i);
        code = refrain_otf2_add(archive, &event);
    }
    return code;
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

/* ---- files ---- */

/* Prepares an event of a file. Null if the location is in no call to which a trace can assign it. */
static struct refrain_otf2_thread *open_file(struct refrain_otf2_archive *archive, OTF2_LocationRef location,
                                             OTF2_TimeStamp time, enum refrain_event_kind kind, OTF2_IoHandleRef handle,
                                             struct refrain_import_event *event) {
    struct refrain_otf2_thread *thread = refrain_otf2_event(archive, location, time, kind, event);
    if (!thread)
        return NULL;
    event->region = thread->n_stack ? thread->stack[thread->n_stack - 1] : UINT32_MAX;
    if (!refrain_otf2_in_call(archive, thread)) {
        archive->used--;
        return NULL;
    }
    event->comm = refrain_otf2_handle_comm(&archive->definitions, handle);
    event->name = refrain_otf2_handle_name(&archive->definitions, handle);
    event->tag = handle;
    return thread;
}

static OTF2_CallbackCode on_access(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, OTF2_IoOperationMode mode,
                                   OTF2_IoOperationFlag flags, uint64_t bytes, uint64_t matching) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    const enum refrain_event_kind kind = mode == OTF2_IO_OPERATION_MODE_FLUSH ? REFRAIN_EVENT_FILE : REFRAIN_EVENT_IO;
    const struct refrain_otf2_thread *thread = open_file(archive, location, time, kind, handle, &event);
    (void)attributes, (void)flags;
    if (!thread)
        return OTF2_CALLBACK_SUCCESS;
    if (kind == REFRAIN_EVENT_IO)
        event.bytes = (int64_t)bytes;
    if (refrain_mpi_file_has_request(refrain_otf2_does(archive, thread)))
        event.request = request_of_access(handle, matching);
    return refrain_otf2_add(archive, &event);
}

/* In a call that waits for requests, the access with this request is complete. In a call for files, the call itself has
 * moved these bytes. */
static OTF2_CallbackCode on_access_end(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                       OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, uint64_t bytes,
                                       uint64_t matching) {
    struct refrain_otf2_archive *archive = data;
    const struct refrain_otf2_thread *thread = refrain_otf2_thread(&archive->definitions, location);
    struct refrain_import_event event;
    (void)attributes;
    enum refrain_mpi_kind does = thread ? refrain_otf2_does(archive, thread) : REFRAIN_MPI_OTHER;
    if (!refrain_mpi_is_file(does) || refrain_mpi_file_has_request(does))
        return complete_access(archive, location, time, handle, (int64_t)bytes, matching);
    if (!open_file(archive, location, time, REFRAIN_EVENT_MOVED, handle, &event))
        return OTF2_CALLBACK_SUCCESS;
    event.bytes = (int64_t)bytes;
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_seek(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, int64_t offset,
                                 OTF2_IoSeekOption whence, uint64_t position) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    (void)attributes;
    if (!open_file(archive, location, time, REFRAIN_EVENT_SEEK, handle, &event))
        return OTF2_CALLBACK_SUCCESS;
    event.value = whence == OTF2_IO_SEEK_FROM_CURRENT ? REFRAIN_FROM_CURRENT
                  : whence == OTF2_IO_SEEK_FROM_END   ? REFRAIN_FROM_END
                                                      : REFRAIN_FROM_START;
    event.bytes = offset;
    event.received = (int64_t)position;
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_issued(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                   OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, uint64_t matching) {
    (void)handle, (void)matching;
    return on_fence_begin(location, time, data, attributes);
}

static OTF2_CallbackCode on_open(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                 OTF2_AttributeList *attributes, OTF2_IoHandleRef handle, OTF2_IoAccessMode mode,
                                 OTF2_IoCreationFlag creation, OTF2_IoStatusFlag status) {
    struct refrain_otf2_archive *archive = data;
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
    return refrain_otf2_add(archive, &event);
}

static OTF2_CallbackCode on_close(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                                  OTF2_AttributeList *attributes, OTF2_IoHandleRef handle) {
    struct refrain_otf2_archive *archive = data;
    struct refrain_import_event event;
    (void)attributes;
    return open_file(archive, location, time, REFRAIN_EVENT_FILE, handle, &event) ? refrain_otf2_add(archive, &event)
                                                                                  : OTF2_CALLBACK_SUCCESS;
}

void refrain_otf2_register_accesses(OTF2_GlobalEvtReaderCallbacks *callbacks) {
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
    OTF2_GlobalEvtReaderCallbacks_SetRmaGroupSyncCallback(callbacks, on_group);
    OTF2_GlobalEvtReaderCallbacks_SetIoSeekCallback(callbacks, on_seek);
}
