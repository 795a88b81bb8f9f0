/* settle.c: completes the files of processes that were killed (record.h). A process that ends by itself shortens its
 * file and stores the time of its end. For a killed process, this is done here. */
#define _GNU_SOURCE
#include "analysis/gone.h"
#include "record.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define MOST_WAIT_MS 1000 /* for processes that the launcher killed without waiting for them */
#define PAGE_BYTES ((uint64_t)4096)

static bool is_unfinished(const struct refrain_header *header) {
    return memcmp(header->magic, REFRAIN_MAGIC, sizeof header->magic) == 0 &&
           header->version == REFRAIN_TRACE_VERSION && header->finished == REFRAIN_UNFINISHED;
}

/* True if the process of a sound trace was killed. Waits a moment if it is about to end. */
static bool was_killed(const char *path, int *wait_ms) {
    struct refrain_trace *trace;
    if (refrain_trace_open(path, false, &trace, NULL) != REFRAIN_OK)
        return false;
    bool gone = trace->n_processes == 1 && refrain_is_on_this_host(&trace->processes[0]);
    while (gone && !refrain_is_gone(&trace->processes[0]) && *wait_ms > 0) {
        nanosleep(&(struct timespec){.tv_nsec = 10000000}, NULL);
        *wait_ms -= 10;
    }
    gone = gone && refrain_is_gone(&trace->processes[0]);
    refrain_trace_close(trace);
    return gone;
}

static void settle_file(const char *path, uint64_t over_ns, int *wait_ms) {
    struct refrain_header header;
    int fd = open(path, O_RDWR | O_CLOEXEC);
    if (fd < 0)
        return;
    if (pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header && is_unfinished(&header) &&
        was_killed(path, wait_ms) && pread(fd, &header, sizeof header, 0) == (ssize_t)sizeof header) {
        uint64_t from = (header.pool_used + PAGE_BYTES - 1) & ~(PAGE_BYTES - 1), until = refrain_free_until(&header);
        if (from >= PAGE_BYTES && from < until)
            (void)fallocate(fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, (off_t)from, (off_t)(until - from));
        if (header.over_realtime_ns == 0)
            (void)!pwrite(fd, &over_ns, sizeof over_ns, offsetof(struct refrain_header, over_realtime_ns));
    }
    close(fd);
}

void refrain_record_settle(const char *directory, const char *name, uint64_t over_ns) {
    char path[PATH_MAX];
    int wait_ms = MOST_WAIT_MS;
    if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path)
        return;
    DIR *entries = opendir(path);
    for (struct dirent *entry; entries && (entry = readdir(entries));) {
        size_t n = strlen(entry->d_name);
        if (strncmp(entry->d_name, "rank-", 5) == 0 && n > 6 && strcmp(entry->d_name + n - 6, ".trace") == 0 &&
            snprintf(path, sizeof path, "%s/%s/%s", directory, name, entry->d_name) < (int)sizeof path)
            settle_file(path, over_ns, &wait_ms);
    }
    if (entries)
        closedir(entries);
}
