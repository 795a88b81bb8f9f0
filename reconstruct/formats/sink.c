/* sink.c: a buffered output file (sink.h). */
#define _GNU_SOURCE
#include "formats/sink.h"
#include "common/path.h"
#include "formats/decimal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- opening ---- */

/* Opens a new file in the directory of `path`: without a name if possible, else with the name in sink->temporary. */
static int open_temporary(struct refrain_sink *sink, mode_t mode) {
    const size_t within = refrain_directory_bytes(sink->path);
    char *directory = within ? strndup(sink->path, within) : strdup(".");
    int file = directory ? open(directory, O_TMPFILE | O_RDWR | O_CLOEXEC, mode & 0777) : -1;
    sink->unnamed = file >= 0;
    free(directory);
    if (file >= 0)
        return file;
    if (asprintf(&sink->temporary, "%s.%ld", sink->path, (long)getpid()) < 0) {
        sink->temporary = NULL;
        errno = ENOMEM;
        return -1;
    }
    file = open(sink->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode & 0777);
    if (file < 0) {
        free(sink->temporary);
        sink->temporary = NULL;
    }
    return file;
}

static enum refrain_status open_file(struct refrain_sink *sink, bool force, struct refrain_error *error) {
    struct stat status;
    bool exists = stat(sink->path, &status) == 0;
    if (exists && S_ISDIR(status.st_mode))
        return REFRAIN_FAIL(error, "%s: is a directory; this format is a file", sink->path);
    if (exists && !force)
        return REFRAIN_FAIL(error, "%s: exists; --force overwrites it", sink->path);
    sink->force = force;
    sink->file = !exists || S_ISREG(status.st_mode) ? open_temporary(sink, exists ? status.st_mode : 0666)
                                                    : open(sink->path, O_WRONLY | O_CLOEXEC);
    return sink->file >= 0 ? REFRAIN_OK : REFRAIN_FAIL(error, "%s: cannot be written: %s", sink->path, strerror(errno));
}

/* Gives the complete file its name. False with errno after a failure. */
static bool give_name(struct refrain_sink *sink) {
    char unnamed[64];
    if (!sink->unnamed)
        return sink->force ? rename(sink->temporary, sink->path) == 0
                           : link(sink->temporary, sink->path) == 0 && unlink(sink->temporary) == 0;
    snprintf(unnamed, sizeof unnamed, "/proc/self/fd/%d", sink->file);
    if (linkat(AT_FDCWD, unnamed, AT_FDCWD, sink->path, AT_SYMLINK_FOLLOW) == 0)
        return true;
    if (errno != EEXIST || !sink->force || asprintf(&sink->temporary, "%s.%ld", sink->path, (long)getpid()) < 0)
        return false;
    return linkat(AT_FDCWD, unnamed, AT_FDCWD, sink->temporary, AT_SYMLINK_FOLLOW) == 0 &&
           rename(sink->temporary, sink->path) == 0;
}

static void free_sink(struct refrain_sink *sink) {
    free(sink->buffer);
    free(sink->path);
    free(sink->temporary);
    free(sink);
}

enum refrain_status refrain_sink_open(const char *path, bool force, struct refrain_sink **result,
                                      struct refrain_error *error) {
    struct refrain_sink *sink = calloc(1, sizeof *sink);
    *result = NULL;
    if (!sink)
        return REFRAIN_FAIL_MEMORY(error);
    sink->file = STDOUT_FILENO;
    sink->copy_to = -1;
    sink->buffer = malloc(REFRAIN_SINK_BYTES);
    bool named = path && strcmp(path, "-") != 0;
    if (named)
        sink->path = strdup(path);
    enum refrain_status status = REFRAIN_OK;
    if (!sink->buffer || (named && !sink->path))
        status = REFRAIN_FAIL_MEMORY(error);
    else if (named)
        status = open_file(sink, force, error);
    if (status) {
        free_sink(sink);
        return status;
    }
    sink->at = sink->buffer;
    sink->end = sink->buffer + REFRAIN_SINK_BYTES;
    *result = sink;
    return REFRAIN_OK;
}

struct refrain_sink *refrain_sink_open_function(bool (*receive)(void *data, const void *bytes, size_t n), void *data) {
    struct refrain_sink *sink = NULL;
    if (refrain_sink_open(NULL, false, &sink, NULL) == REFRAIN_OK) {
        sink->receive = receive;
        sink->data = data;
    }
    return sink;
}

/* ---- writing ---- */

static void write_all(struct refrain_sink *sink, const unsigned char *bytes, size_t n) {
    if (sink->receive && n > 0 && !sink->failed) {
        sink->failed = sink->receive(sink->data, bytes, n) ? 0 : ECANCELED;
        return;
    }
    while (n > 0 && !sink->failed) {
        ssize_t done = write(sink->file, bytes, n);
        if (done < 0 && errno == EINTR)
            continue;
        if (done < 0) {
            sink->failed = errno;
            return;
        }
        bytes += done;
        n -= (size_t)done;
    }
}

void refrain_sink_flush(struct refrain_sink *sink) {
    write_all(sink, sink->buffer, (size_t)(sink->at - sink->buffer));
    sink->flushed += (uint64_t)(sink->at - sink->buffer);
    sink->at = sink->buffer;
}

void refrain_sink_put_beyond(struct refrain_sink *sink, const void *bytes, size_t n) {
    refrain_sink_flush(sink);
    if (n > REFRAIN_SINK_BYTES) {
        write_all(sink, bytes, n);
        sink->flushed += n;
        return;
    }
    memcpy(sink->at, bytes, n);
    sink->at += n;
}

/* ---- reading back, and closing ---- */

bool refrain_sink_read(struct refrain_sink *sink, uint64_t position, void *bytes, size_t n) {
    unsigned char *to = bytes;
    refrain_sink_flush(sink);
    while (n > 0 && !sink->failed) {
        ssize_t got = pread(sink->file, to, n, (off_t)position);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0) {
            sink->failed = got < 0 ? errno : EIO;
            break;
        }
        to += got;
        position += (uint64_t)got;
        n -= (size_t)got;
    }
    return !sink->failed;
}

/* Copies a spool to sink->copy_to. The first failure is kept. */
static void copy_spool(struct refrain_sink *sink) {
    unsigned char *buffer = sink->buffer;
    for (uint64_t position = 0; position < sink->flushed && !sink->failed;) {
        size_t n =
            sink->flushed - position < REFRAIN_SINK_BYTES ? (size_t)(sink->flushed - position) : REFRAIN_SINK_BYTES;
        if (!refrain_sink_read(sink, position, buffer, n))
            return;
        position += n;
        for (size_t at = 0; at < n && !sink->failed;) {
            ssize_t done = write(sink->copy_to, buffer + at, n - at);
            if (done < 0 && errno != EINTR)
                sink->failed = errno;
            at += done > 0 ? (size_t)done : 0;
        }
    }
}

enum refrain_status refrain_sink_close(struct refrain_sink *sink, bool keep, struct refrain_error *error) {
    enum refrain_status status = REFRAIN_OK;
    refrain_sink_flush(sink);
    if (sink->spool && keep && sink->copy_to >= 0)
        copy_spool(sink);
    if ((sink->unnamed || sink->temporary) && keep && !sink->failed && !give_name(sink))
        sink->failed = errno;
    if (sink->temporary && (sink->failed || !keep))
        unlink(sink->temporary);
    if ((sink->path || sink->spool) && close(sink->file) != 0 && !sink->failed)
        sink->failed = errno;
    if (sink->copy_to > STDERR_FILENO && close(sink->copy_to) != 0 && !sink->failed)
        sink->failed = errno;
    if (sink->failed)
        status = REFRAIN_FAIL(error, "%s cannot be written: %s",
                              sink->path                         ? sink->path
                              : sink->spool && sink->copy_to < 0 ? "a temporary file"
                                                                 : "standard output",
                              strerror(sink->failed));
    free_sink(sink);
    return status;
}

/* ---- numbers, names and other text ---- */

void refrain_sink_put_number(struct refrain_sink *sink, uint64_t value) {
    refrain_sink_reserve(sink, REFRAIN_DECIMAL_BYTES + REFRAIN_BEYOND);
    sink->at = refrain_put_unsigned(sink->at, value);
}

void refrain_sink_put_digits(struct refrain_sink *sink, uint64_t value, unsigned digits) {
    refrain_sink_reserve(sink, digits);
    unsigned at = digits;
    for (; at >= 2; value /= 100)
        memcpy(sink->at + (at -= 2), &refrain_digit_pairs[value % 100 * 2], 2);
    if (at == 1)
        sink->at[0] = (unsigned char)('0' + value % 10);
    sink->at += digits;
}

size_t refrain_escape_name(char *to, const char *name) {
    static const char hexadecimal[] = "0123456789abcdef";
    size_t n = 0;
    for (const char *p = name; *p; p++) {
        unsigned char c = (unsigned char)*p;
        if (c >= ' ' && c != 127 && c != '\\') {
            to[n++] = (char)c;
            continue;
        }
        to[n++] = '\\';
        if (c == '\\' || c == '\t' || c == '\n') {
            to[n++] = c == '\t' ? 't' : c == '\n' ? 'n' : '\\';
        } else {
            to[n++] = 'x';
            to[n++] = hexadecimal[c >> 4];
            to[n++] = hexadecimal[c & 15];
        }
    }
    return n;
}

void refrain_sink_put_name(struct refrain_sink *sink, const char *name) {
    char one[2] = "", escaped[4];
    for (; *name; name++) {
        one[0] = *name;
        refrain_sink_put_bytes(sink, escaped, refrain_escape_name(escaped, one));
    }
}

void refrain_sink_printf(struct refrain_sink *sink, const char *format, ...) {
    char text[1024], *longer = NULL;
    va_list arguments;
    va_start(arguments, format);
    int n = vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (n >= (int)sizeof text) {
        va_start(arguments, format);
        n = vasprintf(&longer, format, arguments);
        va_end(arguments);
    }
    if (n < 0)
        sink->failed = sink->failed ? sink->failed : ENOMEM;
    else
        refrain_sink_put_bytes(sink, longer ? longer : text, (size_t)n);
    free(longer);
}
