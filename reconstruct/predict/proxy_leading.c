/* proxy_leading.c: finds which functions lead to MPI calls (proxy_walk.h). Those that do not are computation. */
#include "common/error.h"
#include "model/trace_parts.h"
#include "predict/proxy_walk.h"

/* The functions that a rank is in, by number of the region; 0: unknown. */
struct active {
    uint32_t *all;
    size_t n, capacity;
    size_t n_marked; /* the first ones: known to lead to a call */
};

const struct refrain_region_info *refrain_proxy_entered(const struct refrain_process *process,
                                                        const struct refrain_record *record) {
    if (record->kind == REFRAIN_RECORD_ENTER)
        return refrain_process_function(process, record->id);
    const struct refrain_user_region_view *view = refrain_process_user_region(process, record->id);
    return view ? view->region : NULL;
}

/* All active functions lead to a call. */
static bool mark(struct refrain_proxy *proxy, struct active *active) {
    bool marked = true;
    for (; active->n_marked < active->n && marked; active->n_marked++)
        marked = refrain_table_put(&proxy->leading, active->all[active->n_marked], 0, 1);
    return marked;
}

static void leave(struct active *active) {
    active->n -= active->n > 0;
    active->n_marked = active->n_marked < active->n ? active->n_marked : active->n;
}

static enum refrain_status enter(struct refrain_proxy *proxy, size_t rank, const struct refrain_record *record,
                                 struct active *active, struct refrain_error *error) {
    const struct refrain_proxy_run *run = refrain_proxy_run_of(proxy, rank);
    const struct refrain_process *process = refrain_proxy_process(proxy, rank);
    const struct refrain_region_info *region = refrain_proxy_entered(process, record);
    if (region && region->own_time == REFRAIN_OWN_TIME_PAUSED)
        return REFRAIN_FAIL(error,
                            "%s: rank %d was paused, so the trace does not have all of its calls: a proxy needs them",
                            run->trace->path, (int)process->rank);
    if (!REFRAIN_ARRAY_ROOM(active->all, active->n, active->capacity))
        return REFRAIN_FAIL_MEMORY(error);
    active->all[active->n++] = region ? run->shared[region->index] : 0;
    return REFRAIN_OK;
}

enum refrain_status refrain_proxy_find_leading(struct refrain_proxy *proxy, size_t rank, struct refrain_error *error) {
    const struct refrain_process *process = refrain_proxy_process(proxy, rank);
    const char *wrong;
    uint64_t offset;
    struct refrain_record record;
    struct active active = {0};
    struct refrain_walk *records = refrain_walk_begin(process->image, process->image_bytes, 0, &wrong, &offset);
    if (!records)
        return refrain_process_damaged(process, offset, wrong, error);
    enum refrain_status status = REFRAIN_OK;
    while (!status && refrain_walk_next(records, &record)) {
        if (record.kind == REFRAIN_RECORD_ENTER || record.kind == REFRAIN_RECORD_REGION_ENTER)
            status = enter(proxy, rank, &record, &active, error);
        else if (record.kind == REFRAIN_RECORD_LEAVE || record.kind == REFRAIN_RECORD_REGION_LEAVE)
            leave(&active);
        else if (record.kind == REFRAIN_RECORD_CALL_ENTER && !mark(proxy, &active))
            status = REFRAIN_FAIL_MEMORY(error);
    }
    if (!status && (wrong = refrain_walk_wrong(records, &offset)))
        status = refrain_process_damaged(process, offset, wrong, error);
    refrain_walk_close(records);
    free(active.all);
    return status;
}
