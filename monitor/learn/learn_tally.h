/* learn_tally.h: counts values whose order is given up (struct refrain_tally, formula.h).
 *
 *     learner --- no memory for the oldest terms ---> these are counted, and learning continues with the others
 *     parameters of an operation --- one has no memory ---> rows of all of them are counted from then on
 *
 * By the learner's own thread, except for the pool. A tally grows with the number of different rows as long as there is
 * memory. Without memory it counts different rows as one, but never loses a count. */
#ifndef REFRAIN_LEARN_TALLY_H
#define REFRAIN_LEARN_TALLY_H

#include "context.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define REFRAIN_ROW_COMMUNICATOR 8u /* the last one of four values */

/* The meaning of the values in a row: which of them a tally drops first if there are too many different rows. */
struct refrain_row {
    uint8_t width;
    uint8_t amounts;   /* set of values that are amounts */
    uint8_t drop[2];   /* sets of values that are dropped first, and second */
    uint8_t last_drop; /* set of values dropped last; a communicator has the bit REFRAIN_ROW_COMMUNICATOR */
};

/* A communicator as it is counted without memory: the oldest one with the same members. */
static inline int64_t refrain_oldest_alike(int64_t index) {
    uint64_t part = (uint64_t)index / REFRAIN_ALIKE_COMMUNICATORS;
    const uint16_t *alike = part < REFRAIN_ALIKE_PARTS ? refrain_trace_file.alike[part] : NULL;
    return alike ? (int64_t)alike[(uint64_t)index % REFRAIN_ALIKE_COMMUNICATORS] : index;
}

/* Makes a tally. 0 without memory. */
REFRAIN_HIDDEN uint32_t refrain_tally_make(const struct refrain_row *row, bool joint);

/* Counts `times` rows of these values. *tally: the reference of the tally, which changes if the tally grows. */
REFRAIN_HIDDEN void refrain_tally_add(struct refrain_context *context, uint32_t *tally, const int64_t *values,
                                      uint64_t times);

/* Gives the learner a tally of its own values, if it has none, and counts the loss of their order. False without
 * memory. */
REFRAIN_HIDDEN bool refrain_tally_of_values(struct refrain_learner *learner);

/* Counts the oldest terms of the learner's formula until at most `keep` items are left, and all its plain values.
 * False, with nothing changed, if there is no memory for a tally, or if too few terms can be counted in a few steps:
 * the time does not depend on how many values the terms have. The journal has to be at this learner. */
REFRAIN_HIDDEN bool refrain_tally_terms(struct refrain_context *context, struct refrain_learner *learner,
                                        unsigned keep);

#endif
