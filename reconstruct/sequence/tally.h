/* tally.h: rows of values of which it is known how often each came, and in how many
 * runs of equal ones, but not in which order (bytes of an image -> sequences, walker). Each is given in runs of equal
 * length, evenly spread: at any time it has been given its share, to within a run. */
#ifndef REFRAIN_TALLY_H
#define REFRAIN_TALLY_H

#include "sequence/numbered.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct refrain_tally_entry {
    const uint64_t *words; /* in the image: count, values */
    uint64_t count;        /* to be given */
    uint64_t given;
    uint64_t runs; /* in which it is to be given, about ... */
    uint64_t begun;
};

struct refrain_tally_reader {
    const struct refrain_tally *tally;   /* null: not open */
    struct refrain_tally_entry *entries; /* owned; the rest, if any, is the last */
    size_t n;
    bool has_rest;
    uint64_t left;                           /* rows not given yet */
    struct refrain_tally_entry *current;     /* whose run it is ... */
    uint64_t run_left;                       /* ... still so many times */
    bool gave_rest;                          /* the row given last stands for others */
    const struct refrain_numbered *numbered; /* set by the caller, where it knows the members of communicators */
};

/* Starts reading the tally at a pool reference. False when it is damaged, or without memory. */
bool refrain_tally_open(struct refrain_tally_reader *reader, const void *image, size_t image_bytes, uint32_t reference);

/* Gives the next row to `row`, reader->tally->width values. The values of `row` named by `known` (bits) are set
 * already. The row given agrees with all of them or, where no row does, with as many as possible. Of the known values
 * only the totals change: amounts that the tally has dropped. False when none is left. */
bool refrain_tally_next(struct refrain_tally_reader *reader, int64_t *row, unsigned known);

/* Sets row[i] to what refrain_tally_next() would, and gives nothing. False when none is left. */
bool refrain_tally_peek(const struct refrain_tally_reader *reader, int64_t *row, unsigned known, unsigned i);

/* What all rows of an entry that are still to be given add up to, in value i, an amount. */
int64_t refrain_tally_total_left(const struct refrain_tally_reader *reader, const struct refrain_tally_entry *entry,
                                 unsigned i);

/* How often this value is still to be given by a count of its own. Width 1; 0 where the reader is not open. */
uint64_t refrain_tally_left(const struct refrain_tally_reader *reader, int64_t value);

/* Takes one row of this value out; width 1. False when there is none. */
bool refrain_tally_take(struct refrain_tally_reader *reader, int64_t value);

void refrain_tally_close(struct refrain_tally_reader *reader);

#endif
