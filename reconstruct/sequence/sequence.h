/* sequence.h: the values a learner holds, one after the other (bytes of an image -> walker, formulas).
 *
 *     learner in the image -> terms (terms.h) -> runs (value, stride, length) -> values
 *
 * Works on bytes alone, which may be nonsense: every reference is checked, and damage is refused with its offset. A
 * sequence keeps pointers into the image, and holds at most one archived term. A sequence is used by one thread; any
 * number of sequences may read one image.
 */
#ifndef REFRAIN_SEQUENCE_H
#define REFRAIN_SEQUENCE_H

#include "sequence/tally.h"
#include "sequence/terms.h"

/* Number of values a term expands to, saturating; `iterations` instead of its own count when not 0 (continuation). */
uint64_t refrain_term_values(const struct refrain_item *term);

/* Number of values the learner has seen, those of a tally included, saturating. Sets *kept to those that are held
 * exactly. */
uint64_t refrain_learner_values(const void *image, size_t image_bytes, const struct refrain_learner *learner,
                                uint64_t *kept);

/* The tally of this learner's own values, 0 none. */
uint32_t refrain_learner_tally(const void *image, size_t image_bytes, const struct refrain_learner *learner);

/* Where a sequence's next values come from. */
enum refrain_sequence_stage {
    REFRAIN_STAGE_IDENTITY,
    REFRAIN_STAGE_TERMS,
    REFRAIN_STAGE_CONTINUATION, /* of the last term */
    REFRAIN_STAGE_TALLY,
    REFRAIN_STAGE_END,
};

struct refrain_sequence {
    /* the run being given */
    int64_t value, stride;
    uint64_t run;
    bool approximate; /* the value given last came from a tally */
    bool unknown;     /* ... which has it only as one of several different ones, or has their number alone */
    uint8_t stage;    /* enum refrain_sequence_stage */
    /* the term being expanded */
    bool flat;          /* nothing in it has a stride */
    unsigned position;  /* of the next item */
    unsigned row;       /* the next items so many are single values, each to be given as it is */
    unsigned innermost; /* loop; REFRAIN_LOOP_HEIGHTS: outside of all */
    const struct refrain_item *term;
    const struct refrain_learner *learner;
    struct refrain_terms terms;
    struct refrain_open_loop loops[REFRAIN_LOOP_HEIGHTS];
    uint64_t continuation; /* values of it left */
    /* the repetitions of the archive it is in, the innermost last; then `term` is the archived term being expanded */
    struct refrain_repeat_frame frame[REFRAIN_REPEAT_DEPTH];
    unsigned depth, fruitless;
    /* values whose order is given up */
    struct refrain_tally_reader tally;
    bool tally_given; /* or none is to be given */
    bool last_left;   /* the last value is still to come, after all others */
};

void refrain_sequence_open(struct refrain_sequence *sequence, const void *image, size_t image_bytes,
                           const struct refrain_learner *learner);

/* Out of line part of refrain_sequence_next: the next run. */
bool refrain_sequence_advance(struct refrain_sequence *sequence);

/* Takes the next value; false at the end. sequence->approximate tells whether it is only likely. */
static inline bool refrain_sequence_next(struct refrain_sequence *sequence, int64_t *value) {
    if (sequence->run == 0 && !refrain_sequence_advance(sequence))
        return false;
    *value = sequence->value;
    sequence->value = (int64_t)((uint64_t)sequence->value + (uint64_t)sequence->stride);
    sequence->run--;
    return true;
}

/* ---- sequence_repeats.c ---- */

/* A lower bound of how often the next m values are these, again and again: as far as it follows from the loops, or from
 * the run being given. m > 0. */
uint64_t refrain_sequence_repeats(struct refrain_sequence *sequence, const int64_t *values, unsigned m);

/* Takes n times these m values, where refrain_sequence_repeats() was n or more. n > 0. */
void refrain_sequence_skip(struct refrain_sequence *sequence, const int64_t *values, unsigned m, uint64_t n);

/* ---- of the above ---- */

void refrain_sequence_close(struct refrain_sequence *sequence);

#endif
