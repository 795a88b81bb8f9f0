/* trace_read.c: opens a trace from images, step by step (trace_parts.h). */
#include "model/trace_parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- ranks ---- */

static int by_rank(const void *a, const void *b) {
    const struct refrain_process *x = a, *y = b;
    /* processes killed before they knew their rank come last */
    uint32_t i = (uint32_t)x->header->rank, j = (uint32_t)y->header->rank;
    return i != j ? (i < j ? -1 : 1) : strcmp(x->path, y->path);
}

static enum refrain_status order_ranks(struct refrain_trace *trace, struct refrain_error *error) {
    qsort(trace->processes, trace->n_processes, sizeof *trace->processes, by_rank);
    int32_t next = 0;
    for (size_t i = 0; i < trace->n_processes; i++) {
        struct refrain_process *process = &trace->processes[i];
        process->rank = process->header->rank >= 0 ? process->header->rank : next;
        if (i > 0 && process->rank == trace->processes[i - 1].rank)
            return REFRAIN_FAIL(error, "%s: is of rank %d, and so is %s", process->path, process->rank,
                                trace->processes[i - 1].path);
        next = process->rank + 1;
        process->own_rank = process->rank;
        if (process->header->size > trace->size)
            trace->size = process->header->size;
    }
    if (next > trace->size)
        trace->size = next;
    for (size_t i = 0; i < trace->n_processes; i++)
        trace->processes[i].n_ranks = trace->size;
    trace->missing = refrain_trace_allocate(trace, (size_t)trace->size, sizeof *trace->missing);
    if (!trace->missing)
        return REFRAIN_FAIL_MEMORY(error);
    size_t at = 0;
    for (int32_t rank = 0; rank < trace->size; rank++) {
        while (at < trace->n_processes && trace->processes[at].rank < rank)
            at++;
        if (at == trace->n_processes || trace->processes[at].rank != rank)
            trace->missing[trace->n_missing++] = rank;
    }
    return REFRAIN_OK;
}

enum refrain_status refrain_trace_assemble(struct refrain_trace *trace, refrain_resolver *resolve,
                                           struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        if (!(status = refrain_process_read_tree(trace, &trace->processes[i], error)))
            status = refrain_process_read_binaries(trace, &trace->processes[i], error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = refrain_process_read_samples(trace, &trace->processes[i], error);
    if (!status)
        status = order_ranks(trace, error);
    if (!status)
        status = refrain_trace_read_regions(trace, resolve, error);
    if (!status)
        status = refrain_trace_read_comms(trace, error);
    for (size_t i = 0; !status && i < trace->n_processes; i++)
        status = refrain_process_read_objects(trace, &trace->processes[i], error);
    if (!status)
        status = refrain_trace_read_clock(trace, error);
    if (!status)
        status = refrain_trace_read_metrics(trace, error);
    return status ? status : refrain_trace_read_info(trace, error);
}

/* ---- images ---- */

static enum refrain_status add_image(struct refrain_trace *trace, const struct refrain_image *image, size_t number,
                                     struct refrain_error *error) {
    char name[32], events_name[1024];
    snprintf(name, sizeof name, "image %zu", number);
    const char *path = image->name ? image->name : name;
    if (image->bytes && refrain_ranks_are_packed(image->bytes, image->length))
        return refrain_ranks_unpack(trace, path, image->bytes, image->length, error);
    snprintf(events_name, sizeof events_name, "%s (events)", path);
    struct refrain_process *process = refrain_trace_add_process(trace, path, image->events ? events_name : NULL);
    if (!process)
        return REFRAIN_FAIL_MEMORY(error);
    process->events = image->events;
    process->events_bytes = image->events_length;
    if (image->bytes && refrain_image_is_packed(image->bytes, image->length)) {
        enum refrain_status status = refrain_image_unpack(process, image->bytes, image->length, error);
        return status ? status : refrain_image_begin(process, error);
    }
    if (!image->bytes || image->length < REFRAIN_HEADER_BYTES)
        return REFRAIN_FAIL(error, "%s: is not a refrain trace (%zu bytes are no header)", path, image->length);
    struct refrain_header header;
    memcpy(&header, image->bytes, sizeof header);
    enum refrain_status status = refrain_image_check(path, &header, image->length, error);
    if (status)
        return status;
    process->image = image->bytes;
    process->image_bytes = image->length;
    process->header = image->bytes;
    process->file_bytes = image->length;
    if ((uintptr_t)image->bytes % 16 && !refrain_image_make_private(process))
        return REFRAIN_FAIL_MEMORY(error);
    return refrain_image_begin(process, error);
}

enum refrain_status refrain_trace_open_resolved(const struct refrain_image *images, size_t n, refrain_resolver *resolve,
                                                struct refrain_trace **result, struct refrain_error *error) {
    *result = NULL;
    if (n == 0)
        return REFRAIN_FAIL_USAGE(error, "no image was given");
    struct refrain_trace *trace = refrain_trace_make(images[0].name ? images[0].name : "images");
    if (!trace)
        return REFRAIN_FAIL_MEMORY(error);
    enum refrain_status status = REFRAIN_OK;
    for (size_t i = 0; !status && i < n; i++)
        status = add_image(trace, &images[i], i, error);
    if (!status)
        status = refrain_trace_assemble(trace, resolve, error);
    if (status)
        refrain_trace_close(trace);
    else
        *result = trace;
    return status;
}

enum refrain_status refrain_trace_open_images(const struct refrain_image *images, size_t n,
                                              struct refrain_trace **result, struct refrain_error *error) {
    return refrain_trace_open_resolved(images, n, NULL, result, error);
}
