/* otf2_objects.c: gives windows and files of all processes references in an archive (otf2_objects.h). */
#include "formats/otf2_objects.h"
#include "common/array.h"
#include "formats/event_names.h"
#include "model/mpi_call.h"

#include <stdio.h>
#include <string.h>

/* ---- references ---- */

static uint32_t file_named(struct refrain_otf2_objects *objects, const char *name) {
    for (uint32_t i = 0; name[0] && i < objects->n_files; i++)
        if (strcmp(objects->files[i], name) == 0)
            return i;
    if (!REFRAIN_ARRAY_ROOM(objects->files, objects->n_files, objects->capacity_files))
        return UINT32_MAX;
    objects->files[objects->n_files] = name;
    return objects->n_files++;
}

static bool alike(const struct refrain_otf2_objects *objects, const struct refrain_otf2_object *a,
                  const struct refrain_comm_info *comm, uint32_t slot, const char *name) {
    return a->comm == comm && a->slot == slot && (!name || strcmp(objects->files[a->file], name) == 0);
}

/* The reference of a window (`name` null) or file handle, added if there is no equal one. */
static uint32_t reference_of(struct refrain_otf2_objects *objects, struct refrain_otf2_list *list,
                             const struct refrain_object_view *view, const char *name) {
    const struct refrain_comm_info *comm = view->comm;
    const uint32_t slot = view->record->slot;
    /* Objects of unknown communicators may be different ones on each process, so they are not joined. */
    for (uint32_t i = 0; comm && i < list->n; i++)
        if (alike(objects, &list->objects[i], comm, slot, name))
            return i;
    if (!REFRAIN_ARRAY_ROOM(list->objects, list->n, list->capacity))
        return UINT32_MAX;
    uint32_t file = name ? file_named(objects, name) : 0;
    if (file == UINT32_MAX)
        return UINT32_MAX;
    list->objects[list->n] = (struct refrain_otf2_object){comm, slot, file, false};
    return list->n++;
}

static bool add_process(struct refrain_otf2_objects *objects, const struct refrain_process *process) {
    struct refrain_otf2_list *windows = &objects->windows, *handles = &objects->handles;
    const int32_t rank = process->rank;
    const size_t n = process->n_objects + 1;
    if (rank < 0 || rank >= objects->trace->size)
        return true;
    if (!(windows->references[rank] = calloc(n, sizeof **windows->references)) ||
        !(handles->references[rank] = calloc(n, sizeof **handles->references)) ||
        !(windows->open[rank] = calloc(n, sizeof **windows->open)) ||
        !(handles->open[rank] = calloc(n, sizeof **handles->open)) ||
        !(windows->groups[rank] = malloc(n * sizeof **windows->groups)))
        return false;
    for (size_t i = 0; i < n; i++)
        windows->groups[rank][i][REFRAIN_OTF2_ACCESS_GROUP] = windows->groups[rank][i][REFRAIN_OTF2_EXPOSURE_GROUP] =
            OTF2_UNDEFINED_GROUP;
    for (size_t i = 0; i < process->n_objects; i++) {
        const struct refrain_object_view *window = &process->windows[i], *file = &process->files[i];
        if (window->record &&
            (windows->references[rank][i] = reference_of(objects, windows, window, NULL)) == UINT32_MAX)
            return false;
        if (file->record &&
            (handles->references[rank][i] =
                 reference_of(objects, handles, file, refrain_process_name(process, file->record->name))) == UINT32_MAX)
            return false;
    }
    return true;
}

bool refrain_otf2_objects_open(struct refrain_otf2_objects *objects, const struct refrain_trace *trace) {
    const size_t ranks = (size_t)trace->size + 1;
    objects->trace = trace;
    for (unsigned i = 0; i < 2; i++) {
        struct refrain_otf2_list *list = i ? &objects->handles : &objects->windows;
        list->references = calloc(ranks, sizeof *list->references);
        list->open = calloc(ranks, sizeof *list->open);
        list->groups = calloc(ranks, sizeof *list->groups);
        if (!list->references || !list->open || !list->groups)
            return false;
    }
    for (size_t i = 0; i < trace->n_processes; i++)
        if (!add_process(objects, &trace->processes[i]))
            return false;
    return true;
}

void refrain_otf2_objects_close(struct refrain_otf2_objects *objects) {
    for (unsigned i = 0; i < 2; i++) {
        struct refrain_otf2_list *list = i ? &objects->handles : &objects->windows;
        for (int32_t rank = 0; list->groups && rank < objects->trace->size; rank++) {
            free(list->references[rank]);
            free(list->open[rank]);
            free(list->groups[rank]);
        }
        free(list->groups);
        free(list->references);
        free(list->open);
        free(list->objects);
    }
    free(objects->files);
}

static uint32_t find(const struct refrain_otf2_list *list, const struct refrain_object_view *view,
                     const struct refrain_event *event) {
    return view ? list->references[event->rank][event->tag] : REFRAIN_OTF2_NO_OBJECT;
}

uint32_t refrain_otf2_window(const struct refrain_otf2_objects *objects, const struct refrain_event *event) {
    const struct refrain_process *process = refrain_trace_process(objects->trace, event->rank);
    return find(&objects->windows, process ? refrain_process_window(process, event->tag) : NULL, event);
}

uint32_t refrain_otf2_handle(const struct refrain_otf2_objects *objects, const struct refrain_event *event) {
    const struct refrain_process *process = refrain_trace_process(objects->trace, event->rank);
    return find(&objects->handles, process ? refrain_process_file(process, event->tag) : NULL, event);
}

/* ---- from creation to release ---- */

enum refrain_otf2_life refrain_otf2_follow(struct refrain_otf2_objects *objects, const struct refrain_event *event) {
    const enum refrain_mpi_kind kind = refrain_mpi_kind(event->region);
    const bool file = refrain_event_names_file(event->kind), window = refrain_event_names_window(event->kind);
    if (!file && !window)
        return REFRAIN_OTF2_USED;
    struct refrain_otf2_list *list = file ? &objects->handles : &objects->windows;
    uint32_t reference = file ? refrain_otf2_handle(objects, event) : refrain_otf2_window(objects, event);
    if (reference == REFRAIN_OTF2_NO_OBJECT)
        return REFRAIN_OTF2_USED;
    bool *open = &list->open[event->rank][event->tag];
    if (kind == REFRAIN_MPI_FILE_OPEN || kind == REFRAIN_MPI_WINDOW_MAKE) {
        *open = true;
        return REFRAIN_OTF2_MADE;
    }
    list->objects[reference].unmade |= !*open;
    if (kind != REFRAIN_MPI_FILE_CLOSE && kind != REFRAIN_MPI_WINDOW_FREE)
        return REFRAIN_OTF2_USED;
    *open = false;
    return REFRAIN_OTF2_GONE;
}

/* ---- definitions ---- */

/* "window 1 of MPI_COMM_WORLD", "file 0 of communicator 5" */
static void describe(const struct refrain_otf2_object *object, const char *what, char text[256]) {
    const struct refrain_comm_info *comm = object->comm;
    if (comm && comm->name[0])
        snprintf(text, 256, "%s %u of %s", what, object->slot, comm->name);
    else if (comm)
        snprintf(text, 256, "%s %u of communicator %u", what, object->slot, comm->index);
    else
        snprintf(text, 256, "%s %u", what, object->slot);
}

/* References of the paradigms. A file of the C library has no communicator. */
enum { MPI_IO, POSIX };

static OTF2_ErrorCode define_handle(const struct refrain_otf2_object *handle, uint32_t self, const char *file,
                                    OTF2_GlobalDefWriter *writer,
                                    OTF2_StringRef (*string)(void *data, const char *text), void *data) {
    char text[256];
    describe(handle, "file", text);
    OTF2_IoHandleFlag flags = handle->unmade ? OTF2_IO_HANDLE_FLAG_PRE_CREATED : OTF2_IO_HANDLE_FLAG_NONE;
    OTF2_ErrorCode code = OTF2_GlobalDefWriter_WriteIoHandle(
        writer, self, string(data, file[0] ? file : text), handle->file, handle->comm ? MPI_IO : POSIX, flags,
        handle->comm ? handle->comm->index : OTF2_UNDEFINED_COMM, OTF2_UNDEFINED_IO_HANDLE);
    if (!code && handle->unmade)
        code = OTF2_GlobalDefWriter_WriteIoPreCreatedHandleState(writer, self, OTF2_IO_ACCESS_MODE_READ_WRITE,
                                                                 OTF2_IO_STATUS_FLAG_NONE);
    return code;
}

OTF2_ErrorCode refrain_otf2_define_objects(const struct refrain_otf2_objects *objects, OTF2_GlobalDefWriter *writer,
                                           OTF2_StringRef (*string)(void *data, const char *text), void *data) {
    OTF2_ErrorCode code = OTF2_SUCCESS;
    char text[256];
    for (uint32_t i = 0; !code && i < objects->windows.n; i++) {
        const struct refrain_otf2_object *window = &objects->windows.objects[i];
        describe(window, "window", text);
        code = OTF2_GlobalDefWriter_WriteRmaWin(writer, i, string(data, text), window->comm ? window->comm->index : 0,
                                                window->unmade ? OTF2_RMA_WIN_FLAG_NONE
                                                               : OTF2_RMA_WIN_FLAG_CREATE_DESTROY_EVENTS);
    }
    if (!code && objects->handles.n > 0)
        code = OTF2_GlobalDefWriter_WriteIoParadigm(writer, MPI_IO, string(data, "MPI-IO"), string(data, "MPI-IO"),
                                                    OTF2_IO_PARADIGM_CLASS_PARALLEL, OTF2_IO_PARADIGM_FLAG_NONE, 0,
                                                    NULL, NULL, NULL);
    uint32_t of_mpi = 0;
    while (of_mpi < objects->handles.n && objects->handles.objects[of_mpi].comm)
        of_mpi++;
    if (!code && of_mpi < objects->handles.n)
        code = OTF2_GlobalDefWriter_WriteIoParadigm(writer, POSIX, string(data, "POSIX"), string(data, "POSIX I/O"),
                                                    OTF2_IO_PARADIGM_CLASS_SERIAL, OTF2_IO_PARADIGM_FLAG_OS, 0, NULL,
                                                    NULL, NULL);
    for (uint32_t i = 0; !code && i < objects->n_files; i++) {
        const char *name = objects->files[i];
        snprintf(text, sizeof text, "file %u without a name", i);
        code = OTF2_GlobalDefWriter_WriteIoRegularFile(writer, i, string(data, name[0] ? name : text),
                                                       OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    }
    for (uint32_t i = 0; !code && i < objects->handles.n; i++) {
        const struct refrain_otf2_object *handle = &objects->handles.objects[i];
        code = define_handle(handle, i, objects->files[handle->file], writer, string, data);
    }
    return code;
}
