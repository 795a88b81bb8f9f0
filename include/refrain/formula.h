/* formula.h: the learned form of a sequence of 64-bit values, as it lies in the trace file (monitor -> reader).
 *
 * A learner holds a sequence as
 *
 *     archive, then the values of the tally, then items or plain values, then `confirmed` further values of the
 *     continuation of the last item
 *
 * (state IDENTITY, and state SUMMARY with no body: `confirmed` times `expect`). A learner has a tally only once memory
 * was spent. Of its values it is only known how often each came, not their order; all else is exact. In state
 * SUMMARY, which a learner is in that had no memory to begin with, the values of the tally come last, and the very last
 * of them is `last`. Items are terms in prefix order, after Ketterlin and Clauss, "Prediction and trace compression of
 * data access addresses through nested loop recognition" (CGO 2008):
 *
 *     VALUE            base + sum over enclosing loops h of stride[h] * i_h
 *     LOOP n { body }  the next `span - 1` items, base + sum(stride * i) times; inside, i_h counts 0, 1, ...
 *     REPEAT n         n values of what the archive holds between two positions, over and over; only at top level
 *
 * h is the loop's height: 0 for a loop whose body has no loop, else one more than the highest in its body. So the
 * paper's four formulas are shapes of one thing (section 2.3, Table 4):
 *
 *     identity   a^n                           LOOP n { a }
 *     iteration  (a (a+i) ... (a+ki))^n        LOOP n { LOOP k+1 { a + i*i_0 } }
 *     cycle      a^p b^q (c^r d^s)^n           items before, then LOOP n { LOOP r { c } LOOP s { d } }
 *     general    a^r b^s c^t                   loops over one value in a row
 *
 * REPEAT is a cycle that is longer than the longest formula, such as the row lengths
 * of a sparse matrix, visited in every iteration. Its body is a part of the archive, and may hold further REPEATs.
 *
 * The continuation makes the common step cheap: while the last item is a LOOP, the next value is known.
 */
#ifndef REFRAIN_FORMULA_H
#define REFRAIN_FORMULA_H

#include <stdint.h>

#define REFRAIN_LOOP_HEIGHTS 6 /* loops nest no deeper; a deeper sequence is a longer row of terms */

enum refrain_item_kind { REFRAIN_ITEM_VALUE = 0, REFRAIN_ITEM_LOOP = 1, REFRAIN_ITEM_REPEAT = 2 };

struct refrain_item {
    uint8_t kind;   /* enum refrain_item_kind */
    uint8_t height; /* LOOP: its height */
    uint16_t span;  /* items in this term, itself included; 1 for VALUE */
    uint16_t back;  /* on the last item of a top-level term: that term's span; else 0 */
    uint16_t
        shape;    /* private to the monitor: on the last item of a top-level term, a hash of all of it but the bases */
    int64_t base; /* VALUE: the value at all counters 0; LOOP: the count there; REPEAT: number of values */
    int64_t stride[REFRAIN_LOOP_HEIGHTS]; /* REPEAT: its body, in this order: first chunk, byte, end chunk, byte */
};

/* A position between two terms of the archive: so many bytes of a chunk lie before it. */
struct refrain_archive_position {
    uint32_t chunk; /* pool reference */
    uint32_t at;
};

/* What becomes of a learner when memory is spent. */
enum refrain_learner_kind {
    REFRAIN_KIND_VALUES = 0,    /* it has a tally of its own; memory is refused to it first */
    REFRAIN_KIND_CONTROL = 1,   /* the same, but memory is refused to it last */
    REFRAIN_KIND_LOOP = 2,      /* as CONTROL; the values are loop counts, of which the total counts */
    REFRAIN_KIND_PARAMETER = 3, /* as VALUES, but its values are counted together with those of others */
};

enum refrain_learner_state {
    REFRAIN_EMPTY = 0,    /* no value yet */
    REFRAIN_IDENTITY = 1, /* `confirmed` times the value `expect`; nothing in the pool */
    REFRAIN_PREDICT = 2,  /* the last item is a loop that is being continued */
    REFRAIN_BUILD = 3,    /* no prediction: values are added to the items and repetition is looked for */
    REFRAIN_SUMMARY = 4,  /* memory ran out: what else it has is the beginning; the rest is in a tally, its own or
                             one of several learners together */
    REFRAIN_REPEAT = 5,   /* the archive is being repeated: no items, the continuation is that of `repeat` */
    REFRAIN_PLAIN = 6,    /* no rule for long: values are kept as they come, and repetition is looked for seldom */
    REFRAIN_LEARNER_STATES
};

/* One cache line. `expect`, `stride` and `until` are the prediction, derived from the rest: a reader ignores them
 * except that `expect` is the value in state IDENTITY. Pool references count grains of 16 bytes from the start of the
 * trace file, 0 = none. */
struct refrain_learner {
    int64_t expect;     /* the value predicted */
    int64_t stride;     /* what is added to it once it came; state SUMMARY: values since */
    uint64_t until;     /* the prediction holds as long as `confirmed` is not this; then the prediction has to move */
    uint64_t confirmed; /* values that came as predicted since the continuation began */
    uint32_t body;      /* pool reference of struct refrain_formula */
    uint32_t tally;     /* pool reference of struct refrain_tally */
    uint8_t state;      /* enum refrain_learner_state */
    uint8_t kind;       /* enum refrain_learner_kind */
    uint16_t rows_kept; /* private to the monitor: 1: room for the least tally of the rows that begin with its values is
                           kept (call_room.h) */
    uint32_t changes;   /* structural changes begun and ended: odd while one is under way, so that a reader beside the
                           running process knows when what it copied is whole */
    uint32_t reserved;
    uint32_t next_item; /* private to the monitor: state PREDICT: pool reference of the item whose value comes after the
                           one expected, in a loop of values that stay the same; else 0 */
    int64_t last;       /* state SUMMARY without a tally: the value that came last; of a LOOP, the sum of all since */
};

/* The variable part, in the pool. The items follow the header directly or, where there are none, the values of state
 * PLAIN, 8 bytes each. Only one of both is there. */
struct refrain_formula {
    uint16_t n_items;
    uint16_t n_values;      /* kept as they came, REFRAIN_GROUP_VALUES (group.h) at most */
    uint8_t capacity;       /* private to the monitor: items there is room for */
    uint8_t position;       /* private: item the prediction comes to next */
    uint8_t innermost;      /* private: height of the loop it is in */
    uint8_t patience;       /* private: values between two searches for long repetition ... */
    uint8_t waited;         /* ... and values since the last; state PLAIN: how often its room may be filled again */
    uint8_t repeats;        /* 1: there is or was a REPEAT among its terms: its archive has to stay where it is */
    uint16_t table;         /* private: at which byte of the last chunk its latest table is (group.h); 0: it has none */
    uint32_t repeat;        /* pool reference of struct refrain_repeat, 0 = none */
    uint32_t archive_first; /* pool reference of the first struct refrain_archive, 0 = none */
    uint32_t archive_last;
    uint64_t archived_terms;
    struct refrain_open_loop { /* private: the loops the prediction is in, by height */
        uint64_t counter;
        uint64_t limit;
        uint32_t item;
        uint32_t outer; /* height of the enclosing loop, REFRAIN_LOOP_HEIGHTS = none */
    } loops[REFRAIN_LOOP_HEIGHTS];
};
_Static_assert(sizeof(struct refrain_formula) == 176, "position is part of the file format");

/* A REPEAT under way, and the positions in the archive by which the next one is found. Only `first` and `end` are of
 * interest to a reader, in state REFRAIN_REPEAT. The rest is private to the monitor. */
#define REFRAIN_REPEAT_DEPTH 4 /* REPEATs within each other that are followed */
#define REFRAIN_ANCHOR_LEVELS 12
#define REFRAIN_ANCHORS 4 /* of each level */
#define REFRAIN_TERM_VALUES 64
struct refrain_repeat {
    struct refrain_archive_position first, end;
    uint64_t hash;         /* of the last archived terms */
    uint64_t settled_hash; /* of the last terms before item `settled` */
    uint32_t settled;
    uint16_t short_ones; /* REPEATs in a row that were short, as of chance ... */
    uint16_t passed;     /* ... and positions since then at which another could have begun but was not tried */
    uint64_t left_at;    /* terms that had been archived when the latest REPEAT ended */
    uint64_t values;     /* archived since there is this, about: of a term at most REFRAIN_TERM_VALUES count */
    struct refrain_repeat_frame {
        struct refrain_archive_position at, first, end;
        uint64_t left; /* values */
    } frame[REFRAIN_REPEAT_DEPTH];
    uint8_t depth;   /* frames in use */
    uint8_t in_term; /* the prediction is in a term, copied to where items would be */
    uint8_t resume;  /* one value came that was not expected: look whether the next one is */
    uint8_t next_anchor[REFRAIN_ANCHOR_LEVELS];
    uint8_t reserved;
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
 * where a short VALUE without strides is a byte alone, REFRAIN_SHORT_FIRST + value - REFRAIN_SHORT_LEAST; or, for a
 * REPEAT, the byte REFRAIN_ARCHIVED_REPEAT and varints: values, first chunk, byte, end chunk, byte; or, for up to
 * REFRAIN_GROUP_VALUES values without a rule, a group (group.h).
 * A reader reads `used` bytes of each chunk up to the formula's last one; a term never crosses chunks. */
#define REFRAIN_ARCHIVED_REPEAT 0xf0u /* height 7, which no loop has */
#define REFRAIN_SHORT_FIRST 0x10      /* of the bytes that are a value; 0x7f is the last */
#define REFRAIN_SHORT_LEAST (-16)
#define REFRAIN_IS_SHORT(value) ((value) >= REFRAIN_SHORT_LEAST && (value) < REFRAIN_SHORT_LEAST + 112)
#define REFRAIN_IS_SHORT_BYTE(byte) ((byte) >= REFRAIN_SHORT_FIRST && (byte) < 128)
struct refrain_archive {
    uint32_t next; /* pool reference, 0 = last */
    uint16_t capacity;
    uint16_t used;
    uint8_t bytes[];
};

/* How often each value came, of a sequence whose order is given up; or each row of values, where these came together:
 * of a message its partner, tag, bytes and communicator. Entries lie where a hash of the monitor's puts them; those
 * with a count of 0 are free. An entry is its count, then its values. When there are too many different rows
 *
 *     amounts (bytes) are dropped: entries that differ in nothing else become one, which has their total
 *     tags and numbers of requests are dropped: any of them stands for all
 *     where there is no memory at all, communicators of the same members become the oldest of them, so that partners
 *         stay what they are; and windows any of them
 *     the rest is one entry, that after the last: its amounts are totals, its other values the latest
 */
#define REFRAIN_TALLY_WIDTH 4
struct refrain_tally {
    uint32_t capacity; /* entries, a power of two, and one more for the rest */
    uint32_t used;
    uint8_t width;     /* values of a row */
    uint8_t joint;     /* 1: of several learners, the first of which refers to it, since one of them gave up */
    uint8_t amounts;   /* bits: values that are amounts */
    uint8_t drop[2];   /* bits: values that are dropped first, and next */
    uint8_t dropped;   /* bits: values that are: an amount is the entry's total, others any that came */
    uint8_t last_drop; /* private to the monitor; bits: values that are dropped where there is no memory */
    uint8_t reserved;
    uint64_t count; /* rows, those of the rest included */
    int64_t
        last; /* width 1: the value that came last; else private to the monitor: where the entry of the last row is */
    uint64_t runs; /* of equal rows: how often one came that differs from the one before, and the first */
    uint64_t words[];
};

static inline unsigned refrain_tally_entry_words(const struct refrain_tally *tally) {
    return 1u + tally->width;
}
static inline uint64_t refrain_tally_bytes(unsigned width, uint32_t capacity) {
    return sizeof(struct refrain_tally) + ((uint64_t)capacity + 1) * (1u + width) * sizeof(uint64_t);
}

#define REFRAIN_LEAST_ROWS 4u /* entries of a tally of rows, at least */

#endif
