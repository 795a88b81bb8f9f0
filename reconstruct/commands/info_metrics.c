/* info_metrics.c: prints which hardware counters ran, and why others did not (info_metrics.h). */
#define _GNU_SOURCE
#include "commands/info_metrics.h"
#include "commands/command.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

double refrain_info_metrics_percent(const struct refrain_process *process) {
    uint64_t ns = 0, counted_ns = 0;
    for (uint32_t t = 0; t < process->header->n_threads; t++) {
        ns += process->threads[t].metrics_ns;
        counted_ns += process->threads[t].metrics_counted_ns;
    }
    return ns && counted_ns < ns ? 100 * (double)counted_ns / (double)ns : 100;
}

static const char *name_of(const struct refrain_process *process, uint32_t i) {
    return refrain_process_name(process, process->metrics->metric[i].name);
}

void refrain_info_print_metrics(const struct refrain_process *process) {
    const struct refrain_metrics *metrics = process->metrics;
    bool first = true;
    for (uint32_t i = 0; metrics && i < metrics->n; i++)
        if (metrics->metric[i].state == REFRAIN_METRIC_COUNTED) {
            printf("%s%s", first ? "  metrics   counted: " : ", ", name_of(process, i));
            first = false;
        }
    double percent = refrain_info_metrics_percent(process);
    if (!first && percent < 100)
        printf("; for %.1f %% of the time, since others use the same counters", percent);
    if (!first)
        putchar('\n');
    for (uint32_t i = 0; metrics && i < metrics->n; i++)
        if (metrics->metric[i].state != REFRAIN_METRIC_COUNTED)
            printf("  metrics   %s: %s\n", name_of(process, i), refrain_metric_state_text(metrics->metric[i].state));
}

static bool same(const struct refrain_process *a, const struct refrain_process *b) {
    uint32_t n = a->metrics ? a->metrics->n : 0;
    if (n != (b->metrics ? b->metrics->n : 0))
        return false;
    for (uint32_t i = 0; i < n; i++)
        if (a->metrics->metric[i].state != b->metrics->metric[i].state || strcmp(name_of(a, i), name_of(b, i)) != 0)
            return false;
    return true;
}

void refrain_info_print_metrics_of_all(const struct refrain_trace *trace) {
    size_t others = 0;
    for (size_t i = 1; i < trace->n_processes; i++)
        others += !same(&trace->processes[0], &trace->processes[i]);
    if (trace->n_processes)
        refrain_info_print_metrics(&trace->processes[0]);
    if (others)
        printf("  metrics   different on %zu ranks: --each shows each of them\n", others);
}

json_t *refrain_info_metrics_json(const struct refrain_process *process) {
    json_t *list = json_array();
    for (uint32_t i = 0; process->metrics && i < process->metrics->n; i++) {
        uint32_t state = process->metrics->metric[i].state;
        json_array_append_new(list,
                              json_pack("{s:o,s:b,s:s}", "name", refrain_json_text(name_of(process, i)), "counted",
                                        state == REFRAIN_METRIC_COUNTED || state == REFRAIN_METRIC_USER, "state",
                                        refrain_metric_state_text(state)));
    }
    return list;
}
