/* pack_ranks.c: makes one file of all ranks, without the messages between them (pack_ranks.h). */
#define _GNU_SOURCE
#include "run/pack_ranks.h"
#include "arch/clock.h"
#include "arch/clock_system.h"
#include "packed_file.h"
#include "run/configure.h"
#include "run/contexts.h"
#include "run/own_files.h"
#include "run/pool.h"
#include "run/tracing.h"
#include <refrain/settings.h>
#include <refrain/trace.h>

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const struct refrain_fold_library *library;
static struct refrain_fold_memory memory;
static unsigned char *own_times;
static size_t n_own_times;
static char file[REFRAIN_PATH_BYTES + 128], part[REFRAIN_PATH_BYTES + 160];
static uint64_t begin_ns;
static int write_error; /* errno of the latest failure */
static bool created;    /* this process has made `part` */

bool refrain_pack_is_wanted(void) {
    return refrain_configuration.pack;
}

const struct refrain_fold_library *refrain_pack_library(void) {
    return library;
}

struct refrain_fold_memory *refrain_pack_memory(void) {
    return &memory;
}

static const struct refrain_fold_library *load(void) {
    Dl_info self;
    char path[REFRAIN_PATH_BYTES];
    if (!dladdr(&refrain_trace_file, &self) || !self.dli_fname)
        return NULL;
    const char *slash = strrchr(self.dli_fname, '/');
    int n = slash ? (int)(slash + 1 - self.dli_fname) : 0;
    if (snprintf(path, sizeof path, "%.*s%s", n, self.dli_fname, REFRAIN_FOLD_LIBRARY_FILE) >= (int)sizeof path)
        return NULL;
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    const struct refrain_fold_library *loaded = handle ? dlsym(handle, REFRAIN_FOLD_LIBRARY_SYMBOL) : NULL;
    return loaded && loaded->version == REFRAIN_TRACE_VERSION ? loaded : NULL;
}

enum refrain_pack_trouble refrain_pack_begin(void) {
    begin_ns = refrain_clock_gettime_ns(CLOCK_MONOTONIC);
    if (!refrain_trace_file.base)
        return REFRAIN_PACK_UNTRACED;
    if (refrain_trace_file.mode != REFRAIN_MODE_STAT)
        return REFRAIN_PACK_EVENTS;
    if (refrain_configuration.total_bytes < REFRAIN_SMALL_MEMORY)
        return REFRAIN_PACK_SMALL;
    const char *directory = refrain_own_files_directory();
    size_t n = strlen(directory), suffix = strlen(REFRAIN_TRACE_SUFFIX);
    if (n > suffix && strcmp(directory + n - suffix, REFRAIN_TRACE_SUFFIX) == 0)
        n -= suffix;
    snprintf(file, sizeof file, "%.*s" REFRAIN_RANKS_SUFFIX, (int)n, directory);
    snprintf(part, sizeof part, "%s.part", file);
    memory.most = refrain_configuration.total_bytes;
    library = load();
    return library ? REFRAIN_PACK_NONE : REFRAIN_PACK_LIBRARY;
}

struct refrain_sheet *refrain_pack_finish(enum refrain_pack_trouble *trouble) {
    const char *wrong;
    struct refrain_sheet *sheet = NULL;
    *trouble = REFRAIN_PACK_THREADS;
    refrain_tracing_finish(REFRAIN_FINISHED_WITH_MPI);
    const struct refrain_header *header = refrain_trace_file.header;
    uint64_t used = refrain_used_bytes(header);
    if (!refrain_contexts_are_still())
        return NULL;
    sheet = library->of_trace_file(&memory, header, refrain_used_until(header), &own_times, &wrong);
    *trouble = wrong ? REFRAIN_PACK_UNSOUND : REFRAIN_PACK_MEMORY;
    if (!sheet)
        return NULL;
    n_own_times = (size_t)(sheet->index->coded_bytes + sheet->index->copied_bytes);
    if (refrain_contexts_are_still() && refrain_used_bytes(header) == used) {
        *trouble = REFRAIN_PACK_NONE;
        return sheet;
    }
    *trouble = REFRAIN_PACK_THREADS;
    library->free_sheet(sheet);
    return NULL;
}

static bool write_at(int fd, const unsigned char *bytes, size_t n, uint64_t at) {
    while (n > 0) {
        ssize_t written = pwrite(fd, bytes, n, (off_t)at);
        if (written <= 0) {
            errno = written == 0 ? ENOSPC : errno;
            return false;
        }
        bytes += written;
        n -= (size_t)written;
        at += (uint64_t)written;
    }
    return true;
}

/* Opens the file, writes and closes it. On network file systems other processes see the bytes only after the close. */
static bool write_part(int flags, const void *bytes, size_t n, uint64_t at) {
    int fd = open(part, O_WRONLY | O_CLOEXEC | flags, 0666);
    bool done = fd >= 0 && write_at(fd, bytes, n, at);
    write_error = done ? 0 : errno;
    if (fd >= 0 && close(fd) != 0 && done) {
        write_error = errno;
        done = false;
    }
    return done;
}

bool refrain_pack_create(const void *head, size_t n) {
    if (access(file, F_OK) == 0) {
        write_error = EEXIST;
        return false;
    }
    created = write_part(O_CREAT | O_EXCL, head, n, 0);
    if (!created && write_error != EEXIST)
        unlink(part);
    return created;
}

bool refrain_pack_write(uint64_t at) {
    return write_part(0, own_times, n_own_times, at);
}

static const char *text_of(enum refrain_pack_trouble trouble) {
    switch (trouble) {
    case REFRAIN_PACK_FILE:
        return write_error ? strerror(write_error) : "a rank cannot write to it: is it on a file system of all nodes?";
    case REFRAIN_PACK_THREADS:
        return "another thread was traced meanwhile";
    case REFRAIN_PACK_MEMORY:
        return "it would take more than REFRAIN_TOTAL_MEMORY once more";
    case REFRAIN_PACK_UNSOUND:
        return "what a rank learned is not sound";
    case REFRAIN_PACK_LIBRARY:
        return REFRAIN_FOLD_LIBRARY_FILE " cannot be loaded from where librefrain.so is";
    case REFRAIN_PACK_SMALL:
        return "REFRAIN_TOTAL_MEMORY is below 2M";
    case REFRAIN_PACK_EVENTS:
        return "recorded events are not packed (REFRAIN_MODE)";
    default:
        return "a rank is not traced";
    }
}

bool refrain_pack_settle(enum refrain_pack_trouble trouble) {
    if (trouble == REFRAIN_PACK_NONE && rename(part, file) == 0) {
        if (refrain_configuration.verbose)
            refrain_say("trace written to %s, packed in %llu ms", file,
                        (unsigned long long)(refrain_clock_gettime_ns(CLOCK_MONOTONIC) - begin_ns) / 1000000);
        return true;
    }
    if (trouble == REFRAIN_PACK_NONE) {
        trouble = REFRAIN_PACK_FILE;
        write_error = errno;
    }
    if (created)
        unlink(part);
    refrain_say("REFRAIN_PACK: no %s: %s; the ranks' files are kept", file[0] ? file : "pack of all ranks",
                text_of(trouble));
    return false;
}

void refrain_pack_done(bool last) {
    refrain_tracing_packed(last);
}
