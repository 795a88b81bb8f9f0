/* traces.c: finds the traces of one `refrain record` among others by the identity that each trace keeps with the
 * settings of its run (record.h). */
#define _GNU_SOURCE
#include "record.h"
#include <refrain/read.h>
#include <refrain/trace.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define REFRAIN_PACK_SUFFIX REFRAIN_TRACE_SUFFIX "-pack" /* REFRAIN_PACK=on */

/* Does the process whose trace this is have this identity among its settings? */
static bool has_identity(const char *path, const char *id) {
    struct refrain_trace *trace;
    char wanted[256];
    size_t n;
    if (refrain_trace_open(path, false, &trace, NULL) != REFRAIN_OK)
        return false;
    snprintf(wanted, sizeof wanted, "REFRAIN_RECORD_ID=%s\n", id);
    const struct refrain_process_info *processes = refrain_trace_processes(trace, &n);
    bool has = n > 0 && strstr(processes[0].environment, wanted);
    refrain_trace_close(trace);
    return has;
}

static bool ends(const char *name, const char *with) {
    size_t n = strlen(name), m = strlen(with);
    return n > m && strcmp(name + n - m, with) == 0;
}

static bool is_of_run(const char *parent, const char *name, const char *id) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", parent, name) >= (int)sizeof path)
        return false;
    if (ends(name, REFRAIN_PACK_SUFFIX))
        return has_identity(path, id);
    DIR *directory = opendir(path);
    size_t n = strlen(path);
    bool is = false;
    for (struct dirent *entry; directory && (entry = readdir(directory));)
        if (ends(entry->d_name, ".trace")) {
            is = snprintf(path + n, sizeof path - n, "/%s", entry->d_name) < (int)(sizeof path - n) &&
                 has_identity(path, id);
            break; /* all of one run have the same settings */
        }
    if (directory)
        closedir(directory);
    return is;
}

static int ends_as_trace(const struct dirent *entry) {
    return ends(entry->d_name, REFRAIN_TRACE_SUFFIX) || ends(entry->d_name, REFRAIN_PACK_SUFFIX);
}

size_t refrain_record_traces(const char *directory, const char *id, void (*found)(const char *path, void *data),
                             void *data) {
    struct dirent **entries;
    int n = scandir(directory, &entries, ends_as_trace, alphasort);
    size_t traces = 0;
    if (n < 0)
        return 0;
    for (int i = 0; i < n; i++) {
        if (is_of_run(directory, entries[i]->d_name, id)) {
            found(entries[i]->d_name, data);
            traces++;
        }
        free(entries[i]);
    }
    free(entries);
    return traces;
}
