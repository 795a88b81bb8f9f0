/* packed_stream.h: values, each of a kind, one after the other (packed_image.h -> packed_coder.h, packed_ranks.h). */
#ifndef REFRAIN_PACKED_STREAM_H
#define REFRAIN_PACKED_STREAM_H

#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_PACKED_API __attribute__((visibility("hidden")))

/* What a value is: those of a kind are alike, so that each is told best by the others of its kind. */
enum refrain_packed_kind {
    /* of a process: how it ran, not what it did */
    REFRAIN_PACKED_RUN,
    REFRAIN_PACKED_LOSS,
    /* times */
    REFRAIN_PACKED_CLOCK,
    REFRAIN_PACKED_TICKS,
    REFRAIN_PACKED_HISTORY_SHIFT,
    REFRAIN_PACKED_HISTORY,
    REFRAIN_PACKED_METRIC,
    REFRAIN_PACKED_PAGE,
    REFRAIN_PACKED_PAGE_BYTES,
    REFRAIN_PACKED_TIMELINE, /* bytes */
    REFRAIN_PACKED_DORMANT,
    REFRAIN_PACKED_LAST_TIME = REFRAIN_PACKED_DORMANT,
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
    REFRAIN_PACKED_TERM,    /* of an archive that is told term by term */
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

/* Does a value of this kind belong to one run of one rank, rather than to what was learned? */
static inline bool refrain_packed_is_time(enum refrain_packed_kind kind) {
    return kind <= REFRAIN_PACKED_LAST_TIME;
}

/* A sequence by its beat, the word that comes in it most often, and the values between:
 *
 *     a b a b a b a c a b a b a b a b a c a     word: a b     turns: 3 beats, a; 0 beats, c; 4 beats, a; 0 beats, c ...
 *
 * first `before` turns, then `period` turns `rounds` times, `after` turns, and `last` beats. */
#define REFRAIN_BEAT_WIDTH 8u   /* values of a word at most */
#define REFRAIN_BEAT_TURNS 512u /* at most, those of a period counted once */
struct refrain_beat_turn {
    uint64_t beats; /* before the value */
    int64_t value;
};
struct refrain_beat {
    uint64_t width;
    int64_t word[REFRAIN_BEAT_WIDTH];
    uint64_t before, period, rounds, after, last;
    const struct refrain_beat_turn *turns; /* before + period + after; null while it is read */
};

/* Is it one that a reader takes? */
REFRAIN_PACKED_API bool refrain_beat_is_possible(const struct refrain_beat *beat);

/* Where values go to, or come from. A function that fails says so by refrain_packed_fail(). */
struct refrain_packed_stream {
    void *data;
    /* Values from here on belong to a record with this key, until the next one; keys rise. Null: not needed. */
    void (*record)(struct refrain_packed_stream *stream, uint64_t key);
    void (*value)(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, uint64_t *value);
    void (*bytes)(struct refrain_packed_stream *stream, enum refrain_packed_kind kind, void *bytes, size_t n);
    /* Writing: is this learner's sequence to be told by its beat? Null: none is. */
    bool (*beat)(struct refrain_packed_stream *stream, const void *trace_file, size_t trace_file_bytes,
                 const struct refrain_learner *learner, struct refrain_beat *beat);
    const char *wrong; /* what failed first, null nothing */
};

static inline void refrain_packed_fail(struct refrain_packed_stream *stream, const char *wrong) {
    if (!stream->wrong)
        stream->wrong = wrong;
}

#endif
