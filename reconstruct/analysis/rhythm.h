/* rhythm.h: finds the call or function that repeats in a run, the length of an iteration, and the longest iteration
 * (delays.c -> report).
 *
 *     entries of a call or function on one rank    |  |  |  |     |  |  |
 *     intervals                                     10 10 10  22   10 10
 *                                                             longest: the cause is searched at once
 *
 * The *beat* of a run is the call or function whose intervals of about median length cover most of the run. A call
 * in an inner loop is no beat: most of its intervals are short, but the long ones between them have most of the
 * time. Memory: a histogram for each call and function. */
#ifndef REFRAIN_RHYTHM_H
#define REFRAIN_RHYTHM_H

#include "match/event.h"

struct refrain_delay_place;

#define REFRAIN_RHYTHM_LEAST 8u /* fewest iterations of a rhythm */
#define REFRAIN_RHYTHM_BINS 192u

struct refrain_beat {
    const struct refrain_region_info *region;
    int32_t rank;    /* rank whose entries count: the lowest one that was first there */
    uint64_t count;  /* number of intervals between entries */
    int64_t last_ns; /* of the last entry */
    int64_t longest_from_ns, longest_to_ns;
    uint64_t longest;  /* its number, from 1 */
    int64_t second_ns; /* length of the second longest */
    const struct refrain_delay_place
        *place; /* place of which some rank had more in the longest iteration; null: not searched */
    int32_t late_rank;
    int64_t more_ns;                    /* how much more */
    size_t n_late;                      /* number of ranks that had at least half as much more of it */
    double median_ns;                   /* set at the end */
    double regular_ns;                  /* set at the end: time in intervals from half to twice the median */
    double bin_ns[REFRAIN_RHYTHM_BINS]; /* private */
    uint64_t bins[REFRAIN_RHYTHM_BINS]; /* private: intervals by length, four bins per octave */
};

struct refrain_rhythm;

/* Null without memory. */
struct refrain_rhythm *refrain_rhythm_open(size_t n_regions);
void refrain_rhythm_close(struct refrain_rhythm *rhythm);

/* Processes an ENTER of a first thread. If the interval that it ends is the longest so far, and much longer than
 * most, returns the beat, and the caller searches the cause. Else returns null. *done is false without memory. */
struct refrain_beat *refrain_rhythm_enter(struct refrain_rhythm *rhythm, const struct refrain_event *event, bool *done);

/* Forgets all earlier events. */
void refrain_rhythm_reset(struct refrain_rhythm *rhythm);

/* The beat of a run of this length; null if nothing repeats for a large part of it. */
const struct refrain_beat *refrain_rhythm_beat(struct refrain_rhythm *rhythm, int64_t run_ns);

#endif
