/* walk_cycle.h: iterations of a loop that are alike, found once and then given without walking (walk_rank.c ->
 * location_stream.c, walk_counted.c).
 *
 *     an iteration is walked and recorded: values taken, clock reads, records
 *         --> every learner of it goes on with the same values n times more --> n iterations that differ in their times
 *
 * While a cycle is given, the walk stands where its first iteration began and has but its clock go on; with the last
 * one it takes all the values of those that were given at once. Where the timeline tells of several blocks at once, as
 * many iterations pass as it takes to know when those of one began and ended, and it is given then. So whether and
 * where a cycle is found changes nothing of what comes. Part of the walk's state: copied with it, freed with its
 * learners. */
#ifndef REFRAIN_WALK_CYCLE_H
#define REFRAIN_WALK_CYCLE_H

#include "walk/walk_rank.h"

struct refrain_walk_learner;

/* A block that ends in an iteration. */
struct refrain_walk_cycle_block {
    struct refrain_walk_learner *place; /* at which it began, ... */
    uint32_t context;                   /* ... in this context (walk_contexts.h) */
};

/* What an iteration takes of a learner. */
struct refrain_walk_cycle_use {
    struct refrain_walk_learner *learner;
    uint32_t values, first_value, rows;
    bool is_loop;
};

/* So many iterations of a cycle, one after the other. */
struct refrain_walk_turn {
    struct refrain_walk_cycle *cycle;
    uint64_t iterations;
};

/* An iteration of a loop that comes again, or several that follow each other (walk_pattern.c): then these are its
 * `parts`, and have the records. */
struct refrain_walk_cycle {
    struct refrain_walk_cycle *next; /* another way through the same loop; null: none */
    struct refrain_walk_learner *loop;
    struct refrain_record *records; /* of an iteration; `read` is the number of its time's clock read, from 0 */
    struct refrain_walk_cycle_use *uses;
    struct refrain_walk_cycle_block *blocks; /* one a clock read */
    int64_t *values;                         /* taken in it, those of one learner together */
    void *events;                            /* what the reader made of the records; given back with refrain_free() */
    struct refrain_walk_turn *parts;
    size_t depth;
    uint32_t context; /* of the activation that the loop is in */
    uint32_t n_records, n_uses, n_blocks, n_values, n_parts;
    uint32_t misses;      /* times that it did not come, since it came last */
    uint64_t iterations;  /* of the loop, in one of the cycle */
    uint64_t steps, cost; /* of an iteration */
    uint64_t completing_site, changes;
    uint64_t left, passed; /* iterations, while it is given */
};

/* From now on cycles are found: refrain_walk_read() ends where one is to be given, with fewer records than it was asked
 * for. Records in cycles do not say what their probes cost. */
void refrain_walk_find_cycles(struct refrain_walk *walk);

/* Is an iteration of a cycle given next? Not while other records come before it. */
bool refrain_walk_gives_cycle(const struct refrain_walk *walk);

/* Gives the next iteration, of *cycle: its clock reads, until the next call. Null where no iteration is given: the walk
 * goes on. */
const uint64_t *refrain_walk_cycle_next(struct refrain_walk *walk, struct refrain_walk_cycle **cycle);

/* Frees the `events` of all cycles for which `frees` says so; it is given `of` as well. */
void refrain_walk_cycles_free_events(struct refrain_walk *walk, bool (*frees)(const void *events, const void *of),
                                     const void *of);

/* Frees a loop's. */
void refrain_walk_cycles_close(struct refrain_walk_cycle *first);

#endif
