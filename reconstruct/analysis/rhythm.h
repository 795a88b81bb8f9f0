/* rhythm.h: what repeats in a run, how long an iteration takes, and which one is unlike the others (delays.c ->
 * report).
 *
 *     entries of a call or function on one rank    |  |  |  |     |  |  |
 *     intervals                                     10 10 10  22   10 10
 *                                                             longest: what was longer in it is asked at once
 *
 * The *beat* of a run is the call or function whose intervals of about median length cover most of the run. So a call
 * in an inner loop is none: most of its intervals are short, and the long ones between have most of the time. Memory: a
 * histogram for each call and function. */
#ifndef REFRAIN_RHYTHM_H
#define REFRAIN_RHYTHM_H

#include "match/event.h"

struct refrain_delay_place;

#define REFRAIN_RHYTHM_LEAST 8u /* iterations that make a rhythm */
#define REFRAIN_RHYTHM_BINS 192u

struct refrain_beat {
    const struct refrain_region_info *region;
    int32_t rank;    /* whose entries count: the lowest of those that came there at first */
    uint64_t count;  /* iterations: intervals between entries */
    int64_t last_ns; /* of the last entry */
    int64_t longest_from_ns, longest_to_ns;
    uint64_t longest;  /* its number, from 1 */
    int64_t second_ns; /* length of the second longest */
    const struct refrain_delay_place
        *place; /* that some rank had more of in the longest one; null: not looked for ... */
    int32_t late_rank;
    int64_t more_ns;                    /* ... and how much; ... */
    size_t n_late;                      /* ... so many ranks had half as much more of it */
    double median_ns;                   /* filled at the end */
    double regular_ns;                  /* likewise: time in intervals from half to twice the median */
    double bin_ns[REFRAIN_RHYTHM_BINS]; /* private */
    uint64_t bins[REFRAIN_RHYTHM_BINS]; /* private: intervals by their length, four bins an octave */
};

struct refrain_rhythm;

/* Null without memory. */
struct refrain_rhythm *refrain_rhythm_open(size_t n_regions);
void refrain_rhythm_close(struct refrain_rhythm *rhythm);

/* Takes an ENTER of a first thread. Returns the beat where the interval that it ends is the longest so far, and far
 * longer than most: the caller then says what was longer in it. Else null. False in *done without memory. */
struct refrain_beat *refrain_rhythm_enter(struct refrain_rhythm *rhythm, const struct refrain_event *event, bool *done);

/* Forgets what was so far. */
void refrain_rhythm_reset(struct refrain_rhythm *rhythm);

/* The run's beat, of so many nanoseconds; null where nothing repeats for a good part of it. */
const struct refrain_beat *refrain_rhythm_beat(struct refrain_rhythm *rhythm, int64_t run_ns);

#endif
