/* samples.c: reads the samples of each thread (trace_parts.h). */
#include "model/trace_parts.h"

#define MOST_SHIFT 54u /* so that the end of a stretch is a 64-bit number */

void refrain_process_sample_times(const struct refrain_process *process, const struct refrain_sample_count *count,
                                  int64_t *from_ns, int64_t *to_ns) {
    const uint64_t start = process->header->start.ticks, index = count->stretch & 0xff, shift = count->stretch >> 8;
    *from_ns = refrain_trace_time_ns(process, start + (index << shift));
    *to_ns = refrain_trace_time_ns(process, start + ((index + 1) << shift));
}

static enum refrain_status read_nodes(struct refrain_trace *trace, struct refrain_process *process, uint64_t at,
                                      struct refrain_samples_view *view, struct refrain_error *error) {
    size_t n = view->record->n_nodes;
    const struct refrain_sample_node *nodes =
        refrain_process_at(process, (uint64_t)view->record->nodes * REFRAIN_ALIGNMENT_BYTES, n * sizeof *nodes,
                           "sampled functions", error);
    view->nodes = nodes ? refrain_trace_allocate(trace, n, sizeof *view->nodes) : NULL;
    if (!nodes)
        return REFRAIN_ERROR;
    if (!view->nodes)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t i = 0; i < n; i++) {
        if (nodes[i].parent > i)
            return refrain_process_damaged(process, at, "a sampled function that comes before its caller", error);
        if (refrain_process_check_name(process, nodes[i].object, "the file of a sampled function", error))
            return REFRAIN_ERROR;
        view->nodes[i] = (struct refrain_sample_node_view){.record = &nodes[i], .name = "", .file = ""};
    }
    view->n_nodes = n;
    return REFRAIN_OK;
}

static enum refrain_status read_counts(struct refrain_process *process, uint64_t at, struct refrain_samples_view *view,
                                       struct refrain_error *error) {
    size_t n = view->record->n_counts;
    view->counts = refrain_process_at(process, (uint64_t)view->record->counts * REFRAIN_ALIGNMENT_BYTES,
                                      n * sizeof *view->counts, "counts of samples", error);
    if (!view->counts)
        return REFRAIN_ERROR;
    for (size_t i = 0; i < n; i++)
        if (view->counts[i].node >= view->n_nodes || view->counts[i].stretch >> 8 > MOST_SHIFT)
            return refrain_process_damaged(process, at, "a count of samples of no function or no time", error);
    view->n_counts = n;
    return REFRAIN_OK;
}

enum refrain_status refrain_process_read_samples(struct refrain_trace *trace, struct refrain_process *process,
                                                 struct refrain_error *error) {
    size_t n = 0, most = process->image_bytes / sizeof(struct refrain_samples);
    const struct refrain_samples *record;
    for (uint64_t reference = process->header->samples; reference; reference = record->next) {
        uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
        record = refrain_process_at(process, at, sizeof *record, "a thread's samples", error);
        if (!record)
            return REFRAIN_ERROR;
        if (n++ == most)
            return refrain_process_damaged(process, at, "a list of records runs in circles", error);
    }
    process->samples = refrain_trace_allocate(trace, n, sizeof *process->samples);
    if (!process->samples)
        return REFRAIN_FAIL_MEMORY(error);
    for (uint64_t reference = process->header->samples; reference; reference = record->next) {
        uint64_t at = reference * REFRAIN_ALIGNMENT_BYTES;
        struct refrain_samples_view *view = &process->samples[process->n_samples++];
        record = view->record = (const struct refrain_samples *)(process->image + at);
        if (read_nodes(trace, process, at, view, error) || read_counts(process, at, view, error))
            return REFRAIN_ERROR;
    }
    return REFRAIN_OK;
}
