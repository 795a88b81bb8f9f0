/* slog1_frames.h: the frames of a SLOG-1 file and their directories (write_slog1.c; A. I. Margaris, "Log File
 * Formats for Parallel Applications: A Review", sections 5.5 and 5.7; field sizes of version 0.7 of its library,
 * big-endian).
 *
 *     [directory: previous, next, frames; 128 entries: where, start, end] [frame] [frame] ... [directory] ...
 *
 *     frame: bytes and number of the records of each sector; records of the sectors in this order:
 *
 *     time               |-------- frame --------|
 *     current               [====]                       incoming     [======]
 *     passing through [=====================================]         outgoing              [=========]
 *
 * Records come in the order of their ends, and are in the frame in which they end. Other frames that a record
 * overlaps have copies of it, called pseudo-records. The first pass leaves room for them. The second pass, which
 * goes backwards, writes them. Held in memory: one frame, and the records that overlap its beginning. */
#ifndef REFRAIN_SLOG1_FRAMES_H
#define REFRAIN_SLOG1_FRAMES_H

#include "formats/sink.h"

#define REFRAIN_SLOG1_FRAME_BYTES 65536u
#define REFRAIN_SLOG1_DIRECTORY_ENTRIES 128u

/* Sizes of records: bytes, class, type, bebits, start, duration, thread; an arrow has another thread; then 4 bytes
 * for each argument. The paper also has the address of the instruction, but no file that Jumpshot-3 reads contains
 * it (NOWHERE). */
enum {
    REFRAIN_SLOG1_STATE_BYTES = 2 + 2 + 2 + 1 + 8 + 8 + 7,
    REFRAIN_SLOG1_ARROW_BYTES = REFRAIN_SLOG1_STATE_BYTES + 7
};
enum { REFRAIN_SLOG1_STATE = 64, REFRAIN_SLOG1_ARROW = 192 }; /* classes: their sizes are those of the definitions */
enum { REFRAIN_SLOG1_BEGIN = 1, REFRAIN_SLOG1_COMPLETE = 3 }; /* bebits (1,0) and (1,1) */
#define REFRAIN_SLOG1_ARGUMENTS 4u

struct refrain_slog1_record {
    uint16_t class, type;
    uint8_t bebits;
    double start, duration; /* seconds */
    struct refrain_slog1_thread {
        uint16_t node;
        uint32_t thread;
    } threads[2]; /* the second one is for arrows only */
    unsigned n_arguments;
    uint32_t arguments[REFRAIN_SLOG1_ARGUMENTS];
};

struct refrain_slog1_frames;

/* Null without memory. `out` must be overwritable and readable; the caller closes it. */
struct refrain_slog1_frames *refrain_slog1_frames_open(struct refrain_sink *out);
void refrain_slog1_frames_close(struct refrain_slog1_frames *frames);

/* Adds a record that ends no earlier than the one before. `pending_bytes`: upper bound of the bytes of later records
 * that begin no later than this one ends. False without memory. */
bool refrain_slog1_frames_add(struct refrain_slog1_frames *frames, const struct refrain_slog1_record *record,
                              uint64_t pending_bytes);

struct refrain_slog1_summary {
    uint64_t at; /* position of the first directory */
    uint32_t frame_bytes;
    double start, end;
    uint64_t frames;
    bool has_pseudo_records;
};

/* Does the second pass. Calls `visit` for each record that is no pseudo-record. False without memory, and if the file
 * cannot be read. */
bool refrain_slog1_frames_finish(struct refrain_slog1_frames *frames, struct refrain_slog1_summary *summary,
                                 void (*visit)(void *data, const struct refrain_slog1_record *record), void *data);

/* Numbers in the byte order of the file. */
void refrain_slog1_put(unsigned char **to, uint64_t value, unsigned bytes);
void refrain_slog1_put_double(unsigned char **to, double value);

#endif
