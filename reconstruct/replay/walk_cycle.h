/* walk_cycle.h: iterations of a loop that are alike, found once and then given without walking (walk_rank.c ->
 * location_stream.c).
 *
 *     an iteration is walked and recorded: values taken, clock reads, records
 *         --> every learner of it goes on with the same values n times more --> n iterations that differ in their times
 *
 * While a cycle is given, the walk stands where its first iteration began and has but its clock go on; with the last
 * one it takes all the values of those that were given at once. So whether and where a cycle is found changes nothing
 * of what comes. Part of the walk's state: copied with it, freed with its places. */
#ifndef REFRAIN_WALK_CYCLE_H
#define REFRAIN_WALK_CYCLE_H

#include "walk_rank.h"

struct refrain_walk_learner;
struct refrain_walk_cycle_use; /* of a place in an iteration (walk_cycle.c) */

struct refrain_walk_cycle {
    struct refrain_walk_cycle *next; /* another way through the same loop; null: none */
    struct refrain_walk_learner *loop;
    struct refrain_record *records; /* of an iteration; `read` is the index in ticks[] of its time */
    struct refrain_walk_cycle_use *uses;
    struct refrain_walk_learner **blocks; /* that end in it, one a clock read */
    int64_t *values;                      /* taken in it, those of one place together */
    uint64_t *ticks;                      /* of the clock reads of the iteration that is given now */
    void *events;                         /* what the reader made of the records; given back with refrain_free() */
    size_t depth;
    uint32_t n_records, n_uses, n_blocks, n_values;
    uint32_t misses;      /* times that it did not come, since it came last */
    uint64_t steps, cost; /* of an iteration */
    uint64_t completing_site, changes;
    uint64_t left, given; /* iterations, while it is given */
};

/* From now on cycles are found: refrain_walk_read() ends where one is to be given, with fewer records than it was asked
 * for. What probes cost is not told of records in cycles. */
void refrain_walk_find_cycles(struct refrain_walk *walk);

/* The cycle that is to be given next, or is being given; null: none. */
struct refrain_walk_cycle *refrain_walk_cycle(const struct refrain_walk *walk);

/* Frees a loop's. */
void refrain_walk_cycles_close(struct refrain_walk_cycle *first);

/* Goes on to its next iteration: ticks[] is of that one. False where there is none: it is over, and the walk goes on.
 */
bool refrain_walk_cycle_next(struct refrain_walk *walk);

#endif
