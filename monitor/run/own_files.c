/* own_files.c: makes, moves and removes the files of this process (own_files.h). */
#define _GNU_SOURCE
#include "run/own_files.h"
#include "events.h"
#include "run/configure.h"
#include "run/describe.h"
#include "run/pool.h"
#include "run/reserve.h"
#include "run/tracing.h"
#include <refrain/trace.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES REFRAIN_PATH_BYTES
#define TOUCHED_PIECES 64u /* pages written by one system call */

static char own_directory[PATH_BYTES + 64]; /* the directory of the files, absolute */
static char own_file[PATH_BYTES + 128];     /* the trace file, absolute */
static bool has_events;

void refrain_say_untraced(const char *what, const char *path, int error) {
    refrain_say("%s %s: %s; the program runs untraced (see REFRAIN_DIRECTORY, REFRAIN_TOTAL_MEMORY)", what, path,
                strerror(error));
}

/* ---- making ---- */

/* Makes a new directory: `stem`, or if that exists stem-2, stem-3 ... */
static bool make_directory(const char *stem, char *path, size_t bytes) {
    for (int i = 1; i < 10000; i++) {
        int n = i == 1 ? snprintf(path, bytes, "%s" REFRAIN_TRACE_SUFFIX, stem)
                       : snprintf(path, bytes, "%s-%d" REFRAIN_TRACE_SUFFIX, stem, i);
        if (n < 0 || (size_t)n >= bytes) {
            errno = ENAMETOOLONG;
            return false;
        }
        if (mkdir(path, 0777) == 0)
            return true;
        if (errno != EEXIST)
            return false;
    }
    return false;
}

static void directory_stem(char *stem, size_t bytes, bool with_pid) {
    char executable[PATH_BYTES], date[32];
    const char *name = refrain_executable_name(executable, sizeof executable);
    time_t now = time(NULL);
    struct tm local;
    localtime_r(&now, &local);
    strftime(date, sizeof date, "%Y%m%d-%H%M%S", &local);
    int n = snprintf(stem, bytes, "%.3000s/%.200s-%s", refrain_configuration.directory, name, date);
    if (with_pid)
        snprintf(stem + n, bytes - (size_t)n, ".%d", (int)getpid());
}

/* Writes zeros over the zeros of a new file. The system then provides many pages at once. The first store to such a
 * page in the mapping takes a fourth of the time that it takes otherwise. */
static void touch(int fd, uint64_t bytes) {
    static unsigned char zeroes[4096];
    struct iovec pieces[TOUCHED_PIECES];
    for (unsigned i = 0; i < TOUCHED_PIECES; i++)
        pieces[i] = (struct iovec){zeroes, sizeof zeroes};
    for (uint64_t at = 0; at < bytes; at += sizeof zeroes * TOUCHED_PIECES) {
        uint64_t n = (bytes - at) / sizeof zeroes;
        if (pwritev(fd, pieces, n < TOUCHED_PIECES ? (int)n : (int)TOUCHED_PIECES, (off_t)at) <= 0)
            return; /* The pages are then provided one by one. */
    }
}

/* Makes the file, reserves its blocks, maps it, and prepares the first `at_once` bytes for use. Null with errno set. */
static void *map_file(const char *path, uint64_t bytes, uint64_t at_once) {
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        return NULL;
    int error = refrain_reserve(fd, 0, bytes);
    void *base = MAP_FAILED;
    if (error == 0) {
        touch(fd, at_once < bytes ? at_once : bytes);
        base = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = errno;
        /* Nothing can be read ahead from a new file. Some systems try to, and fill megabytes with zeros for it. */
        if (base != MAP_FAILED)
            (void)madvise(base, bytes, MADV_RANDOM);
    }
    close(fd);
    if (base == MAP_FAILED) {
        unlink(path);
        errno = error;
        return NULL;
    }
    return base;
}

void refrain_own_files_remove(void) {
    char path[PATH_BYTES + 128];
    static const char *const names[] = {"rank-unknown.trace", "rank-unknown.events", "rank-0.trace", "rank-0.events"};
    for (unsigned i = 0; i < 4; i++) {
        snprintf(path, sizeof path, "%s/%s", own_directory, names[i]);
        unlink(path);
    }
    rmdir(own_directory);
}

/* Prints why the file cannot be made, according to errno. */
static void say_no_file(const char *path, uint64_t bytes) {
    if (errno == EFBIG)
        refrain_say("the trace has %llu bytes, and no file may be longer than %llu here (ulimit -f); the program runs "
                    "untraced (see REFRAIN_TOTAL_MEMORY)",
                    (unsigned long long)bytes, (unsigned long long)refrain_reserve_limit_bytes());
    else if (errno == ENODEV)
        refrain_say("the file system of %s cannot map a file into the memory of a program, which a trace needs; the "
                    "program runs untraced (see REFRAIN_DIRECTORY)",
                    path);
    else
        refrain_say_untraced("cannot make the trace file", path, errno);
}

void *refrain_own_files_make(uint64_t bytes, uint64_t at_once) {
    char stem[PATH_BYTES];
    directory_stem(stem, sizeof stem, refrain_mpi_linked);
    bool made = make_directory(stem, own_directory, sizeof own_directory);
    if (!made && errno == ENOENT)
        made = refrain_reserve_directory(refrain_configuration.directory) &&
               make_directory(stem, own_directory, sizeof own_directory);
    if (!made) {
        refrain_say_untraced("cannot make a trace directory in", refrain_configuration.directory, errno);
        return NULL;
    }
    snprintf(own_file, sizeof own_file, refrain_mpi_linked ? "%s/rank-unknown.trace" : "%s/rank-0.trace",
             own_directory);
    void *base = map_file(own_file, bytes, at_once);
    if (!base) {
        say_no_file(own_file, bytes);
        refrain_own_files_remove();
    }
    return base;
}

struct refrain_events *refrain_own_files_events(void) {
    int fd = open(own_directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    char name[64];
    snprintf(name, sizeof name, refrain_mpi_linked ? "rank-unknown.events" : REFRAIN_EVENTS_NAME, 0);
    struct refrain_events *events = fd < 0 ? NULL : refrain_events_open(fd, name, refrain_configuration.threads);
    if (fd >= 0)
        close(fd);
    has_events = events != NULL;
    return events;
}

/* ---- where it belongs ---- */

void refrain_directory_propose(char *path, size_t path_bytes) {
    char stem[PATH_BYTES];
    path[0] = 0;
    if (!refrain_trace_file.base)
        return;
    directory_stem(stem, sizeof stem, false);
    if (!make_directory(stem, path, path_bytes))
        path[0] = 0;
}

void refrain_trace_file_move(int rank, int size, const char *directory) {
    if (!refrain_trace_file.base)
        return;
    refrain_trace_file.header->rank = rank;
    refrain_trace_file.header->size = size;
    refrain_trace_file_refresh_clock();
    if (!directory[0])
        return; /* Rank 0 is not traced, so the files stay in a directory of their own. */
    char from[PATH_BYTES + 128], to[PATH_BYTES + 128], name[64];
    snprintf(from, sizeof from, "%s/rank-unknown.trace", own_directory);
    snprintf(name, sizeof name, REFRAIN_TRACE_FILE_NAME, rank);
    snprintf(to, sizeof to, "%s/%s", directory, name);
    int moved = rename(from, to);
    if (moved != 0 &&
        errno ==
            ENOENT) { /* Rank 0 has made the directory, but a node with a file system of its own does not have it. */
        if (mkdir(directory, 0777) == 0 || errno == EEXIST)
            moved = rename(from, to);
    }
    if (moved != 0) {
        refrain_say_untraced("cannot move the trace to", to, errno);
        return;
    }
    snprintf(own_file, sizeof own_file, "%s", to);
    if (has_events) {
        snprintf(from, sizeof from, "%s/rank-unknown.events", own_directory);
        snprintf(name, sizeof name, REFRAIN_EVENTS_NAME, rank);
        snprintf(to, sizeof to, "%s/%s", directory, name);
        if (rename(from, to) != 0)
            refrain_say_untraced("cannot move the events to", to, errno);
    }
    rmdir(own_directory);
    snprintf(own_directory, sizeof own_directory, "%s", directory);
}

const char *refrain_own_files_directory(void) {
    return own_directory;
}

const char *refrain_own_files_trace_file(void) {
    return own_file;
}

void refrain_own_files_drop(bool last) {
    char names[PATH_BYTES + 128];
    unlink(own_file);
    if (!last)
        return;
    snprintf(names, sizeof names, "%s/" REFRAIN_NAMES_FILE_NAME, own_directory);
    unlink(names); /* A reader may have stored it while the job ran. */
    rmdir(own_directory);
}
