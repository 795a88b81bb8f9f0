/* names_store.c: reads names of code addresses from a trace, and writes them (names_store.h). A complete new file
 * replaces the old one, so that readers at the same time find one or the other. */
#define _GNU_SOURCE
#include "files/names_store.h"
#include "common/path.h"
#include "files/names_file.h"
#include "model/trace_parts.h"
#include "packed/packed_ranks.h"
#include <refrain/write_all.h>

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COPY_BYTES ((size_t)1 << 16)

static bool is_pack(const struct refrain_trace *trace) {
    return trace->pack_bytes > 0;
}

/* Path of the pack, with links resolved, or of the names file beside the files of the ranks. False if it is too
 * long. */
static bool place(const struct refrain_trace *trace, char path[PATH_MAX]) {
    struct stat status;
    const size_t bytes = PATH_MAX;
    int n;
    if (is_pack(trace))
        return realpath(trace->path, path);
    if (stat(trace->path, &status) == 0 && S_ISDIR(status.st_mode))
        n = snprintf(path, bytes, "%s/" REFRAIN_NAMES_FILE_NAME, trace->path);
    else
        n = snprintf(path, bytes, "%.*s" REFRAIN_NAMES_FILE_NAME, (int)refrain_directory_bytes(trace->path),
                     trace->path);
    return n > 0 && (size_t)n < bytes;
}

/* ---- loading ---- */

/* Position of the names in the file. False if there are none. */
static bool range(const struct refrain_trace *trace, int fd, off_t *at, size_t *n) {
    struct stat status;
    struct refrain_ranks_header header;
    if (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))
        return false;
    uint64_t names = (uint64_t)status.st_size;
    if (is_pack(trace)) {
        if (pread(fd, &header, sizeof header, 0) != (ssize_t)sizeof header)
            return false;
        names = header.names_bytes;
    }
    if (names == 0 || names > REFRAIN_NAMES_MOST_BYTES || names > (uint64_t)status.st_size)
        return false;
    *n = (size_t)names;
    *at = status.st_size - (off_t)names;
    return true;
}

const unsigned char *refrain_names_load(struct refrain_trace *trace, size_t *n) {
    char path[PATH_MAX];
    off_t at;
    int fd = place(trace, path) ? open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK) : -1;
    unsigned char *bytes = NULL;
    if (fd >= 0 && range(trace, fd, &at, n) && (bytes = refrain_trace_allocate(trace, *n, 1)) &&
        pread(fd, bytes, *n, at) != (ssize_t)*n)
        bytes = NULL;
    if (fd >= 0)
        close(fd);
    return bytes;
}

/* ---- storing ---- */

/* Copies a pack without its names, with a header for `n` bytes of names. */
static bool copy_pack(const char *path, int to, size_t n) {
    unsigned char buffer[COPY_BYTES];
    struct refrain_ranks_header header;
    struct stat status;
    int from = open(path, O_RDONLY | O_CLOEXEC);
    bool done = from >= 0 && fstat(from, &status) == 0 &&
                pread(from, &header, sizeof header, 0) == (ssize_t)sizeof header &&
                header.names_bytes <= (uint64_t)status.st_size;
    uint64_t left = done ? (uint64_t)status.st_size - header.names_bytes : 0;
    header.names_bytes = n;
    done = done && left >= sizeof header && refrain_write_all(to, (const unsigned char *)&header, sizeof header) &&
           lseek(from, sizeof header, SEEK_SET) >= 0;
    for (left -= sizeof header; done && left > 0;) {
        ssize_t got = read(from, buffer, left < sizeof buffer ? (size_t)left : sizeof buffer);
        done = got > 0 && refrain_write_all(to, buffer, (size_t)got);
        left -= done ? (uint64_t)got : 0;
    }
    if (from >= 0)
        close(from);
    return done;
}

/* Gives the new file the permissions and, if possible, the owner of the trace file. */
static void be_like(int fd, const struct refrain_trace *trace) {
    struct stat status;
    const char *path = is_pack(trace) ? trace->path : trace->processes[0].path;
    if (stat(path, &status) != 0)
        return;
    if (fchown(fd, status.st_uid, status.st_gid) != 0 && fchown(fd, (uid_t)-1, status.st_gid) != 0)
        errno = 0; /* it keeps the reader as its owner */
    (void)fchmod(fd, status.st_mode & 0666);
}

static const char *say(struct refrain_trace *trace, const char *path) {
    char *text;
    const char *reason = strerror(errno ? errno : EIO);
    size_t n = strlen(path) + strlen(reason) + 3;
    if ((text = refrain_trace_allocate(trace, n, 1)))
        snprintf(text, n, "%s: %s", path, reason);
    return text ? text : "out of memory";
}

const char *refrain_names_store(struct refrain_trace *trace, const unsigned char *bytes, size_t n) {
    char path[PATH_MAX], beside[PATH_MAX + 32];
    if (!place(trace, path))
        return "its path is too long";
    snprintf(beside, sizeof beside, "%s.%ld", path, (long)getpid());
    errno = 0;
    int fd = open(beside, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    if (fd < 0)
        return say(trace, path);
    be_like(fd, trace);
    bool done = (!is_pack(trace) || copy_pack(path, fd, n)) && refrain_write_all(fd, bytes, n);
    done = close(fd) == 0 && done && rename(beside, path) == 0;
    if (done)
        return NULL;
    const char *reason = say(trace, path);
    unlink(beside);
    return reason;
}
