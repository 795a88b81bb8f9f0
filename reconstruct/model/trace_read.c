/* trace_read.c: opening a trace: which files there are, and in which order they are read (trace_parts.h). */
#define _GNU_SOURCE
#include "trace_parts.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

void *refrain_trace_allocate(struct refrain_trace *trace, size_t n, size_t bytes) {
    struct refrain_trace_tables *tables = trace->tables;
    if (tables->n_owned == tables->capacity_owned) {
        size_t capacity = tables->capacity_owned ? tables->capacity_owned * 2 : 64;
        void **owned = realloc(tables->owned, capacity * sizeof *owned);
        if (!owned)
            return NULL;
        tables->owned = owned;
        tables->capacity_owned = capacity;
    }
    void *memory = calloc(n ? n : 1, bytes ? bytes : 1);
    if (memory)
        tables->owned[tables->n_owned++] = memory;
    return memory;
}

/* ---- files ---- */

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static enum refrain_status add_process(struct refrain_trace *trace, const char *path, struct refrain_error *error) {
    struct refrain_process *processes = realloc(trace->processes, (trace->n_processes + 1) * sizeof *processes);
    if (!processes)
        return REFRAIN_FAIL_MEMORY(error);
    trace->processes = processes;
    struct refrain_process *process = &processes[trace->n_processes++];
    memset(process, 0, sizeof *process);
    size_t stem = strlen(path) - strlen(".trace");
    process->path = refrain_trace_allocate(trace, strlen(path) + 1, 1);
    process->events_path = refrain_trace_allocate(trace, stem + sizeof ".events", 1);
    if (!process->path || !process->events_path)
        return REFRAIN_FAIL_MEMORY(error);
    strcpy(process->path, path);
    memcpy(process->events_path, path, stem);
    strcpy(process->events_path + stem, ".events");
    if (access(process->events_path, F_OK) != 0)
        process->events_path = NULL;
    return REFRAIN_OK;
}

static enum refrain_status list_files(struct refrain_trace *trace, struct refrain_error *error) {
    struct stat status;
    if (stat(trace->path, &status) != 0)
        return REFRAIN_FAIL(error, "%s: %s (a trace is a directory whose name ends in .refrain)", trace->path,
                            strerror(errno));
    if (!S_ISDIR(status.st_mode)) {
        if (!ends_with(trace->path, ".trace"))
            return REFRAIN_FAIL(error,
                                "%s: is not a trace: name a directory ending in .refrain, or one rank-N.trace in it",
                                trace->path);
        return add_process(trace, trace->path, error);
    }
    DIR *directory = opendir(trace->path);
    if (!directory)
        return REFRAIN_FAIL(error, "%s: %s", trace->path, strerror(errno));
    enum refrain_status result = REFRAIN_OK;
    for (struct dirent *entry; !result && (entry = readdir(directory));) {
        char path[4096];
        if (strncmp(entry->d_name, "rank-", 5) != 0 || !ends_with(entry->d_name, ".trace"))
            continue;
        int n = snprintf(path, sizeof path, "%s/%s", trace->path, entry->d_name);
        result = n < (int)sizeof path ? add_process(trace, path, error)
                                      : REFRAIN_FAIL(error, "%s: the path is too long", trace->path);
    }
    closedir(directory);
    if (!result && trace->n_processes == 0)
        result = REFRAIN_FAIL(error, "%s: holds no rank-N.trace: it is not a trace, or its files were moved away",
                              trace->path);
    return result;
}

/* ---- ranks ---- */

static int by_rank(const void *a, const void *b) {
    const struct refrain_process *x = a, *y = b;
    /* those that were killed before they knew their rank come last */
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
            return REFRAIN_FAIL(error, "%s: is of rank %d, as %s is", process->path, process->rank,
                                trace->processes[i - 1].path);
        next = process->rank + 1;
        process->own_rank = process->rank;
        if (process->header->size > trace->size)
            trace->size = process->header->size;
    }
    if (next > trace->size)
        trace->size = next;
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

static enum refrain_status read_all(struct refrain_trace *trace, bool resolve, struct refrain_error *error) {
    enum refrain_status status = list_files(trace, error);
    for (size_t i = 0; !status && i < trace->n_processes; i++) {
        struct refrain_process *process = &trace->processes[i];
        status = refrain_process_load(process, error);
        if (status)
            return status;
        uint64_t bytes = (uint64_t)process->header->n_threads * sizeof(struct refrain_thread);
        process->threads = refrain_process_at(process, process->header->threads, bytes, "the threads", error);
        status = process->threads ? refrain_process_read_tree(trace, process, error) : REFRAIN_ERROR;
    }
    if (!status)
        status = order_ranks(trace, error);
    if (!status)
        status = refrain_trace_read_regions(trace, resolve, error);
    if (!status)
        status = refrain_trace_read_comms(trace, error);
    if (!status)
        refrain_trace_read_clock(trace);
    return status;
}

enum refrain_status refrain_trace_open(const char *path, bool resolve, struct refrain_trace **result,
                                       struct refrain_error *error) {
    struct refrain_trace *trace = calloc(1, sizeof *trace);
    *result = NULL;
    if (!trace || !(trace->tables = calloc(1, sizeof *trace->tables)) || !(trace->path = strdup(path))) {
        refrain_trace_close(trace);
        return REFRAIN_FAIL_MEMORY(error);
    }
    for (size_t n = strlen(trace->path); n > 1 && trace->path[n - 1] == '/'; n--)
        trace->path[n - 1] = 0;
    enum refrain_status status = read_all(trace, resolve, error);
    if (status)
        refrain_trace_close(trace);
    else
        *result = trace;
    return status;
}

void refrain_trace_close(struct refrain_trace *trace) {
    if (!trace)
        return;
    for (size_t i = 0; i < trace->n_processes; i++)
        refrain_process_unload(&trace->processes[i]);
    for (size_t i = 0; trace->tables && i < trace->tables->n_owned; i++)
        free(trace->tables->owned[i]);
    if (trace->tables)
        free(trace->tables->owned);
    free(trace->tables);
    free(trace->processes);
    free(trace->path);
    free(trace);
}

const struct refrain_process *refrain_trace_process(const struct refrain_trace *trace, int32_t rank) {
    for (size_t i = 0; i < trace->n_processes; i++)
        if (trace->processes[i].rank == rank)
            return &trace->processes[i];
    return NULL;
}
