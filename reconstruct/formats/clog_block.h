/* clog_block.h: common to CLOG and CLOG-2: big-endian records in blocks of 64 KB (write_clog.c, write_clog2.c).
 *
 *     [record] [record] ... [end of block] ...zeros   [record] ... [end of log] ...zeros
 *
 * Both define a state by two event types: first + 2 i and first + 2 i + 1 for region i. The unknown region comes
 * after the others. */
#ifndef REFRAIN_CLOG_BLOCK_H
#define REFRAIN_CLOG_BLOCK_H

#include "formats/shortened.h"
#include "formats/sink.h"

#define REFRAIN_CLOG_BLOCK_BYTES 65536u
#define REFRAIN_CLOG_HEADER_BYTES 24u

enum { REFRAIN_CLOG_SEND = -101, REFRAIN_CLOG_RECV = -102 };

struct refrain_clog_blocks {
    struct refrain_sink *out;
    size_t used;  /* of the block */
    uint64_t cut; /* numbers that were too large for their field */
    struct refrain_shortened shortened;
    /* Writes the header of the record that ends a block or the log. */
    void (*end)(struct refrain_clog_blocks *blocks, bool of_log);
};

/* Makes room in the block for a record of this size. */
void refrain_clog_room(struct refrain_clog_blocks *blocks, size_t bytes);
/* Ends the log. */
void refrain_clog_finish(struct refrain_clog_blocks *blocks);

/* The value limited to 4 bytes. */
int32_t refrain_clog_clamp(int64_t value);
void refrain_clog_int(struct refrain_clog_blocks *blocks, int64_t value);  /* 4 bytes; counts values that do not fit */
void refrain_clog_long(struct refrain_clog_blocks *blocks, int64_t value); /* 8 bytes */
void refrain_clog_double(struct refrain_clog_blocks *blocks, double value);
/* Writes text in a field of this size, ended by a zero. `name`: the text lives as long as the trace, and is reported
 * if it does not fit. */
void refrain_clog_text(struct refrain_clog_blocks *blocks, const char *text, size_t bytes, bool name);
/* As refrain_clog_text(), for a path, of which the end is kept. */
void refrain_clog_path(struct refrain_clog_blocks *blocks, const char *path, size_t bytes);

/* Reports texts and numbers that did not fit. */
void refrain_clog_warn(const struct refrain_clog_blocks *blocks, const char *format);

/* The X11 name of a colour for state i. */
const char *refrain_clog_colour(size_t i);

#endif
