/* sink.h: a buffered output file of a format (writers -> file).
 *
 *     put text and numbers -> [buffer] -> standard output, a device, or a new file that gets its name at the end
 *
 * A file appears completely or not at all. Until it is closed it has no name or, if the file system cannot do that,
 * the name "<path>.<process>". So a killed process leaves nothing under the requested name.
 *
 * After the first failure the sink keeps its errno and drops all further bytes, so a writer need not check each
 * call. A sink is used by one thread. */
#ifndef REFRAIN_SINK_H
#define REFRAIN_SINK_H

#include "common/error.h"
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define REFRAIN_SINK_BYTES ((size_t)256 << 10)

struct refrain_sink {
    unsigned char *at, *end; /* position of the next byte, and end of the buffer */
    unsigned char *buffer;
    int file;
    bool (*receive)(void *data, const void *bytes, size_t n); /* null: bytes go to `file` */
    void *data;
    uint64_t flushed; /* bytes that have left the buffer */
    int failed;       /* errno of the first failed write */
    bool unnamed;     /* the file has no name until it is complete */
    bool spool;       /* the file never has a name */
    int copy_to;      /* target to which a spool is copied when it is closed; -1: none */
    bool force;       /* an existing file at `path` may be replaced */
    char *path;       /* null: standard output, or a spool in a temporary directory */
    char *temporary;  /* temporary name until the file replaces `path`; null: no name, or `path` itself */
};

/* Opens `path` (null or "-": standard output). Without `force`, an existing file is an error. With `force`, it is
 * replaced when the sink is closed, and stays as it is if that never happens. */
enum refrain_status refrain_sink_open(const char *path, bool force, struct refrain_sink **sink,
                                      struct refrain_error *error);

/* Makes a sink whose bytes go to `receive`, in pieces of any length. If it returns false, writing ends. Null without
 * memory. */
struct refrain_sink *refrain_sink_open_function(bool (*receive)(void *data, const void *bytes, size_t n), void *data);

/* Opens a sink whose bytes can be overwritten until it is closed. Standard output and pipes cannot be overwritten,
 * so they are written from a temporary file when the sink is closed. */
enum refrain_status refrain_sink_open_patchable(const char *path, bool force, struct refrain_sink **sink,
                                                struct refrain_error *error);

/* Opens a temporary file that can be overwritten and read, in the directory of `beside` (null or "-": TMPDIR or
 * /tmp). It has no name, so it disappears when it is closed or the process ends. */
enum refrain_status refrain_sink_open_spool(const char *beside, struct refrain_sink **sink,
                                            struct refrain_error *error);

/* Number of bytes put so far. */
static inline uint64_t refrain_sink_position(const struct refrain_sink *sink) {
    return sink->flushed + (uint64_t)(sink->at - sink->buffer);
}

/* Overwrites `n` bytes of a patchable sink or a spool. */
void refrain_sink_patch(struct refrain_sink *sink, uint64_t position, const void *bytes, size_t n);

/* Reads `n` bytes of a spool. False if the sink has failed. */
bool refrain_sink_read(struct refrain_sink *sink, uint64_t position, void *bytes, size_t n);

/* Writes the contents of the buffer. */
void refrain_sink_flush(struct refrain_sink *sink);

/* Writes the rest and frees the sink. The error names the file and what failed. If `keep` is false, or something
 * could not be written, the new file is removed, and an existing one stays. */
enum refrain_status refrain_sink_close(struct refrain_sink *sink, bool keep, struct refrain_error *error);

/* Makes room for `bytes` bytes, at most REFRAIN_SINK_BYTES, at sink->at. */
static inline void refrain_sink_reserve(struct refrain_sink *sink, size_t bytes) {
    if ((size_t)(sink->end - sink->at) < bytes)
        refrain_sink_flush(sink);
}

/* Slow path of refrain_sink_put_bytes(): the buffer has no room. */
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

/* Decimal, any number of digits. */
void refrain_sink_put_number(struct refrain_sink *sink, uint64_t value);

/* Decimal; fast for one digit. */
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

/* Decimal with exactly `digits` digits, at most 19, with leading zeros; higher digits are dropped. */
void refrain_sink_put_digits(struct refrain_sink *sink, uint64_t value, unsigned digits);

/* Writes a name as text on one line and in one field: control characters as \t, \n or \xNN, a backslash doubled. The
 * result has at most four times as many bytes and is not terminated; returns its length. */
size_t refrain_escape_name(char *to, const char *name);
void refrain_sink_put_name(struct refrain_sink *sink, const char *name);

/* As printf, for text that is not written for every event. */
void refrain_sink_printf(struct refrain_sink *sink, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
