/* names_file.h: what was found out of code addresses, as a table and as the bytes that are stored with a trace.
 *
 *     | header | texts, each once | file with code: path, build id, ... | address: frames | address: frames | file ...
 *
 * The bytes lie in the file REFRAIN_NAMES_FILE_NAME of a trace directory, or at the end of a pack. They are from
 * elsewhere: the reader compares every length and number with what is left before it computes with it. All memory of a
 * table is the trace's. */
#ifndef REFRAIN_NAMES_FILE_H
#define REFRAIN_NAMES_FILE_H

#include "model/trace_read.h"

#define REFRAIN_NAMES_MAGIC "refrainn"
#define REFRAIN_NAMES_VERSION 1u
#define REFRAIN_NAMES_MOST_BYTES ((size_t)64 << 20)
#define REFRAIN_NAMES_MOST_FRAMES 16u

struct refrain_names_header {
    char magic[8];
    uint32_t version; /* REFRAIN_NAMES_VERSION: readers make bytes of another one anew */
    uint32_t header_bytes;
    uint64_t bytes; /* behind the header, numbers as in refrain/varint.h ... */
    uint64_t checksum;
};

/* A function that code is of: [0] of an address the function itself, or the one that the compiler put there; each next
 * one is what the one before was inlined into. */
struct refrain_names_frame {
    const char *function, *file; /* "" unknown */
    uint32_t line;               /* of the call, or of the function's begin; 0 unknown */
};

struct refrain_names_address {
    uint64_t address; /* as in struct refrain_symbol, with is_function */
    bool is_function;
    bool is_tried; /* has been looked up; n_frames 0: nothing was found. Others are not stored */
    unsigned n_frames;
    struct refrain_names_frame *frames;
};

enum refrain_names_level { REFRAIN_NAMES_NONE, REFRAIN_NAMES_SYMBOLS, REFRAIN_NAMES_LINES };

/* A file with code, as the run had it. */
struct refrain_names_code {
    const char *path, *build_id; /* as struct refrain_symbol has them, with the next two */
    uint64_t file_bytes, changed_ns;
    uint64_t asked_s; /* when debuginfod was last asked in vain, since the epoch; 0 never */
    unsigned level;   /* enum refrain_names_level: the best that its addresses were looked up in */
    struct refrain_names_address *addresses; /* in order */
    size_t n;
};

struct refrain_names {
    struct refrain_names_code *codes;
    size_t n;
};

/* Reads the table from bytes, which stay as they are and as long as the trace. Null, or what is wrong with them: the
 * table is empty then. */
const char *refrain_names_read(struct refrain_trace *trace, struct refrain_names *names, const unsigned char *bytes,
                               size_t n);

/* The table as bytes, which the trace owns. Null without memory, and where there would be more than a reader takes. */
const unsigned char *refrain_names_write(struct refrain_trace *trace, const struct refrain_names *names, size_t *n);

#endif
