/* tally.h: delivers rows of values that the trace has only as a tally (image -> sequences, walker). Known are the
 * count of each row, and the number of runs of equal rows. Each row is delivered in runs of equal length, evenly
 * spread: at any time it has had its part of the total, to within a run. */
#ifndef REFRAIN_TALLY_H
#define REFRAIN_TALLY_H

#include "sequence/numbered.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_tally_entry {
    const uint64_t *words; /* in the image: count, then values */
    uint64_t count;        /* to be delivered */
    uint64_t given;
    uint64_t runs; /* approximate number of runs */
    uint64_t begun;
};

struct refrain_tally_reader {
    const struct refrain_tally *tally;   /* null: not open */
    struct refrain_tally_entry *entries; /* owned; the entry for all other rows, if any, is the last */
    size_t n;
    bool has_other;
    uint64_t left;                           /* rows that are not delivered yet */
    struct refrain_tally_entry *current;     /* entry of the current run */
    uint64_t run_left;                       /* rows left of the current run */
    bool gave_other;                         /* the row delivered last stands for several other rows */
    const struct refrain_numbered *numbered; /* set by the caller if it knows the members of communicators */
};

/* Opens the tally at a pool reference. False if it is damaged, and without memory. */
bool refrain_tally_open(struct refrain_tally_reader *reader, const void *image, size_t image_bytes, uint32_t reference);

/* Delivers the next row to `row`, reader->tally->width values. The bits of `known` name the values of `row` that the
 * caller has set. The delivered row agrees with all of them or, if no row does, with as many as possible. A known
 * value is overwritten only if the tally has merged it and has a total for it. False if no row is left. */
bool refrain_tally_next(struct refrain_tally_reader *reader, int64_t *row, unsigned known);

/* Sets row[i] as refrain_tally_next() would, and delivers nothing. False if no row is left. */
bool refrain_tally_peek(const struct refrain_tally_reader *reader, int64_t *row, unsigned known, unsigned i);

/* Sum of value i, an amount, over the rows of an entry that are not delivered yet. */
int64_t refrain_tally_total_left(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                                 unsigned i);

/* How often this value is still to be delivered by a count of its own. Width 1; 0 if the reader is not open. */
uint64_t refrain_tally_left(const struct refrain_tally_reader *reader, int64_t value);

/* Removes one row with this value; width 1. False if there is none. */
bool refrain_tally_take(struct refrain_tally_reader *reader, int64_t value);

void refrain_tally_close(struct refrain_tally_reader *reader);

#endif
