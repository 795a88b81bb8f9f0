/* metric_totals.c: checks the lists of counters of all processes, gives equal names one column, and adds up the totals
 * by process and region (metric_totals.h). */
#include "model/metric_totals.h"
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- names ---- */

/* Checks the list of counters, and sets process->metrics. The first n_metrics of the list were counted. */
static enum refrain_status check_list(struct refrain_process *process, struct refrain_error *error) {
    const struct refrain_header *header = process->header;
    uint64_t at = (uint64_t)header->metrics * REFRAIN_ALIGNMENT_BYTES;
    const struct refrain_metrics *list = NULL;
    if (header->metrics) {
        list = refrain_process_at(process, at, sizeof *list, "the list of metrics", error);
        if (!list)
            return REFRAIN_ERROR;
    }
    if (header->n_metrics > REFRAIN_MOST_METRICS || (list && list->n > REFRAIN_MOST_METRICS) ||
        header->n_metrics > (list ? list->n : 0))
        return refrain_process_damaged(process, at, "the number of metrics is too large", error);
    for (uint32_t i = 0; list && i < list->n; i++)
        if (list->metric[i].state >= REFRAIN_METRIC_STATES)
            return refrain_process_damaged(process, at, "a metric has an unknown state", error);
        else if (refrain_process_check_name(process, list->metric[i].name, "the name of a metric", error))
            return REFRAIN_ERROR;
    process->metrics = list;
    return REFRAIN_OK;
}

/* Index of the metric in trace->metric_names, to which it is added if it is new. REFRAIN_NO_METRIC if the list is full,
 * which takes processes with different counters: the values of this one are then left out. */
static uint8_t column_of(struct refrain_trace *trace, const char *name) {
    size_t i = 0;
    while (i < trace->n_metrics && strcmp(trace->metric_names[i], name) != 0)
        i++;
    if (i == REFRAIN_MOST_METRICS)
        return REFRAIN_NO_METRIC;
    if (i == trace->n_metrics)
        trace->metric_names[trace->n_metrics++] = name;
    return (uint8_t)i;
}

enum refrain_status refrain_trace_read_metrics(struct refrain_trace *trace, struct refrain_error *error) {
    for (size_t i = 0; i < trace->n_processes; i++) {
        struct refrain_process *process = &trace->processes[i];
        if (check_list(process, error))
            return REFRAIN_ERROR;
        for (uint32_t m = 0; m < process->header->n_metrics; m++)
            process->metric_column[m] =
                column_of(trace, refrain_process_name(process, process->metrics->metric[m].name));
    }
    return REFRAIN_OK;
}

bool refrain_metric_is_time(const char *name) {
    return strcasecmp(name, "task-clock") == 0 || strcasecmp(name, "cpu-clock") == 0;
}

const char *refrain_metric_state_text(uint32_t state) {
    static const char *const texts[REFRAIN_METRIC_STATES] = {
        [REFRAIN_METRIC_COUNTED] = "counted",
        [REFRAIN_METRIC_USER] = "counted in user mode only: the kernel forbids counting itself (perf_event_paranoid)",
        [REFRAIN_METRIC_UNKNOWN] = "not counted: there is no event of this name",
        [REFRAIN_METRIC_ABSENT] = "not counted: this machine, or virtual machine, has no such event",
        [REFRAIN_METRIC_FORBIDDEN] =
            "not counted: the kernel or the container forbids it (perf_event_paranoid, seccomp)",
        [REFRAIN_METRIC_TOO_MANY] = "not counted: the processor has no counter left for it",
        [REFRAIN_METRIC_FAILED] = "not counted: no file descriptor or memory was left for it",
    };
    return state < REFRAIN_METRIC_STATES ? texts[state] : "not counted";
}

/* ---- totals ---- */

void refrain_metrics_add(const struct refrain_process *process, const struct refrain_slot *slot,
                         struct refrain_metric_totals *totals) {
    uint32_t n = process->header->n_metrics;
    uint64_t at = (uint64_t)slot->metrics * REFRAIN_ALIGNMENT_BYTES, bytes = n * sizeof(uint64_t);
    if (n == 0 || slot->metrics == 0 || bytes > process->image_bytes || at > process->image_bytes - bytes)
        return;
    const uint64_t *values = (const uint64_t *)(process->image + at);
    for (uint32_t i = 0; i < n; i++)
        if (process->metric_column[i] != REFRAIN_NO_METRIC)
            totals->value[process->metric_column[i]] += values[i];
}

void refrain_metrics_add_call_site(const struct refrain_process *process, const struct refrain_call_site *call_site,
                                   struct refrain_metric_totals *totals) {
    const struct refrain_operation_record *operation = NULL;
    refrain_metrics_add(process, &call_site->inside, totals);
    while ((operation = refrain_call_site_operation(process, call_site, operation)))
        refrain_metrics_add(process, &operation->after, totals);
}

/* ---- tables ---- */

/* The function that contains the slot, or null. */
static const struct refrain_region_info *function_of(const struct refrain_process *process,
                                                     const struct refrain_slot_view *view) {
    const struct refrain_node *node = view->node;
    while (node->kind != REFRAIN_FUNCTION && node != view->unit->nodes)
        node = &view->unit->nodes[node->parent];
    return refrain_process_function(process, (uint64_t)view->unit->record->first_slot + node->slot);
}

static void add_process(const struct refrain_trace *trace, const struct refrain_process *process,
                        struct refrain_metric_tables *tables) {
    struct refrain_metric_totals *own = &tables->processes[process - trace->processes], of;
    const struct refrain_region_info *region;
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        if (!process->threads[t].started)
            continue;
        refrain_metrics_add(process, &process->threads[t].root, own);
        for (uint32_t number = 0; number < process->header->n_slots; number++) {
            const struct refrain_slot_view *view = &process->slots[number];
            const struct refrain_slot *slot = refrain_process_slot(process, t, number);
            if (!view->node || !slot || !slot->metrics)
                continue;
            memset(&of, 0, sizeof of);
            refrain_metrics_add(process, slot, &of);
            refrain_metrics_add_up(own, &of);
            if ((region = function_of(process, view)) && region->index < trace->n_regions)
                refrain_metrics_add_up(&tables->regions[region->index], &of);
        }
    }
    for (size_t i = 0; i < process->n_call_sites; i++) {
        memset(&of, 0, sizeof of);
        refrain_metrics_add_call_site(process, process->call_sites[i].record, &of);
        refrain_metrics_add_up(own, &of);
        if (process->call_sites[i].region)
            refrain_metrics_add_up(&tables->regions[process->call_sites[i].region->index], &of);
    }
    for (size_t i = 0; i < process->n_user_regions; i++) {
        if (refrain_use_is_value(process->user_regions[i].record->use))
            continue;
        memset(&of, 0, sizeof of);
        refrain_metrics_add(process, &process->user_regions[i].record->inside, &of);
        refrain_metrics_add_up(own, &of);
        if (process->user_regions[i].region)
            refrain_metrics_add_up(&tables->regions[process->user_regions[i].region->index], &of);
    }
}

enum refrain_status refrain_metric_tables_open(const struct refrain_trace *trace, int32_t rank,
                                               struct refrain_metric_tables *tables, struct refrain_error *error) {
    tables->regions = calloc(trace->n_regions + 1, sizeof *tables->regions);
    tables->processes = calloc(trace->n_processes + 1, sizeof *tables->processes);
    if (!tables->regions || !tables->processes) {
        refrain_metric_tables_close(tables);
        return REFRAIN_FAIL_MEMORY(error);
    }
    for (size_t i = 0; i < trace->n_processes; i++)
        if (rank < 0 || trace->processes[i].rank == rank)
            add_process(trace, &trace->processes[i], tables);
    return REFRAIN_OK;
}

void refrain_metric_tables_close(struct refrain_metric_tables *tables) {
    free(tables->regions);
    free(tables->processes);
    *tables = (struct refrain_metric_tables){0};
}
