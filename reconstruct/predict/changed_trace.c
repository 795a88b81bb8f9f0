/* changed_trace.c: see changed_trace.h. */
#define _GNU_SOURCE
#include "predict/changed_trace.h"
#include "formats/event_names.h"
#include "import/import_trace.h"

#include <stdlib.h>

struct refrain_changed_trace {
    const struct refrain_trace *trace;
    struct refrain_import *import;
    uint32_t *numbers; /* by region: its number in the import + 1; 0: none yet */
};

static uint32_t make_region(const struct refrain_changed_trace *changed, const struct refrain_event *event) {
    const struct refrain_region_info *region = event->region;
    switch (event->kind) {
    case REFRAIN_EVENT_MARKER:
        return refrain_import_value(changed->import, REFRAIN_USE_MARKER, region->name);
    case REFRAIN_EVENT_COUNTER:
        return refrain_import_value(changed->import, REFRAIN_USE_COUNTER, region->name);
    case REFRAIN_EVENT_UNTOLD_SENDS:
    case REFRAIN_EVENT_UNTOLD_RECEIVES:
    case REFRAIN_EVENT_UNTOLD_COLLECTIVES:
        return refrain_import_value(changed->import, REFRAIN_USE_UNTOLD, region->name);
    default:
        return refrain_import_region(changed->import, region->kind, region->name, region->file, region->line);
    }
}

static uint32_t region_of(const struct refrain_changed_trace *changed, const struct refrain_event *event) {
    if (event->region->index >= changed->trace->n_regions || event->kind >= REFRAIN_EVENT_UNTOLD_SENDS)
        return make_region(changed, event);
    uint32_t *number = &changed->numbers[event->region->index];
    if (!*number)
        *number = make_region(changed, event) + 1;
    return *number - 1;
}

int refrain_changed_trace_add(struct refrain_changed_trace *changed, const struct refrain_event *event,
                              int64_t now_ns) {
    struct refrain_import_event added = {.kind = event->kind,
                                         .rank = event->rank,
                                         .thread = event->thread,
                                         .time_ns = now_ns > 0 ? now_ns : 0,
                                         .region = region_of(changed, event),
                                         .comm = event->comm ? event->comm->index : REFRAIN_IMPORT_NO_COMM,
                                         .peer = event->peer,
                                         .tag = event->tag,
                                         .bytes = event->bytes,
                                         .received = event->received,
                                         .request = event->request,
                                         .value = event->value};
    if (refrain_event_names_window(event->kind) || refrain_event_names_file(event->kind))
        added.tag = refrain_event_object(changed->trace, event);
    if (event->kind == REFRAIN_EVENT_FILE)
        added.name = refrain_event_file_name(changed->trace, event);
    return refrain_import_add(changed->import, &added);
}

static bool add_comm(const struct refrain_changed_trace *changed, const struct refrain_comm_info *comm) {
    int32_t *all = comm->members ? NULL : malloc(((size_t)comm->size + 1) * sizeof *all);
    if (!comm->members && !all)
        return false;
    for (int32_t i = 0; all && i < comm->size; i++)
        all[i] = i;
    refrain_import_comm(changed->import, comm->name, all ? all : comm->members, comm->size, comm->remote_members,
                        comm->remote_size);
    free(all);
    return true;
}

enum refrain_status refrain_changed_trace_open(const struct refrain_trace *trace, const char *directory,
                                               const char *source, struct refrain_changed_trace **opened,
                                               struct refrain_error *error) {
    struct refrain_changed_trace *changed = *opened = calloc(1, sizeof *changed);
    if (!changed || !(changed->numbers = calloc(trace->n_regions + 1, sizeof *changed->numbers)))
        return REFRAIN_FAIL_MEMORY(error);
    changed->trace = trace;
    const char *program = trace->n_processes ? trace->process_infos[0].executable : "";
    enum refrain_status status =
        refrain_import_open(directory, trace->size, program, source, trace->start_realtime_ns, &changed->import, error);
    for (size_t i = 2; !status && i < trace->n_comms; i++)
        if (!add_comm(changed, &trace->comms[i]))
            status = REFRAIN_FAIL_MEMORY(error);
    return status;
}

enum refrain_status refrain_changed_trace_finish(struct refrain_changed_trace *changed, bool keep) {
    enum refrain_status status = REFRAIN_OK;
    if (changed && changed->import)
        status = refrain_import_finish(changed->import, keep);
    if (changed)
        free(changed->numbers);
    free(changed);
    return status;
}
