/* formula.h: the learned form of a sequence of 64-bit values, in the layout of the trace file (monitor -> reader).
 *
 * A learner holds a sequence in this order:
 *
 *     archive, then the values of the tally, then items or plain values, then `confirmed` further values of the
 *     continuation of the last item
 *
 * In state IDENTITY, and in state SUMMARY without a body, it is `confirmed` times `expect`. A learner has a tally
 * only after memory was full. Of the values in a tally, the counts are known and the order is not. All other values
 * are exact. A learner that never had memory is in state SUMMARY; then the values of the tally come last, and the
 * very last value is `last`.
 *
 * Items are terms in prefix order, after Ketterlin and Clauss, "Prediction and trace compression of data access
 * addresses through nested loop recognition" (CGO 2008):
 *
 *     VALUE            base + sum over enclosing loops h of stride[h] * i_h
 *     LOOP n { body }  the next `span - 1` items, base + sum(stride * i) times; inside, i_h counts 0, 1, ...
 *     REPEAT n         n values of the part of the archive between two positions, repeated; only at top level
 *
 * h is the height of the loop: 0 if its body has no loop, else one more than the highest loop in its body. The four
 * formulas of the paper (section 2.3, Table 4) have this form:
 *
 *     identity   a^n                           LOOP n { a }
 *     iteration  (a (a+i) ... (a+ki))^n        LOOP n { LOOP k+1 { a + i*i_0 } }
 *     cycle      a^p b^q (c^r d^s)^n           items before, then LOOP n { LOOP r { c } LOOP s { d } }
 *     general    a^r b^s c^t                   loops over one value in a row
 *
 * REPEAT is a cycle that is longer than the longest formula, such as the row lengths of a sparse matrix, visited in
 * every iteration. Its body is a part of the archive, and may contain further REPEATs.
 *
 * The continuation makes the common step cheap: while the last item is a LOOP, the next value is known. */
#ifndef REFRAIN_FORMULA_H
#define REFRAIN_FORMULA_H

#include <stdint.h>

#define REFRAIN_LOOP_HEIGHTS 6 /* loops nest no deeper; a deeper sequence becomes a longer list of terms */

enum refrain_item_kind { REFRAIN_ITEM_VALUE = 0, REFRAIN_ITEM_LOOP = 1, REFRAIN_ITEM_REPEAT = 2 };

struct refrain_item {
    uint8_t kind;   /* enum refrain_item_kind */
    uint8_t height; /* LOOP: its height */
    uint16_t span;  /* items in this term, itself included; 1 for VALUE */
    uint16_t back;  /* on the last item of a top-level term: that term's span; else 0 */
    uint16_t
        shape; /* private to the monitor: on the last item of a top-level term, a hash of the term without the bases */
    int64_t base; /* VALUE: the value at all counters 0; LOOP: the count there; REPEAT: number of values */
    int64_t stride[REFRAIN_LOOP_HEIGHTS]; /* REPEAT: its body, in this order: first chunk, byte, end chunk, byte */
};

/* A position between two terms of the archive: `at` bytes of the chunk are before it. */
struct refrain_archive_position {
    uint32_t chunk; /* pool reference */
    uint32_t at;
};

/* How a learner behaves when memory is full. */
enum refrain_learner_kind {
    REFRAIN_KIND_VALUES = 0,  /* it gets a tally of its own; memory is refused to it first */
    REFRAIN_KIND_CONTROL = 1, /* as VALUES, but memory is refused to it last */
    REFRAIN_KIND_LOOP = 2, /* as CONTROL; the values are loop counts, whose sum is kept. -n: the condition held n times,
                              and then the loop was left otherwise, by break, return, goto or a jump */
    REFRAIN_KIND_PARAMETER = 3, /* as VALUES, but with a joint tally of several learners */
};

enum refrain_learner_state {
    REFRAIN_EMPTY = 0,    /* no value yet */
    REFRAIN_IDENTITY = 1, /* `confirmed` times the value `expect`; nothing in the pool */
    REFRAIN_PREDICT = 2,  /* the last item is a loop that the sequence continues */
    REFRAIN_BUILD = 3,    /* no prediction: values are appended to the items, and repetitions are searched */
    REFRAIN_SUMMARY =
        4, /* memory ran out: its terms hold the beginning; later values are in a tally, its own or a joint one */
    REFRAIN_REPEAT = 5, /* the archive is being repeated: no items; the continuation is that of `repeat` */
    REFRAIN_PLAIN = 6,  /* no rule for long: values are stored as they are, and repetitions are searched rarely */
    REFRAIN_LEARNER_STATES
};

/* One cache line. `expect`, `stride` and `until` are the prediction, which follows from the other members. Readers
 * ignore them, except that `expect` is the value in state IDENTITY. Pool references are offsets from the start of
 * the trace file in alignment units of 16 bytes, 0 = none. */
struct refrain_learner {
    int64_t expect;      /* the value predicted */
    int64_t stride;      /* added to it after each value; state SUMMARY: number of values since */
    uint64_t until;      /* value of `confirmed` at which the prediction has to be advanced */
    uint64_t confirmed;  /* number of predicted values since the continuation began */
    uint32_t body;       /* pool reference of struct refrain_formula */
    uint32_t tally;      /* pool reference of struct refrain_tally */
    uint8_t state;       /* enum refrain_learner_state */
    uint8_t kind;        /* enum refrain_learner_kind */
    uint16_t rows_kept;  /* private to the monitor: 1: memory is reserved for the smallest tally of the rows that begin
                            with its values (call_room.h) */
    uint32_t changes;    /* number of begins and ends of structural changes: odd during a change, so that a reader of a
                            running process can tell whether its copy is consistent */
    uint32_t loop_slots; /* private to the monitor: of a loop count: number of slots of the loop and all it contains */
    uint32_t next_item;  /* private to the monitor: state PREDICT: pool reference of the item of the value after the
                            expected one, in a loop of constant values; else 0 */
    int64_t last;        /* state SUMMARY without a tally: the latest value; of a LOOP, the sum of all
                            iterations since */
};

/* The variable part, in the pool. After it come the items or, if there are none, the values of state PLAIN, 8 bytes
 * each; never both. */
struct refrain_formula {
    uint16_t n_items;
    uint16_t n_values; /* plain values, REFRAIN_GROUP_VALUES (group.h) at most */
    uint8_t capacity;  /* private to the monitor: items that there is room for */
    uint8_t position;  /* private: next item of the prediction */
    uint8_t innermost; /* private: height of the loop that contains it */
    uint8_t patience;  /* private: values between two searches for a long repetition */
    uint8_t waited;    /* private: values since the last search; state PLAIN: how often its room may be filled again */
    uint8_t repeats;   /* 1: its terms have or had a REPEAT, so its archive must not move */
    uint16_t table;    /* private: position of its latest table in the last chunk (group.h); 0: none */
    uint32_t repeat;   /* pool reference of struct refrain_repeat, 0 = none */
    uint32_t archive_first; /* pool reference of the first struct refrain_archive, 0 = none */
    uint32_t archive_last;
    uint64_t archived_terms;
    struct refrain_open_loop { /* private: the loops that contain the prediction, by height */
        uint64_t counter;
        uint64_t limit;
        uint32_t item;
        uint32_t outer; /* height of the enclosing loop, REFRAIN_LOOP_HEIGHTS = none */
    } loops[REFRAIN_LOOP_HEIGHTS];
};
_Static_assert(sizeof(struct refrain_formula) == 176, "position is part of the file format");

/* The current REPEAT, and positions in the archive that help to find the next one. Readers use only `first` and
 * `end`, in state REFRAIN_REPEAT. All else is private to the monitor. */
#define REFRAIN_REPEAT_DEPTH 4 /* nesting of REPEATs that is followed */
#define REFRAIN_ANCHOR_LEVELS 12
#define REFRAIN_ANCHORS 4 /* of each level */
#define REFRAIN_TERM_VALUES 64
struct refrain_repeat {
    struct refrain_archive_position first, end;
    uint64_t hash;         /* of the last archived terms */
    uint64_t settled_hash; /* of the last terms before item `settled` */
    uint32_t settled;
    uint16_t short_ones; /* consecutive REPEATs that were short, as if by chance */
    uint16_t passed;     /* positions since then where another one could have begun but was not tried */
    uint64_t unused;
    uint64_t values; /* approximate number of values archived since this struct was made; of a term, at most
                        REFRAIN_TERM_VALUES count */
    struct refrain_repeat_frame {
        struct refrain_archive_position at, first, end;
        uint64_t left; /* values */
    } frame[REFRAIN_REPEAT_DEPTH];
    uint8_t depth;   /* frames in use */
    uint8_t in_term; /* the prediction is in a term, which was copied to the memory of items */
    uint8_t next_anchor[REFRAIN_ANCHOR_LEVELS];
    uint8_t reserved[2];
    struct refrain_anchor {
        uint64_t hash; /* of the terms before the position */
        struct refrain_archive_position position;
    } anchor[REFRAIN_ANCHOR_LEVELS][REFRAIN_ANCHORS];
};

/* Archive: terms that left the formula, as bytes, oldest chunk first. A term is its items, each
 *     byte (kind << 7 | height << 4 | number of nonzero strides)
 *     LOOP: varint span
 *     zigzag varint base
 *     per nonzero stride: byte height, zigzag varint stride
 * There are three other forms. A short VALUE without strides is a single byte, REFRAIN_SHORT_FIRST + value -
 * REFRAIN_SHORT_LEAST. A REPEAT is the byte REFRAIN_ARCHIVED_REPEAT and varints: values, first chunk, byte, end
 * chunk, byte. Up to REFRAIN_GROUP_VALUES values without a rule are a group (group.h). A reader reads `used` bytes
 * of each chunk up to the last chunk of the formula. A term never crosses chunks. */
#define REFRAIN_ARCHIVED_REPEAT 0xf0u /* height 7, which no loop has */
#define REFRAIN_SHORT_FIRST 0x10      /* first byte that is a value; 0x7f is the last */
#define REFRAIN_SHORT_LEAST (-16)
#define REFRAIN_IS_SHORT(value) ((value) >= REFRAIN_SHORT_LEAST && (value) < REFRAIN_SHORT_LEAST + 112)
#define REFRAIN_IS_SHORT_BYTE(byte) ((byte) >= REFRAIN_SHORT_FIRST && (byte) < 128)
struct refrain_archive {
    uint32_t next; /* pool reference, 0 = last */
    uint16_t capacity;
    uint16_t used;
    uint8_t bytes[];
};

/* Tally: counts of the values of a sequence whose order is not kept; or counts of rows of values that belong
 * together: of a message its partner, tag, bytes and communicator. Entries are at positions given by a hash of the
 * monitor; an entry with count 0 is free. An entry is its count, then its values. When there are too many different
 * rows, they are merged in this order:
 *
 *     amounts (bytes): entries that differ in nothing else become one, which has the total
 *     tags and numbers of requests: any value stands for all
 *     without any memory: communicators with the same members become the oldest of them, so that partners stay correct;
 *         windows become any of them
 *     all other rows are one entry, after the last: its amounts are totals, its other values the latest */
#define REFRAIN_TALLY_WIDTH 4
struct refrain_tally {
    uint32_t capacity; /* entries, a power of two; one more is for all other rows */
    uint32_t used;
    uint8_t width; /* values of a row */
    uint8_t joint; /* 1: a joint tally, referred to by the first of its learners, since one of them ran out of memory */
    uint8_t amounts; /* bits: values that are amounts */
    uint8_t drop[2]; /* bits: values that are merged first, and second */
    uint8_t
        dropped; /* bits: merged values: an amount is the total of the entry, another value is any of those merged */
    uint8_t last_drop; /* private to the monitor; bits: values that are merged if there is no memory */
    uint8_t reserved;
    uint64_t count; /* rows, including all other rows */
    int64_t last;  /* width 1: the latest value; else private to the monitor: position of the entry of the latest row */
    uint64_t runs; /* number of runs of equal rows */
    uint64_t words[];
};

static inline unsigned refrain_tally_entry_words(const struct refrain_tally *tally) {
    return 1u + tally->width;
}
static inline uint64_t refrain_tally_bytes(unsigned width, uint32_t capacity) {
    return sizeof(struct refrain_tally) + ((uint64_t)capacity + 1) * (1u + width) * sizeof(uint64_t);
}

#define REFRAIN_LEAST_ROWS 4u /* least number of entries in a tally of rows */

#endif
