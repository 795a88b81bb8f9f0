/* trace_memory.c: the list of processes of a trace, and memory that is freed with the trace (trace_parts.h). */
#include "common/array.h"
#include "model/trace_parts.h"

#include <stdlib.h>
#include <string.h>

void *refrain_trace_allocate(struct refrain_trace *trace, size_t n, size_t bytes) {
    struct refrain_trace_tables *tables = trace->tables;
    if (!REFRAIN_ARRAY_ROOM(tables->owned, tables->n_owned, tables->capacity_owned))
        return NULL;
    void *memory = calloc(n ? n : 1, bytes ? bytes : 1);
    if (memory)
        tables->owned[tables->n_owned++] = (struct refrain_owned){memory, (n ? n : 1) * (bytes ? bytes : 1)};
    return memory;
}

/* ---- processes ---- */

static char *keep(struct refrain_trace *trace, const char *text) {
    char *copy = refrain_trace_allocate(trace, strlen(text) + 1, 1);
    return copy ? strcpy(copy, text) : NULL;
}

struct refrain_process *refrain_trace_add_process(struct refrain_trace *trace, const char *path,
                                                  const char *events_path) {
    if (!REFRAIN_ARRAY_ROOM(trace->processes, trace->n_processes, trace->tables->capacity_processes))
        return NULL;
    struct refrain_process *process = &trace->processes[trace->n_processes];
    memset(process, 0, sizeof *process);
    process->path = keep(trace, path);
    process->events_path = events_path ? keep(trace, events_path) : NULL;
    if (!process->path || (events_path && !process->events_path))
        return NULL;
    trace->n_processes++;
    return process;
}

static int compare_ranks(const void *rank, const void *process) {
    int32_t a = *(const int32_t *)rank, b = ((const struct refrain_process *)process)->rank;
    return a < b ? -1 : a > b;
}

const struct refrain_process *refrain_trace_process(const struct refrain_trace *trace, int32_t rank) {
    return trace->n_processes
               ? bsearch(&rank, trace->processes, trace->n_processes, sizeof *trace->processes, compare_ranks)
               : NULL;
}

/* ---- the trace ---- */

struct refrain_trace *refrain_trace_make(const char *path) {
    struct refrain_trace *trace = calloc(1, sizeof *trace);
    if (trace && (trace->tables = calloc(1, sizeof *trace->tables)) && (trace->path = keep(trace, path)))
        return trace;
    refrain_trace_close(trace);
    return NULL;
}

void refrain_trace_close(struct refrain_trace *trace) {
    if (!trace)
        return;
    for (size_t i = 0; i < trace->n_processes; i++)
        refrain_process_unload(&trace->processes[i]);
    for (size_t i = 0; trace->tables && i < trace->tables->n_owned; i++)
        free(trace->tables->owned[i].memory);
    if (trace->tables)
        free(trace->tables->owned);
    free(trace->tables);
    free(trace->processes);
    free(trace);
}
