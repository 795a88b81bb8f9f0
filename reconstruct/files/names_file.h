/* names_file.h: the names of code addresses, as a table and as the bytes that are stored with a trace.
 *
 *     | header | texts, each once | file with code: path, build id, ... | address: frames | address: frames | file ...
 *
 * The bytes are in the file REFRAIN_NAMES_FILE_NAME of a trace directory, or at the end of a pack. They may come
 * from another machine, so the reader checks each length and number against what is left. The trace owns all memory
 * of a table. */
#ifndef REFRAIN_NAMES_FILE_H
#define REFRAIN_NAMES_FILE_H

#include "model/trace_read.h"

#define REFRAIN_NAMES_MAGIC "refrainn"
#define REFRAIN_NAMES_VERSION 1u
#define REFRAIN_NAMES_MOST_BYTES ((size_t)64 << 20)
#define REFRAIN_NAMES_MOST_FRAMES 16u

struct refrain_names_header {
    char magic[8];
    uint32_t version; /* REFRAIN_NAMES_VERSION; bytes of another version are ignored and written anew */
    uint32_t header_bytes;
    uint64_t bytes; /* after the header; numbers are coded as in refrain/varint.h */
    uint64_t checksum;
};

/* A frame of an address: [0] is the function itself, or the function inlined there; each further frame is the
 * function into which the one before was inlined. */
struct refrain_names_frame {
    const char *function, *file; /* "" unknown */
    uint32_t line;               /* of the call, or of the first line of the function; 0 unknown */
};

struct refrain_names_address {
    uint64_t address; /* as in struct refrain_symbol, with is_function */
    bool is_function;
    bool is_tried; /* it has been looked up; n_frames 0: without a result. Others are not stored */
    unsigned n_frames;
    struct refrain_names_frame *frames;
};

enum refrain_names_level { REFRAIN_NAMES_NONE, REFRAIN_NAMES_SYMBOLS, REFRAIN_NAMES_LINES };

/* A file with code, as the run used it. */
struct refrain_names_code {
    const char *path, *build_id; /* this and the next two: as in struct refrain_symbol */
    uint64_t file_bytes, changed_ns;
    uint64_t asked_s; /* when debuginfod last had no answer, since the epoch; 0 never */
    unsigned level;   /* enum refrain_names_level: the best source in which its addresses were looked up */
    struct refrain_names_address *addresses; /* sorted */
    size_t n;
};

struct refrain_names {
    struct refrain_names_code *codes;
    size_t n;
};

/* Reads the table. The bytes must live as long as the trace. Returns null, or what is wrong with them; the table is
 * then empty. */
const char *refrain_names_read(struct refrain_trace *trace, struct refrain_names *names, const unsigned char *bytes,
                               size_t n);

/* Writes the table to bytes, which the trace owns. Null without memory, and if they would be more than a reader
 * accepts. */
const unsigned char *refrain_names_write(struct refrain_trace *trace, const struct refrain_names *names, size_t *n);

#endif
