/* trace_open.c: finds the files of a trace directory or file (trace_files.h). */
#define _GNU_SOURCE
#include "files/trace_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool ends_with(const char *text, const char *end) {
    size_t n = strlen(text), m = strlen(end);
    return n >= m && strcmp(text + n - m, end) == 0;
}

static enum refrain_status add_process(struct refrain_trace *trace, const char *path, struct refrain_error *error) {
    char *events_path;
    if (asprintf(&events_path, "%.*s.events", (int)(strlen(path) - strlen(".trace")), path) < 0)
        return REFRAIN_FAIL_MEMORY(error);
    struct refrain_process *process = refrain_trace_add_process(trace, path, events_path);
    free(events_path);
    return process ? refrain_process_load(process, error) : REFRAIN_FAIL_MEMORY(error);
}

static enum refrain_status list_files(struct refrain_trace *trace, struct refrain_error *error) {
    struct stat status;
    if (stat(trace->path, &status) != 0)
        return REFRAIN_FAIL(error, "%s: %s (a trace is a directory whose name ends in .refrain)", trace->path,
                            strerror(errno));
    if (!S_ISDIR(status.st_mode)) {
        bool is_pack;
        enum refrain_status result = refrain_pack_load(trace, &is_pack, error);
        if (result || is_pack)
            return result;
        if (!ends_with(trace->path, ".trace"))
            return REFRAIN_FAIL(error,
                                "%s: is not a trace: name a directory ending in .refrain, one rank-N.trace in it, or a "
                                "file that refrain pack wrote",
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

enum refrain_status refrain_trace_open(const char *path, bool resolve, struct refrain_trace **result,
                                       struct refrain_error *error) {
    struct refrain_trace *trace = refrain_trace_make(path);
    *result = NULL;
    if (!trace)
        return REFRAIN_FAIL_MEMORY(error);
    for (size_t n = strlen(trace->path); n > 1 && trace->path[n - 1] == '/'; n--)
        trace->path[n - 1] = 0;
    enum refrain_status status = list_files(trace, error);
    if (!status)
        status = refrain_trace_assemble(trace, resolve ? refrain_names_resolve : NULL, error);
    if (status)
        refrain_trace_close(trace);
    else
        *result = trace;
    return status;
}
