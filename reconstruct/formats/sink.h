/* sink.h: the file that a format is written to, through a buffer of its own (writers -> file).
 *
 *     put text and numbers -> [buffer] -> standard output, a device, or a new file that gets its name at the end
 *
 * A file is there whole or not at all. Until it is closed it has no name or, where the file system cannot do that, the
 * name "<path>.<process>". So a process that is killed leaves nothing under the name that was asked for.
 *
 * After the first failure the sink keeps its errno and drops all further bytes, so a writer need not check each call. A
 * sink is used by one thread. */
#ifndef REFRAIN_SINK_H
#define REFRAIN_SINK_H

#include "common/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REFRAIN_SINK_BYTES ((size_t)256 << 10)

struct refrain_sink {
    unsigned char *at, *end; /* where the next byte goes, and the end of the buffer */
    unsigned char *buffer;
    int file;
    bool (*take)(void *data, const void *bytes, size_t n); /* null: `file` is written to */
    void *data;
    uint64_t flushed; /* bytes that have left the buffer */
    int failed;       /* errno of the first write that did not succeed */
    bool unnamed;     /* the file has no name until it is whole */
    bool spool;       /* the file has no name, ever */
    int copy_to;      /* where a spool is copied to when it is closed; -1: nowhere */
    bool force;       /* what `path` names may be replaced */
    char *path;       /* null: standard output, or a spool beside nothing */
    char *instead;    /* name of what is written until it takes the place of `path`; null: none, or `path` itself */
};

/* Opens `path` (null or "-": standard output). Without `force` a file that exists is an error. With `force` it is
 * replaced when the sink is closed, and stays as it is if that never happens. */
enum refrain_status refrain_sink_open(const char *path, bool force, struct refrain_sink **sink,
                                      struct refrain_error *error);

/* A sink whose bytes go to `take`, in pieces of any length; false from it ends the writing. Null without memory. */
struct refrain_sink *refrain_sink_open_function(bool (*take)(void *data, const void *bytes, size_t n), void *data);

/* A sink of bytes that can be written over until it is closed. What cannot be written over itself, standard output or a
 * pipe, is written from a temporary file when the sink is closed. */
enum refrain_status refrain_sink_open_patchable(const char *path, bool force, struct refrain_sink **sink,
                                                struct refrain_error *error);

/* A temporary file that can be written over and read, in the directory of `beside` (null or "-": TMPDIR or /tmp). It
 * has no name, so that it is gone in any case when it is closed or the process ends. */
enum refrain_status refrain_sink_open_spool(const char *beside, struct refrain_sink **sink,
                                            struct refrain_error *error);

/* Bytes put so far. */
static inline uint64_t refrain_sink_position(const struct refrain_sink *sink) {
    return sink->flushed + (uint64_t)(sink->at - sink->buffer);
}

/* Writes over `n` bytes that have been put, of a patchable sink or a spool. */
void refrain_sink_patch(struct refrain_sink *sink, uint64_t position, const void *bytes, size_t n);

/* Reads `n` bytes that have been put to a spool; false: the sink has failed. */
bool refrain_sink_read(struct refrain_sink *sink, uint64_t position, void *bytes, size_t n);

/* Writes out what is buffered. */
void refrain_sink_flush(struct refrain_sink *sink);

/* Writes out the rest and frees the sink. The error names the file and says what could not be done. Without
 * `keep`, or where not all could be written, the new file is removed and what it was to replace stays. */
enum refrain_status refrain_sink_close(struct refrain_sink *sink, bool keep, struct refrain_error *error);

/* Room for `bytes` bytes, at most REFRAIN_SINK_BYTES, from sink->at on. */
static inline void refrain_sink_reserve(struct refrain_sink *sink, size_t bytes) {
    if ((size_t)(sink->end - sink->at) < bytes)
        refrain_sink_flush(sink);
}

/* What refrain_sink_put_bytes() does where there is no room for them. */
void refrain_sink_put_beyond(struct refrain_sink *sink, const void *bytes, size_t n);

/* Any number of bytes. */
static inline void refrain_sink_put_bytes(struct refrain_sink *sink, const void *bytes, size_t n) {
    if (__builtin_expect(n > (size_t)(sink->end - sink->at), 0)) {
        refrain_sink_put_beyond(sink, bytes, n);
        return;
    }
    memcpy(sink->at, bytes, n);
    sink->at += n;
}

static inline void refrain_sink_put_char(struct refrain_sink *sink, char c) {
    refrain_sink_reserve(sink, 1);
    *sink->at++ = (unsigned char)c;
}

static inline void refrain_sink_put_text(struct refrain_sink *sink, const char *text) {
    refrain_sink_put_bytes(sink, text, strlen(text));
}

/* Decimal, of any number of digits. */
void refrain_sink_put_number(struct refrain_sink *sink, uint64_t value);

/* Decimal; most are of one digit. */
static inline void refrain_sink_put_unsigned(struct refrain_sink *sink, uint64_t value) {
    if (value < 10)
        refrain_sink_put_char(sink, (char)('0' + value));
    else
        refrain_sink_put_number(sink, value);
}

static inline void refrain_sink_put_signed(struct refrain_sink *sink, int64_t value) {
    if (value < 0)
        refrain_sink_put_char(sink, '-');
    refrain_sink_put_unsigned(sink, value < 0 ? -(uint64_t)value : (uint64_t)value);
}

/* Decimal with exactly `digits` digits, at most 19, zeros in front; higher digits of the value are left out. */
void refrain_sink_put_digits(struct refrain_sink *sink, uint64_t value, unsigned digits);

/* A name as text that keeps to its line and field: control characters as \t, \n or \xNN, a backslash doubled. At most
 * four times as long, not terminated; returns how many bytes. */
size_t refrain_escape_name(char *to, const char *name);
void refrain_sink_put_name(struct refrain_sink *sink, const char *name);

/* printf into the sink, for what is not written once an event. */
void refrain_sink_printf(struct refrain_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
