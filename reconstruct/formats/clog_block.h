/* clog_block.h: what CLOG and CLOG-2 have in common: big-endian records in blocks of 64 KB (write_clog.c,
 * write_clog2.c).
 *
 *     [record] [record] ... [end of block] ...zeros   [record] ... [end of log] ...zeros
 *
 * Both have state definitions with two event types each: 2 i + first and 2 i + 1 + first for region i, an unknown one
 * behind the others. */
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
    uint64_t cut; /* numbers that are larger than their field */
    struct refrain_shortened shortened;
    /* Writes the header of a record that ends a block or the log. */
    void (*end)(struct refrain_clog_blocks *blocks, bool of_log);
};

/* Makes room in the block for a record of so many bytes. */
void refrain_clog_room(struct refrain_clog_blocks *blocks, size_t bytes);
/* Ends the log. */
void refrain_clog_finish(struct refrain_clog_blocks *blocks);

/* A number as 4 bytes hold it: a larger one becomes the largest. */
int32_t refrain_clog_fitting(int64_t value);
void refrain_clog_int(struct refrain_clog_blocks *blocks, int64_t value);  /* 4 bytes; counts those that do not fit */
void refrain_clog_long(struct refrain_clog_blocks *blocks, int64_t value); /* 8 bytes */
void refrain_clog_double(struct refrain_clog_blocks *blocks, double value);
/* Text in a field of so many bytes, with a zero behind it. `name`: it lives as long as the trace, and is said when it
 * does not fit. */
void refrain_clog_text(struct refrain_clog_blocks *blocks, const char *text, size_t bytes, bool name);
/* The same for a path: its end is kept. */
void refrain_clog_path(struct refrain_clog_blocks *blocks, const char *path, size_t bytes);

/* Says what did not fit. */
void refrain_clog_say(const struct refrain_clog_blocks *blocks, const char *format);

/* A colour for state i, as X11 names it. */
const char *refrain_clog_colour(size_t i);

#endif
