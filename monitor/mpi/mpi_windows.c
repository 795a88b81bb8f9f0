/* mpi_windows.c: numbers windows and open files (struct refrain_object), and records the operations of calls that use
 * them. */
#include "call.h"
#include "mpi_map.h"
#include "mpi_objects.h"
#include "run/objects.h"
#include "run/pool.h"
#include <refrain/trace.h>

/* The map's value of a handle: in the low 32 bits the reference of its record (0: without memory for one), in the high
 * bits the reference of its communicator's record (0: unknown). */
#define COMM_SHIFT 32u

static struct refrain_map_entry window_entries[REFRAIN_WINDOWS * 2], file_entries[REFRAIN_FILES * 2];
static struct refrain_map windows = REFRAIN_MAP(window_entries), files = REFRAIN_MAP(file_entries);

static struct refrain_object *record_of(int64_t value) {
    return value < 0 || (uint32_t)value == 0 ? NULL : refrain_at_reference((uint32_t)value);
}

/* Adds a window or file. If the handle is known already, it was freed without a call that refrain sees. Returns the
 * number; -1 without memory. The communicator, which gives the meaning of ranks, is then known unless the map is full.
 */
static int64_t object_new(enum refrain_object_kind kind, struct refrain_map *map, uint64_t key, MPI_Comm comm,
                          const char *name) {
    const struct refrain_communicator *communicator = refrain_communicator_find(comm);
    int64_t above = communicator ? (int64_t)refrain_reference(communicator) << COMM_SHIFT : 0;
    refrain_mpi_lock();
    struct refrain_object *former = record_of(refrain_map_get(map, key, -1));
    refrain_object_close(former);
    struct refrain_object *object = refrain_object_open(kind, communicator ? communicator->index + 1 : 0, name);
    if (!refrain_map_put(map, key, above | (object ? refrain_reference(object) : 0)) && object) {
        refrain_object_close(object);
        refrain_lose(REFRAIN_LOSS_WINDOWS, 1);
        object = NULL;
    }
    int64_t number = object ? (int64_t)object->number : -1;
    refrain_mpi_unlock();
    return number;
}

/* Removes a window or file, and returns its number; -1 if it is unknown. */
static int64_t object_freed(struct refrain_map *map, uint64_t key) {
    refrain_mpi_lock();
    struct refrain_object *object = record_of(refrain_map_get(map, key, -1));
    refrain_map_remove(map, key);
    refrain_object_close(object);
    refrain_mpi_unlock();
    return object ? (int64_t)object->number : -1;
}

/* The number, -1 if it is unknown, and the communicator. */
static int64_t object_find(const struct refrain_map *map, uint64_t key,
                           const struct refrain_communicator **communicator) {
    refrain_mpi_lock();
    int64_t value = refrain_map_get(map, key, -1);
    refrain_mpi_unlock();
    uint32_t reference = value < 0 ? 0 : (uint32_t)(value >> COMM_SHIFT);
    *communicator = reference ? refrain_at_reference(reference) : NULL;
    const struct refrain_object *object = record_of(value);
    return object ? (int64_t)object->number : -1;
}

/* ---- windows ---- */

static void record_window(struct refrain_call *call, int64_t rank, enum refrain_window_lock lock, int64_t number) {
    if (number >= 0)
        refrain_call_operation(call, REFRAIN_OP_WINDOW, (int64_t[]){rank, lock, number}, 3);
}

void refrain_window_new(struct refrain_call *call, MPI_Comm comm, MPI_Win window) {
    if (!refrain_mpi_active || !refrain_trace_file.header || window == MPI_WIN_NULL)
        return;
    int64_t number = object_new(REFRAIN_OBJECT_WINDOW, &windows, REFRAIN_MPI_KEY(window), comm, NULL);
    refrain_call_returned(call);
    record_window(call, -1, REFRAIN_LOCK_NONE, number);
}

void refrain_window_freed(struct refrain_call *call, MPI_Win former) {
    int64_t number = object_freed(&windows, REFRAIN_MPI_KEY(former));
    refrain_call_returned(call);
    record_window(call, -1, REFRAIN_LOCK_NONE, number);
}

void refrain_window_used(struct refrain_call *call, MPI_Win window, int target, int lock_type) {
    if (!call->entry || !refrain_mpi_active || window == MPI_WIN_NULL)
        return;
    const struct refrain_communicator *communicator;
    int64_t number = object_find(&windows, REFRAIN_MPI_KEY(window), &communicator);
    enum refrain_window_lock lock = lock_type == 0                    ? REFRAIN_LOCK_NONE
                                    : lock_type == MPI_LOCK_EXCLUSIVE ? REFRAIN_LOCK_EXCLUSIVE
                                                                      : REFRAIN_LOCK_SHARED;
    record_window(call, target < 0 ? -1 : refrain_communicator_world_rank(communicator, target), lock, number);
}

#define GROUP_AT_ONCE 64

void refrain_window_group(struct refrain_call *call, int rc, MPI_Group group, MPI_Win window) {
    MPI_Group world;
    int size;
    if (!call->entry || !refrain_mpi_active || window == MPI_WIN_NULL)
        return;
    const struct refrain_communicator *communicator;
    int64_t number = object_find(&windows, REFRAIN_MPI_KEY(window), &communicator);
    refrain_call_returned(call);
    /* Processes with sessions alone have no MPI_COMM_WORLD whose ranks could be recorded. */
    if (rc != MPI_SUCCESS || !refrain_mpi_world || PMPI_Group_size(group, &size) != MPI_SUCCESS || size == 0) {
        record_window(call, -1, REFRAIN_LOCK_NONE, number);
        return;
    }
    PMPI_Comm_group(MPI_COMM_WORLD, &world);
    for (int first = 0; first < size; first += GROUP_AT_ONCE) {
        int ranks[GROUP_AT_ONCE], of_world[GROUP_AT_ONCE];
        int n = size - first < GROUP_AT_ONCE ? size - first : GROUP_AT_ONCE;
        for (int i = 0; i < n; i++)
            ranks[i] = first + i;
        PMPI_Group_translate_ranks(group, n, ranks, world, of_world);
        for (int i = 0; i < n; i++)
            record_window(call, of_world[i] < 0 ? -1 : of_world[i], REFRAIN_LOCK_NONE, number);
    }
    PMPI_Group_free(&world);
}

/* Fills in the parameters of an access. False if the call is not recorded or has no target. */
static bool fill_access(const struct refrain_call *call, MPI_Win window, int target, int64_t bytes,
                        int64_t parameters[3]) {
    if (!call->entry || !refrain_mpi_active || window == MPI_WIN_NULL || target < 0)
        return false;
    const struct refrain_communicator *communicator;
    parameters[2] = object_find(&windows, REFRAIN_MPI_KEY(window), &communicator);
    parameters[1] = bytes;
    parameters[0] = refrain_communicator_world_rank(communicator, target);
    return true;
}

void refrain_window_access(struct refrain_call *call, MPI_Win window, int target, int64_t bytes) {
    int64_t parameters[3];
    if (fill_access(call, window, target, bytes, parameters))
        refrain_call_operation(call, REFRAIN_OP_RMA, parameters, 3);
}

struct refrain_request *refrain_window_request(struct refrain_call *call, MPI_Win window, int target, int64_t bytes) {
    int64_t parameters[3];
    return fill_access(call, window, target, bytes, parameters)
               ? refrain_request_take(call, REFRAIN_OP_RMA_REQUEST, parameters, 3)
               : refrain_request_take(call, REFRAIN_OP_NOTHING, NULL, 0);
}

/* ---- files ---- */

static void record_file(struct refrain_call *call, unsigned mode, int64_t number) {
    if (number >= 0)
        refrain_call_operation(call, REFRAIN_OP_FILE, (int64_t[]){mode, number}, 2);
}

static unsigned mode_of(int amode) {
    return (amode & MPI_MODE_RDONLY ? REFRAIN_FILE_READS : 0u) | (amode & MPI_MODE_WRONLY ? REFRAIN_FILE_WRITES : 0u) |
           (amode & MPI_MODE_RDWR ? REFRAIN_FILE_READS | REFRAIN_FILE_WRITES : 0u) |
           (amode & MPI_MODE_CREATE ? REFRAIN_FILE_CREATES : 0u) |
           (amode & MPI_MODE_EXCL ? REFRAIN_FILE_EXCLUSIVE : 0u) |
           (amode & MPI_MODE_APPEND ? REFRAIN_FILE_APPENDS : 0u) |
           (amode & MPI_MODE_DELETE_ON_CLOSE ? REFRAIN_FILE_DELETES : 0u) |
           (amode & MPI_MODE_UNIQUE_OPEN ? REFRAIN_FILE_UNIQUE : 0u) |
           (amode & MPI_MODE_SEQUENTIAL ? REFRAIN_FILE_SEQUENTIAL : 0u);
}

static int64_t file_find(MPI_File file) {
    const struct refrain_communicator *none;
    return object_find(&files, REFRAIN_MPI_KEY(file), &none);
}

void refrain_file_new(struct refrain_call *call, MPI_Comm comm, MPI_File file, const char *name, int amode) {
    if (!refrain_mpi_active || !refrain_trace_file.header || file == MPI_FILE_NULL)
        return;
    int64_t number = object_new(REFRAIN_OBJECT_FILE, &files, REFRAIN_MPI_KEY(file), comm, name);
    refrain_call_returned(call);
    record_file(call, mode_of(amode), number);
}

void refrain_file_freed(struct refrain_call *call, MPI_File former) {
    int64_t number = object_freed(&files, REFRAIN_MPI_KEY(former));
    refrain_call_returned(call);
    record_file(call, 0, number);
}

void refrain_file_used(struct refrain_call *call, MPI_File file) {
    if (call->entry && refrain_mpi_active && file != MPI_FILE_NULL)
        record_file(call, 0, file_find(file));
}

void refrain_file_access(struct refrain_call *call, MPI_File file, int64_t bytes) {
    if (call->entry && refrain_mpi_active && file != MPI_FILE_NULL)
        refrain_call_operation(call, REFRAIN_OP_IO, (int64_t[]){bytes, file_find(file)}, 2);
}

struct refrain_request *refrain_file_request(struct refrain_call *call, MPI_File file, int64_t bytes) {
    if (!call->entry || !refrain_mpi_active || file == MPI_FILE_NULL)
        return refrain_request_take(call, REFRAIN_OP_NOTHING, NULL, 0);
    return refrain_request_take(call, REFRAIN_OP_IO_REQUEST, (int64_t[]){bytes, file_find(file)}, 2);
}

void refrain_file_moved(struct refrain_call *call, MPI_File file, int64_t bytes) {
    if (!call->entry || !refrain_mpi_active || file == MPI_FILE_NULL)
        return;
    refrain_call_returned(call);
    refrain_call_operation(call, REFRAIN_OP_MOVED, (int64_t[]){bytes, file_find(file)}, 2);
}

void refrain_file_sought(struct refrain_call *call, MPI_File file, int whence, int64_t offset, int64_t position) {
    if (!call->entry || !refrain_mpi_active || file == MPI_FILE_NULL)
        return;
    enum refrain_whence from = whence == MPI_SEEK_CUR   ? REFRAIN_FROM_CURRENT
                               : whence == MPI_SEEK_END ? REFRAIN_FROM_END
                                                        : REFRAIN_FROM_START;
    refrain_call_returned(call);
    refrain_call_operation(call, REFRAIN_OP_SEEK, (int64_t[]){from, offset, position, file_find(file)}, 4);
}
