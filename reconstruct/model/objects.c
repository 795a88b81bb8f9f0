/* objects.c: makes tables of the windows and files of each process, by the numbers in operations (trace_read.h). */
#include "model/trace_parts.h"

static enum refrain_status read_object(struct refrain_process *process, uint64_t at,
                                       const struct refrain_object *object, struct refrain_error *error) {
    const bool file = object->kind == REFRAIN_OBJECT_FILE;
    if (!file && object->kind != REFRAIN_OBJECT_WINDOW)
        return refrain_process_damaged(process, at, "what is neither a window nor a file", error);
    if (object->number >= process->header->n_objects)
        return refrain_process_damaged(process, at, "a window or file is numbered beyond the last", error);
    if (refrain_process_check_name(process, object->name, "the name of a file", error))
        return REFRAIN_ERROR;
    const struct refrain_comm_view *comm = refrain_process_comm(process, (int64_t)object->comm - 1);
    (file ? process->files : process->windows)[object->number] =
        (struct refrain_object_view){object, comm ? comm->info : NULL};
    return REFRAIN_OK;
}

enum refrain_status refrain_process_read_objects(struct refrain_trace *trace, struct refrain_process *process,
                                                 struct refrain_error *error) {
    size_t n = process->header->n_objects;
    if (n > process->image_bytes / sizeof(struct refrain_object))
        return refrain_process_damaged(process, 0, "more windows and files than the trace file can hold", error);
    process->windows = refrain_trace_allocate(trace, n, sizeof *process->windows);
    process->files = refrain_trace_allocate(trace, n, sizeof *process->files);
    if (!process->windows || !process->files)
        return REFRAIN_FAIL_MEMORY(error);
    process->n_objects = n;
    uint64_t reference = process->header->objects;
    for (size_t i = 0; reference && i < n; i++) {
        uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
        const struct refrain_object *object =
            refrain_process_at(process, at, sizeof *object, "a window or file", error);
        if (!object || read_object(process, at, object, error))
            return REFRAIN_ERROR;
        reference = object->next;
    }
    return REFRAIN_OK;
}

static const struct refrain_object_view *find(const struct refrain_process *process,
                                              const struct refrain_object_view *views, int64_t number) {
    return number >= 0 && (uint64_t)number < process->n_objects && views[number].record ? &views[number] : NULL;
}

const struct refrain_object_view *refrain_process_window(const struct refrain_process *process, int64_t number) {
    return find(process, process->windows, number);
}

const struct refrain_object_view *refrain_process_file(const struct refrain_process *process, int64_t number) {
    return find(process, process->files, number);
}
