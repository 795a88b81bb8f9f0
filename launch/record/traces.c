/* traces.c: finds the traces of one `refrain record` by the identity that each process stores with the settings of
 * its run (record.h).
 *
 *     refrain record mpiexec -n 2 ./app     one identity for all
 *     mpiexec -n 2 refrain record ./app     one identity for each process; the lowest rank reports the common trace */
#define _GNU_SOURCE
#include "record.h"
#include <refrain/read.h>
#include <refrain/trace.h>

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define REFRAIN_PACK_SUFFIX REFRAIN_TRACE_SUFFIX "-pack" /* REFRAIN_PACK=on */
#define CLOCK_APART_S 600 /* possible difference of the clocks of a file server and this host */

/* Findings about the processes of a trace so far. */
struct findings {
    const char *id;
    bool recorded; /* a process ran under a refrain record */
    bool lowest;   /* the lowest of these ranks ran under this one */
    bool ours;     /* a process ran under this one */
};

static void look_at_process(const struct refrain_process_info *process, struct findings *findings) {
    static const char name[] = "REFRAIN_RECORD_ID=";
    const char *value = strstr(process->environment, name);
    if (!value)
        return;
    value += sizeof name - 1;
    size_t n = strlen(findings->id);
    bool ours = strncmp(value, findings->id, n) == 0 && value[n] == '\n';
    if (!findings->recorded)
        findings->lowest = ours;
    findings->recorded = true;
    findings->ours |= ours;
}

/* Looks at the file of one process or, for a pack, of all. */
static void look_at_file(const char *path, struct findings *findings) {
    struct refrain_trace *trace;
    size_t n;
    if (refrain_trace_open(path, false, &trace, NULL) != REFRAIN_OK)
        return;
    const struct refrain_process_info *processes = refrain_trace_processes(trace, &n);
    for (size_t i = 0; i < n; i++)
        look_at_process(&processes[i], findings);
    refrain_trace_close(trace);
}

static bool ends(const char *name, const char *with) {
    size_t n = strlen(name), m = strlen(with);
    return n > m && strcmp(name + n - m, with) == 0;
}

static int is_of_process(const struct dirent *entry) {
    return strncmp(entry->d_name, "rank-", 5) == 0 && ends(entry->d_name, ".trace");
}

static void look_at_entry(const char *directory, const char *name, struct findings *findings) {
    char path[PATH_MAX];
    if (snprintf(path, sizeof path, "%s/%s", directory, name) < (int)sizeof path)
        look_at_file(path, findings);
}

/* If this process has a rank from the launcher, its program had the same rank. */
static void look_at_own_rank(const char *directory, struct findings *findings) {
    static const char *const variables[] = {"PMI_RANK", "PMIX_RANK", "OMPI_COMM_WORLD_RANK", "SLURM_PROCID"};
    for (size_t i = 0; i < sizeof variables / sizeof *variables && !findings->ours; i++) {
        const char *rank = getenv(variables[i]);
        char name[64];
        if (rank && snprintf(name, sizeof name, REFRAIN_TRACE_FILE_NAME, atoi(rank)) < (int)sizeof name)
            look_at_entry(directory, name, findings);
    }
}

/* Looks at the files by rank, until all of `findings` is known. If the directory was changed last before this refrain
 * record began, its first file suffices: the trace is another one's. */
static void look_at_directory(const char *path, time_t since, struct findings *findings) {
    struct dirent **entries;
    struct stat status;
    int n = scandir(path, &entries, is_of_process, versionsort);
    int most = stat(path, &status) == 0 && status.st_mtime + CLOCK_APART_S < since ? 1 : n;
    bool knows_lowest = false;
    for (int i = 0; i < n; i++) {
        if (i < most && !findings->ours)
            look_at_entry(path, entries[i]->d_name, findings);
        if (findings->recorded && !findings->ours && !knows_lowest && most > 1)
            look_at_own_rank(path, findings);
        knows_lowest = findings->recorded;
        free(entries[i]);
    }
    if (n >= 0)
        free(entries);
}

static int ends_as_trace(const struct dirent *entry) {
    return ends(entry->d_name, REFRAIN_TRACE_SUFFIX) || ends(entry->d_name, REFRAIN_PACK_SUFFIX);
}

size_t refrain_record_traces(const char *directory, const char *id, time_t since,
                             void (*found)(const char *name, void *data), void *data) {
    struct dirent **entries;
    int n = scandir(directory, &entries, ends_as_trace, alphasort);
    size_t traces = 0;
    if (n < 0)
        return 0;
    for (int i = 0; i < n; i++) {
        char path[PATH_MAX];
        struct findings findings = {.id = id};
        bool fits = snprintf(path, sizeof path, "%s/%s", directory, entries[i]->d_name) < (int)sizeof path;
        if (fits && ends(path, REFRAIN_PACK_SUFFIX))
            look_at_file(path, &findings);
        else if (fits)
            look_at_directory(path, since, &findings);
        if (findings.ours && findings.lowest)
            found(entries[i]->d_name, data);
        traces += findings.ours;
        free(entries[i]);
    }
    free(entries);
    return traces;
}
