/* index_store.c: files of saved states in the user's cache (index_store.h). */
#define _GNU_SOURCE
#include "commands/index_store.h"
#include "analysis/followed.h"
#include "commands/command.h"
#include "commands/job_threads.h"
#include "match/replayable.h"
#include "match/saved_parts.h"
#include "match/saved_states.h"
#include <refrain/write_all.h>

#include <dirent.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define SUFFIX ".states"
#define MOST_WRITING_S 3600 /* a temporary file older than this has no writer any more */

/* An index is made on first use if the window begins after at least LEAST_EVENTS events, and the whole run has at most
 * MOST_EVENTS. */
#define LEAST_EVENTS 4000000u
#define MOST_EVENTS 1e8

/* ---- the build ---- */

/* The build id among a segment's notes, as a number; 0: none. */
static uint64_t build_id_of(const unsigned char *notes, size_t n) {
    while (n >= sizeof(ElfW(Nhdr))) {
        ElfW(Nhdr) note;
        memcpy(&note, notes, sizeof note);
        size_t name = (note.n_namesz + 3u) & ~(size_t)3, all = sizeof note + name + ((note.n_descsz + 3u) & ~(size_t)3);
        if (all > n)
            return 0;
        if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && memcmp(notes + sizeof note, "GNU", 4) == 0)
            return refrain_saved_sum(1, notes + sizeof note + name, note.n_descsz);
        notes += all;
        n -= all;
    }
    return 0;
}

/* Sets *data to the build id of this ELF object if it contains the replay, whose code and structures determine the
 * states. True ends the search. */
static int look_at_object(struct dl_phdr_info *info, size_t bytes, void *data) {
    const uintptr_t code = (uintptr_t)refrain_saved_state_load;
    uint64_t *build = data, found = 0;
    bool is_it = false;
    (void)bytes;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *segment = &info->dlpi_phdr[i];
        const uintptr_t begin = info->dlpi_addr + segment->p_vaddr;
        is_it |= segment->p_type == PT_LOAD && code >= begin && code - begin < segment->p_memsz;
        if (segment->p_type == PT_NOTE && !found)
            found = build_id_of((const unsigned char *)begin, segment->p_memsz);
    }
    if (is_it)
        *build = found;
    return is_it;
}

/* Identifies this build of refrain, since no other build can use its states. 0: unknown; then no states are used. */
static uint64_t build_of_this(void) {
    uint64_t build = 0;
    dl_iterate_phdr(look_at_object, &build);
    return build;
}

/* ---- the directory ---- */

/* Creates a directory and those that it lies in, as far as they are missing. Failures show when a file is opened. */
static void make_directories(char *path) {
    for (char *slash = path; (slash = strchr(slash + 1, '/'));) {
        *slash = 0;
        mkdir(path, 0700);
        *slash = '/';
    }
    mkdir(path, 0700);
}

/* The path of the cache's directory, which is created if `made` is set. Null without a path. The caller frees it. */
static char *directory(bool made) {
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    char *above = NULL, *path = NULL;
    int n = cache && *cache == '/' ? asprintf(&above, "%s", cache)
            : home && *home == '/' ? asprintf(&above, "%s/.cache", home)
                                   : -1;
    if (n < 0)
        return NULL;
    if (asprintf(&path, "%s/refrain", above) < 0)
        path = NULL;
    if (path && made)
        make_directories(path);
    free(above);
    return path;
}

static char *path_of(const struct refrain_trace *trace, bool compensate, bool made) {
    const uint64_t build = build_of_this();
    char *in = build ? directory(made) : NULL, *path = NULL;
    if (in && asprintf(&path, "%s/%016" PRIx64 SUFFIX, in, refrain_saved_states_key(trace, build, compensate)) < 0)
        path = NULL;
    free(in);
    return path;
}

/* ---- using them ---- */

/* Maps the file. Null if it does not exist, or if it belongs to another user or others may write it. */
static void *map(const char *path, size_t *n) {
    struct stat status;
    void *bytes = NULL;
    int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (file < 0)
        return NULL;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && status.st_uid == geteuid() &&
        !(status.st_mode & (S_IWGRP | S_IWOTH)) && status.st_size > 0) {
        *n = (size_t)status.st_size;
        bytes = mmap(NULL, *n, PROT_READ, MAP_PRIVATE, file, 0);
    }
    close(file);
    return bytes == MAP_FAILED ? NULL : bytes;
}

/* Lets the trace's cursors use the states in the file, if it exists. The mapping then stays until the program ends. */
static void use_file(struct refrain_trace *trace, bool compensate, const char *path) {
    size_t n;
    void *bytes = map(path, &n);
    if (!bytes || refrain_saved_states_use(trace, build_of_this(), compensate, bytes, n))
        return;
    munmap(bytes, n);
    refrain_warn("%s is damaged and not used: refrain index makes it anew", path);
}

/* ---- storing them ---- */

/* The path of the oldest file of states in a directory; *all: total bytes of all such files. Null if there is none. */
static char *oldest_of(const char *in, uint64_t *all) {
    DIR *files = opendir(in);
    char *oldest = NULL;
    struct timespec since = {0, 0};
    *all = 0;
    for (struct dirent *entry; files && (entry = readdir(files));) {
        struct stat status;
        const char *dot = strrchr(entry->d_name, '.');
        if (!dot || strcmp(dot, SUFFIX) != 0 || fstatat(dirfd(files), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0)
            continue;
        *all += (uint64_t)status.st_size;
        const struct timespec *time = &status.st_mtim;
        if (oldest && (time->tv_sec != since.tv_sec ? time->tv_sec > since.tv_sec : time->tv_nsec >= since.tv_nsec))
            continue;
        since = *time;
        free(oldest);
        if (asprintf(&oldest, "%s/%s", in, entry->d_name) < 0)
            oldest = NULL;
    }
    if (files)
        closedir(files);
    return oldest;
}

/* Deletes temporary files (KEY.states.PID) of processes that were killed while they wrote them. Writing takes seconds.
 * The process may be one of another node. */
static void delete_left(const char *in) {
    DIR *files = opendir(in);
    for (struct dirent *entry; files && (entry = readdir(files));) {
        struct stat status;
        if (strstr(entry->d_name, SUFFIX ".") &&
            fstatat(dirfd(files), entry->d_name, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
            time(NULL) - status.st_mtime > MOST_WRITING_S)
            unlinkat(dirfd(files), entry->d_name, 0);
    }
    if (files)
        closedir(files);
}

/* Deletes the oldest files until all files together have at most REFRAIN_INDEX_ALL_BYTES, but never `path`. */
static void bound(const char *path) {
    char *in = directory(false), *oldest = NULL;
    uint64_t all;
    if (in)
        delete_left(in);
    while (in && (oldest = oldest_of(in, &all)) && all > REFRAIN_INDEX_ALL_BYTES && strcmp(oldest, path) != 0 &&
           unlink(oldest) == 0) {
        free(oldest);
        oldest = NULL;
    }
    free(oldest);
    free(in);
}

static bool write_file(const char *path, const void *bytes, size_t n) {
    char *beside = NULL;
    if (asprintf(&beside, "%s.%ld", path, (long)getpid()) < 0)
        return false;
    unlink(beside); /* of a killed process that had this number */
    int file = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    bool whole = file >= 0 && refrain_write_all(file, bytes, n);
    whole = (file < 0 || close(file) == 0) && whole && rename(beside, path) == 0;
    if (!whole && file >= 0) {
        int why = errno;
        unlink(beside);
        errno = why;
    }
    free(beside);
    return whole;
}

static enum refrain_status store(const struct refrain_trace *trace, bool compensate, const void *bytes, size_t n,
                                 char **path, struct refrain_error *error) {
    *path = path_of(trace, compensate, true);
    if (!*path)
        return REFRAIN_FAIL(error, "there is no place for an index: set XDG_CACHE_HOME or HOME to a directory");
    if (!write_file(*path, bytes, n))
        return REFRAIN_FAIL(error, "%s: cannot be written: %s", *path, strerror(errno));
    bound(*path);
    return REFRAIN_OK;
}

bool refrain_index_remove(const struct refrain_trace *trace, bool compensate) {
    char *path = path_of(trace, compensate, false);
    bool removed = path && unlink(path) == 0;
    free(path);
    return removed;
}

/* ---- making them ---- */

/* Opens the trace twice, with equal contents in memory. A first opening may look up names and store them, so it is
 * closed again: both later ones read the stored names. */
static enum refrain_status open_both(const char *path, struct refrain_trace **one, struct refrain_trace **other,
                                     struct refrain_error *error) {
    enum refrain_status status = refrain_trace_open(path, true, other, error);
    if (status)
        return status;
    refrain_trace_close(*other);
    status = refrain_trace_open(path, true, one, error);
    if (status)
        return status;
    status = refrain_trace_open(path, true, other, error);
    if (status)
        refrain_trace_close(*one);
    return status;
}

static enum refrain_status make(struct refrain_trace *one, struct refrain_trace *other, bool compensate,
                                struct refrain_index_made *made, struct refrain_error *error) {
    unsigned threads = 2;
    struct refrain_saved_states_options how = {.build = build_of_this(),
                                               .compensate = compensate,
                                               .follower = &refrain_picture_follower,
                                               .each = refrain_job_threads,
                                               .of_each = &threads,
                                               .most_bytes = REFRAIN_INDEX_BYTES};
    unsigned char *bytes;
    if (!how.build)
        return REFRAIN_FAIL(error, "this refrain has no build id to tell its indexes by: link it with -Wl,--build-id");
    enum refrain_status status = refrain_saved_states_make(one, other, &how, &bytes, &made->bytes, error);
    if (!status && !bytes)
        status = REFRAIN_FAIL(error,
                              "%s: two replays do not agree, so no index is made: if it still runs, make one when "
                              "it is over",
                              one->path);
    if (!status)
        status = store(one, compensate, bytes, made->bytes, &made->path, error);
    if (!status)
        made->states = refrain_saved_states_count(bytes, &made->events);
    free(bytes);
    return status;
}

enum refrain_status refrain_index_make(const char *path, bool compensate, struct refrain_index_made *made,
                                       struct refrain_error *error) {
    struct refrain_trace *one, *other;
    *made = (struct refrain_index_made){0};
    enum refrain_status status = open_both(path, &one, &other, error);
    if (status)
        return status;
    status = refrain_replayable(one, false, error);
    if (!status)
        status = make(one, other, compensate, made, error);
    refrain_trace_close(one);
    refrain_trace_close(other);
    return status;
}

/* ---- on first use ---- */

static double seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

/* Makes an index for later windows, if the whole run (an estimated number of `events`) is not too long. */
static void make_on_use(const struct refrain_trace *trace, bool compensate, double events) {
    const double began = seconds();
    struct refrain_index_made made;
    struct refrain_error error = {0};
    if (events > MOST_EVENTS) {
        refrain_warn("what lies before the window was replayed first; after refrain index %s windows begin at once",
                     trace->path);
        return;
    }
    enum refrain_status status = refrain_index_make(trace->path, compensate, &made, &error);
    free(made.path);
    if (!status && seconds() - began > 2)
        refrain_warn("%s has an index now, from which windows begin at once (refrain index --remove removes it)",
                     trace->path);
}

void refrain_index_keep(struct refrain_trace *trace, bool compensate, int64_t time_ns, uint64_t passed) {
    static const struct refrain_trace *tried[2];
    if (passed >= LEAST_EVENTS)
        make_on_use(trace, compensate, (double)passed * (double)refrain_trace_end_ns(trace) / (double)time_ns);
    if (passed || tried[compensate] == trace)
        return;
    tried[compensate] = trace;
    char *path = path_of(trace, compensate, false);
    if (path)
        use_file(trace, compensate, path);
    free(path);
}
