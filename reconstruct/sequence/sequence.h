/* sequence.h: returns the values of a learner one after the other (image -> walker, formulas).
 *
 *     learner in the image -> terms (terms.h) -> runs (value, stride, length) -> values
 *
 * The image may be damaged: every reference is checked, and damage is reported with its offset. A sequence keeps
 * pointers into the image, and holds at most one archived term. A sequence is used by one thread. Any number of
 * sequences may read one image. */
#ifndef REFRAIN_SEQUENCE_H
#define REFRAIN_SEQUENCE_H

#include "sequence/tally.h"
#include "sequence/terms.h"

/* Number of values of a term, UINT64_MAX at most. */
uint64_t refrain_term_values(const struct refrain_item *term);

/* Number of values that the learner has seen, including those in a tally, UINT64_MAX at most. Sets *kept to the
 * number of exact values, if it is not null. */
uint64_t refrain_learner_values(const void *image, size_t image_bytes, const struct refrain_learner *learner,
                                uint64_t *kept);

/* Reference of the tally that holds only values of this learner, 0 none. */
uint32_t refrain_learner_tally(const void *image, size_t image_bytes, const struct refrain_learner *learner);

/* Where the next values of a sequence come from. */
enum refrain_sequence_stage {
    REFRAIN_STAGE_IDENTITY,
    REFRAIN_STAGE_TERMS,
    REFRAIN_STAGE_CONTINUATION, /* of the last term */
    REFRAIN_STAGE_TALLY,
    REFRAIN_STAGE_END,
};

struct refrain_sequence {
    /* the current run */
    int64_t value, stride;
    uint64_t run;
    bool approximate; /* the value returned last came from a tally or summary */
    bool unknown;     /* and it stands for several different values, or only their number is known */
    uint8_t stage;    /* enum refrain_sequence_stage */
    /* the current term */
    bool flat;          /* no item of it has a stride */
    unsigned position;  /* of the next item */
    unsigned row;       /* number of single values that come next, returned without a look at the loops */
    unsigned innermost; /* innermost open loop; REFRAIN_LOOP_HEIGHTS: none */
    const struct refrain_item *term;
    const struct refrain_learner *learner;
    struct refrain_terms terms;
    struct refrain_open_loop loops[REFRAIN_LOOP_HEIGHTS];
    uint64_t continuation; /* values of the continuation that are left */
    /* open repetitions of the archive, the innermost last; in one, `term` is an archived term */
    struct refrain_repeat_frame frame[REFRAIN_REPEAT_DEPTH];
    unsigned depth, fruitless;
    /* values whose order is not known */
    struct refrain_tally_reader tally;
    bool tally_given; /* all of the tally is delivered, or there is none */
    bool last_left;   /* the last value is known, and comes after all others */
};

void refrain_sequence_open(struct refrain_sequence *sequence, const void *image, size_t image_bytes,
                           const struct refrain_learner *learner);

/* Slow path of refrain_sequence_next(): starts the next run. */
bool refrain_sequence_advance(struct refrain_sequence *sequence);

/* Takes the next value. False at the end. sequence->approximate is then true if the value is only likely. */
static inline bool refrain_sequence_next(struct refrain_sequence *sequence, int64_t *value) {
    if (sequence->run == 0 && !refrain_sequence_advance(sequence))
        return false;
    *value = sequence->value;
    sequence->value = (int64_t)((uint64_t)sequence->value + (uint64_t)sequence->stride);
    sequence->run--;
    return true;
}

/* The sum of the current run's loop counts. A count of -n is n iterations, too (REFRAIN_KIND_LOOP). */
uint64_t refrain_sequence_iterations(const struct refrain_sequence *sequence);

/* ---- sequence_repeats.c ---- */

/* A lower bound of how often the next m values are these, again and again. It looks only at the current run, at the
 * open loops, and at a copy from which it takes the m values once. m > 0. */
uint64_t refrain_sequence_repeats(struct refrain_sequence *sequence, const int64_t *values, unsigned m);

/* Takes n times these m values. Precondition: refrain_sequence_repeats() >= n > 0. */
void refrain_sequence_skip(struct refrain_sequence *sequence, const int64_t *values, unsigned m, uint64_t n);

/* ---- closing ---- */

void refrain_sequence_close(struct refrain_sequence *sequence);

#endif
