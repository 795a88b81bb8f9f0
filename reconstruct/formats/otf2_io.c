/* otf2_io.c: writes the records of file accesses, and keeps each access until it is complete (otf2_io.h). */
#include "formats/otf2_io.h"
#include "common/array.h"
#include "model/mpi_call.h"

#include <string.h>

/* True if the access is still pending when the call that begins it returns. */
static bool is_pending(enum refrain_mpi_kind kind) {
    return refrain_mpi_file_has_request(kind) || refrain_mpi_file_begins(kind);
}

static bool keep(struct refrain_otf2_location *location, const struct refrain_otf2_operation *operation) {
    if (!REFRAIN_ARRAY_ROOM(location->operations, location->n_operations, location->capacity_operations))
        return false;
    location->operations[location->n_operations++] = *operation;
    return true;
}

OTF2_ErrorCode refrain_otf2_io_access(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                                      const struct refrain_event *event, uint64_t time) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    const uint32_t handle = refrain_otf2_handle(objects, event);
    OTF2_IoOperationFlag flags = OTF2_IO_OPERATION_FLAG_NONE;
    if (handle == REFRAIN_OTF2_NO_OBJECT) {
        location->unknown++;
        return OTF2_SUCCESS;
    }
    refrain_otf2_follow(objects, event);
    if (is_pending(kind))
        flags |= OTF2_IO_OPERATION_FLAG_NON_BLOCKING;
    if (refrain_mpi_file_is_collective(kind))
        flags |= OTF2_IO_OPERATION_FLAG_COLLECTIVE;
    const struct refrain_otf2_operation operation = {.matching = ++location->matching,
                                                     .handle = handle,
                                                     .bytes = event->bytes,
                                                     .request = event->request,
                                                     .begun_in = event->region,
                                                     .in_halves = refrain_mpi_file_begins(kind)};
    if (!keep(location, &operation))
        return OTF2_ERROR_MEM_ALLOC_FAILED;
    location->events++;
    return OTF2_EvtWriter_IoOperationBegin(location->writer, NULL, time, handle,
                                           refrain_mpi_reads_file(kind) ? OTF2_IO_OPERATION_MODE_READ
                                                                        : OTF2_IO_OPERATION_MODE_WRITE,
                                           flags, (uint64_t)operation.bytes, operation.matching);
}

static OTF2_ErrorCode complete(struct refrain_otf2_location *location, size_t number, uint64_t time) {
    const struct refrain_otf2_operation operation = location->operations[number];
    location->operations[number] = location->operations[--location->n_operations];
    location->events++;
    return OTF2_EvtWriter_IoOperationComplete(location->writer, NULL, time, operation.handle, (uint64_t)operation.bytes,
                                              operation.matching);
}

/* The current call completes an access, here or in its second half: stores how many bytes it moved. */
void refrain_otf2_io_moved(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                           const struct refrain_event *event) {
    const uint32_t handle = refrain_otf2_handle(objects, event);
    for (size_t i = location->n_operations; i > 0; i--) {
        struct refrain_otf2_operation *operation = &location->operations[i - 1];
        const bool ends =
            location->ends_halves == event->region ? operation->in_halves : operation->begun_in == event->region;
        if (operation->handle == handle && ends) {
            operation->bytes = event->bytes;
            operation->moved = true;
            return;
        }
    }
}

OTF2_ErrorCode refrain_otf2_io_seek(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                                    const struct refrain_event *event, uint64_t time) {
    static const OTF2_IoSeekOption whences[REFRAIN_WHENCES] = {[REFRAIN_FROM_START] = OTF2_IO_SEEK_FROM_START,
                                                               [REFRAIN_FROM_CURRENT] = OTF2_IO_SEEK_FROM_CURRENT,
                                                               [REFRAIN_FROM_END] = OTF2_IO_SEEK_FROM_END};
    const uint32_t handle = refrain_otf2_handle(objects, event);
    if (handle == REFRAIN_OTF2_NO_OBJECT || event->value < 0 || event->value >= REFRAIN_WHENCES) {
        location->unknown++;
        return OTF2_SUCCESS;
    }
    refrain_otf2_follow(objects, event);
    location->events++;
    return OTF2_EvtWriter_IoSeek(location->writer, NULL, time, handle, event->bytes, whences[event->value],
                                 (uint64_t)event->received);
}

OTF2_ErrorCode refrain_otf2_io_complete(struct refrain_otf2_location *location, const struct refrain_event *event,
                                        uint64_t time) {
    for (size_t i = 0; event->request >= 0 && i < location->n_operations; i++)
        if (location->operations[i].request == event->request) {
            location->operations[i].bytes = event->bytes;
            return complete(location, i, time);
        }
    return OTF2_SUCCESS;
}

static OTF2_ErrorCode create(struct refrain_otf2_location *location, uint32_t handle, int64_t mode, uint64_t time) {
    OTF2_IoAccessMode access = !(mode & REFRAIN_FILE_WRITES)  ? OTF2_IO_ACCESS_MODE_READ_ONLY
                               : !(mode & REFRAIN_FILE_READS) ? OTF2_IO_ACCESS_MODE_WRITE_ONLY
                                                              : OTF2_IO_ACCESS_MODE_READ_WRITE;
    OTF2_IoCreationFlag creation =
        (mode & REFRAIN_FILE_CREATES ? OTF2_IO_CREATION_FLAG_CREATE : OTF2_IO_CREATION_FLAG_NONE) |
        (mode & REFRAIN_FILE_EXCLUSIVE ? OTF2_IO_CREATION_FLAG_EXCLUSIVE : OTF2_IO_CREATION_FLAG_NONE) |
        (mode & REFRAIN_FILE_SEQUENTIAL ? OTF2_IO_CREATION_FLAG_NO_SEEK : OTF2_IO_CREATION_FLAG_NONE) |
        (mode & REFRAIN_FILE_UNIQUE ? OTF2_IO_CREATION_FLAG_UNIQUE : OTF2_IO_CREATION_FLAG_NONE);
    OTF2_IoStatusFlag status =
        (mode & REFRAIN_FILE_APPENDS ? OTF2_IO_STATUS_FLAG_APPEND : OTF2_IO_STATUS_FLAG_NONE) |
        (mode & REFRAIN_FILE_DELETES ? OTF2_IO_STATUS_FLAG_DELETE_ON_CLOSE : OTF2_IO_STATUS_FLAG_NONE);
    location->events++;
    return OTF2_EvtWriter_IoCreateHandle(location->writer, NULL, time, handle, access, creation, status);
}

OTF2_ErrorCode refrain_otf2_io_file(struct refrain_otf2_objects *objects, struct refrain_otf2_location *location,
                                    const struct refrain_event *event, uint64_t time) {
    const uint32_t handle = refrain_otf2_handle(objects, event);
    const char *name = event->region->name;
    const size_t length = strlen(name);
    if (handle == REFRAIN_OTF2_NO_OBJECT)
        return OTF2_SUCCESS;
    switch (refrain_otf2_follow(objects, event)) {
    case REFRAIN_OTF2_MADE:
        return create(location, handle, event->value, time);
    case REFRAIN_OTF2_GONE:
        location->events++;
        return OTF2_EvtWriter_IoDestroyHandle(location->writer, NULL, time, handle);
    default:
        break;
    }
    if (length > 4 && strcmp(name + length - 4, "_end") == 0) { /* a file has at most one split access at a time */
        location->ends_halves = event->region;
        location->halves_of = handle;
    }
    return OTF2_SUCCESS;
}

OTF2_ErrorCode refrain_otf2_io_leave(struct refrain_otf2_location *location, const struct refrain_event *event,
                                     uint64_t time) {
    struct refrain_otf2_operation *last =
        location->n_operations ? &location->operations[location->n_operations - 1] : NULL;
    if (location->ends_halves == event->region) {
        location->ends_halves = NULL;
        for (size_t i = 0; i < location->n_operations; i++)
            if (location->operations[i].moved && location->operations[i].in_halves &&
                location->operations[i].handle == location->halves_of)
                return complete(location, i, time);
        return OTF2_SUCCESS;
    }
    if (!last || last->begun_in != event->region)
        return OTF2_SUCCESS;
    last->begun_in = NULL;
    /* A blocking access is complete at the end of its call. Without a MOVED event, the run ended inside the call. */
    if (!is_pending(refrain_mpi_kind(event->region)))
        return last->moved ? complete(location, location->n_operations - 1, time) : OTF2_SUCCESS;
    location->events++;
    return OTF2_EvtWriter_IoOperationIssued(location->writer, NULL, time, last->handle, last->matching);
}
