/* packed_stream.h: a stream of values, each of a kind (packed_image.h -> packed_coder.h, packed_ranks.h). */
#ifndef REFRAIN_PACKED_STREAM_H
#define REFRAIN_PACKED_STREAM_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_PACKED_API __attribute__((visibility("hidden")))

/* The kind of a value. Values of one kind are similar, so they are coded by models of their kind. */
enum refrain_packed_kind {
    /* of a process: what may differ between two runs of the same program */
    REFRAIN_PACKED_RUN,
    REFRAIN_PACKED_LOSS,
    /* times */
    REFRAIN_PACKED_CLOCK,
    REFRAIN_PACKED_TICKS,
    REFRAIN_PACKED_HAS_METRICS,
    REFRAIN_PACKED_METRIC,
    REFRAIN_PACKED_PAGE,
    REFRAIN_PACKED_PAGE_BYTES,
    REFRAIN_PACKED_TIMELINE, /* bytes */
    REFRAIN_PACKED_THROTTLED,
    REFRAIN_PACKED_LAST_TIME = REFRAIN_PACKED_THROTTLED,
    /* structure: tables */
    REFRAIN_PACKED_COUNT_OF,
    REFRAIN_PACKED_NAME_LENGTH,
    REFRAIN_PACKED_NAME, /* bytes */
    REFRAIN_PACKED_TEXT, /* bytes */
    REFRAIN_PACKED_NODE_KIND,
    REFRAIN_PACKED_NODE_PARENT,
    REFRAIN_PACKED_NODE_SLOT,
    REFRAIN_PACKED_NODE_LINE,
    REFRAIN_PACKED_NODE_COLUMN,
    REFRAIN_PACKED_NODE_NAME,
    REFRAIN_PACKED_NODE_FILE,
    /* places */
    REFRAIN_PACKED_FLAGS,
    REFRAIN_PACKED_USED,
    REFRAIN_PACKED_COUNT,
    REFRAIN_PACKED_CALL_SITE,
    REFRAIN_PACKED_RETURN_ADDRESS,
    REFRAIN_PACKED_OPERATION,
    /* learners */
    REFRAIN_PACKED_STATE,
    REFRAIN_PACKED_EXPECT,
    REFRAIN_PACKED_CONFIRMED,
    REFRAIN_PACKED_HAS,
    REFRAIN_PACKED_ITEMS,
    REFRAIN_PACKED_ITEM_HEAD,
    REFRAIN_PACKED_ITEM_SPAN,
    REFRAIN_PACKED_BASE,
    REFRAIN_PACKED_LOOP,
    REFRAIN_PACKED_STRIDE,
    REFRAIN_PACKED_CHUNK,
    REFRAIN_PACKED_ARCHIVE, /* bytes */
    REFRAIN_PACKED_TERM,    /* of an archive that is written term by term */
    REFRAIN_PACKED_TERM_NUMBER,
    /* of shapes (packed_ranks.h) */
    REFRAIN_PACKED_GUESSED,
    REFRAIN_PACKED_KIND,
    REFRAIN_PACKED_PLACE,
    REFRAIN_PACKED_TALLY,
    REFRAIN_PACKED_TALLY_WORD,
    REFRAIN_PACKED_KEY,
    /* communicators, windows, files */
    REFRAIN_PACKED_COMM,
    REFRAIN_PACKED_MEMBER,
    REFRAIN_PACKED_TOPOLOGY,
    REFRAIN_PACKED_OBJECT,
    REFRAIN_PACKED_KINDS
};

/* True if values of this kind differ from run to run, so that a pack stores them for each rank. False if they are part
 * of the structure. */
static inline bool refrain_packed_is_time(enum refrain_packed_kind kind) {
    return kind <= REFRAIN_PACKED_LAST_TIME;
}

/* A sequence by its beat: the word that occurs most often, and the values between its occurrences:
 *
 *     a b a b a b a c a b a b a b a b a c a     word: a b     steps: 3 beats, a; 0 beats, c; 4 beats, a; 0 beats, c ...
 *
 * First `before` steps, then `period` steps repeated `rounds` times, then `after` steps, then `last` beats. */
#define REFRAIN_BEAT_WIDTH 8u   /* most values of a word */
#define REFRAIN_BEAT_STEPS 512u /* most steps, those of a period counted once */
struct refrain_beat_step {
    uint64_t beats; /* before the value */
    int64_t value;
};
struct refrain_beat {
    uint64_t width;
    int64_t word[REFRAIN_BEAT_WIDTH];
    uint64_t before, period, rounds, after, last;
    const struct refrain_beat_step *steps; /* before + period + after of them; null while it is read */
};

/* True if a reader accepts it. */
REFRAIN_PACKED_API bool refrain_beat_is_possible(const struct refrain_beat *beat);

/* Destination or source of values. A function that fails calls refrain_packed_fail(). */
struct refrain_packed_stream {
    void *data;
    /* A record with this key begins; keys increase. Null: not needed. */
    void (*record)(struct refrain_packed_stream *stream, uint64_t key);
    void (*value)(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value);
    void (*bytes)(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n);
    /* Writing: true if the sequence of this learner is to be written by its beat. Null: none is. */
    bool (*beat)(struct refrain_packed_stream *stream, const void *trace_file, size_t trace_file_bytes,
                 const struct refrain_learner *learner, struct refrain_beat *beat);
    const char *wrong; /* the first failure, null if none */
};

static inline void refrain_packed_fail(struct refrain_packed_stream *stream, const char *wrong) {
    if (!stream->wrong)
        stream->wrong = wrong;
}

#endif
