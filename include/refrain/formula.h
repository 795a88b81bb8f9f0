/* formula.h: the learned form of a sequence of 64-bit values, as it lies in the region (monitor -> reader).
 *
 * A learner holds a sequence as
 *
 *     archive, then items, then `confirmed` further values of the continuation of the last item
 *
 * (state IDENTITY, and state SUMMARY with no body: `confirmed` times `expect`), all of it exact until `state` is
 * REFRAIN_SUMMARY, when the values of the summary follow in an order that is not known. Items are terms in prefix
 * order, after Ketterlin and Clauss, "Prediction and trace compression of data access addresses through nested loop
 * recognition" (CGO 2008):
 *
 *     VALUE            base + sum over enclosing loops h of stride[h] * i_h
 *     LOOP n { body }  the next `span - 1` items, base + sum(stride * i) times; inside, i_h counts 0, 1, ...
 *
 * h is the loop's height: 0 for a loop whose body has no loop, else one more than the highest in its body. So the
 * paper's four formulas are shapes of one thing (section 2.3, Table 4):
 *
 *     identity   a^n                           LOOP n { a }
 *     iteration  (a (a+i) ... (a+ki))^n        LOOP n { LOOP k+1 { a + i*i_0 } }
 *     cycle      a^p b^q (c^r d^s)^n           items before, then LOOP n { LOOP r { c } LOOP s { d } }
 *     general    a^r b^s c^t                   loops over one value in a row
 *
 * The continuation is what makes the common step cheap: while the last item is a LOOP, the next value is known.
 */
#ifndef REFRAIN_FORMULA_H
#define REFRAIN_FORMULA_H

#include <stdint.h>

#define REFRAIN_LOOP_HEIGHTS 6 /* loops nest no deeper; a deeper sequence is a longer row of terms */

enum refrain_item_kind { REFRAIN_ITEM_VALUE = 0, REFRAIN_ITEM_LOOP = 1 };

struct refrain_item {
    uint8_t kind;   /* enum refrain_item_kind */
    uint8_t height; /* LOOP: its height */
    uint16_t span;  /* items in this term, itself included; 1 for VALUE */
    uint16_t back;  /* on the last item of a top-level term: that term's span; else 0 */
    uint16_t reserved;
    int64_t base; /* VALUE: the value at all counters 0; LOOP: the count there */
    int64_t stride[REFRAIN_LOOP_HEIGHTS];
};

enum refrain_learner_state {
    REFRAIN_EMPTY = 0,    /* no value yet */
    REFRAIN_IDENTITY = 1, /* `confirmed` times the value `expect`; nothing in the pool */
    REFRAIN_PREDICT = 2,  /* the last item is a loop that is being continued */
    REFRAIN_BUILD = 3,    /* no prediction: values are added to the items and repetition is looked for */
    REFRAIN_SUMMARY = 4,  /* memory ran out: archive and items hold the beginning, `summary` the rest */
};

/* One cache line. `expect`, `stride` and `left` are the prediction, derived from the rest: a reader ignores them except
 * that `expect` is the value in state IDENTITY. Pool references are in units of 16 bytes from the region's start, 0 =
 * none. */
struct refrain_learner {
    int64_t expect;     /* the value predicted */
    int64_t stride;     /* what is added to it once it came; state SUMMARY without summary: values not kept */
    uint64_t left;      /* predictions left before the cursor has to move */
    uint64_t confirmed; /* values that came as predicted since the continuation began */
    uint32_t body;      /* pool reference of struct refrain_formula */
    uint32_t summary;   /* pool reference of struct refrain_summary, in state SUMMARY */
    uint8_t state;      /* enum refrain_learner_state */
    uint8_t control;    /* 1: control flow, served last when memory is given up */
    uint16_t reserved16;
    uint32_t changes; /* structural changes begun and ended: odd while one is under way, so that a reader beside the
                         running process knows when what it copied is whole */
    uint32_t reserved[4];
};

/* The variable part, in the pool. `items` follow the header directly. */
struct refrain_formula {
    uint16_t n_items;
    uint16_t capacity; /* items there is room for */
    uint16_t position; /* private to the monitor: item the prediction comes to next */
    uint8_t innermost; /* private: height of the loop it is in */
    uint8_t patience;  /* private: values between two searches for long repetition ... */
    uint16_t waited;   /* ... and values since the last */
    uint16_t reserved[3];
    uint32_t archive_first; /* pool reference of the first struct refrain_archive, 0 = none */
    uint32_t archive_last;
    uint64_t archived_terms;
    struct refrain_cursor { /* private: the loops the prediction is in, by height */
        uint64_t counter;
        uint64_t limit;
        uint32_t item;
        uint32_t outer; /* height of the enclosing loop, REFRAIN_LOOP_HEIGHTS = none */
    } cursor[REFRAIN_LOOP_HEIGHTS];
};

/* Archive: terms that left the window of items, as bytes, oldest chunk first. A term is its items, each
 *     byte (kind << 7 | height << 4 | number of nonzero strides)
 *     LOOP: varint span
 *     zigzag varint base
 *     per nonzero stride: byte height, zigzag varint stride
 * A reader reads `used` bytes of each chunk up to the formula's last one; a term never crosses chunks. */
struct refrain_archive {
    uint32_t next; /* pool reference, 0 = last */
    uint16_t capacity;
    uint16_t used;
    uint8_t bytes[];
};

#define REFRAIN_SUMMARY_VALUES 8

/* What is left when memory is spent: enough to continue with totals right. The frequent values are kept by the
 * Space-Saving rule (Metwally, Agrawal, El Abbadi 2005): a new value takes the place and count of the rarest, so that
 * the counts add up to `count` and each is too high by at most the least of them once `replaced` is not 0. */
struct refrain_summary {
    uint64_t count;
    int64_t minimum, maximum;
    int64_t sum;
    uint64_t replaced; /* values that took the place of another */
    struct {
        int64_t value;
        uint64_t count;
    } frequent[REFRAIN_SUMMARY_VALUES];
};

#endif
