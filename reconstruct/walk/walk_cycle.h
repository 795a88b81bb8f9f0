/* walk_cycle.h: equal iterations of a loop, found once and then delivered without walking (walk_rank.c ->
 * location_stream.c, walk_counted.c).
 *
 *     an iteration is walked and recorded: values taken, clock reads, records
 *         --> its learners have the same values n more times --> n iterations that differ only in their times
 *
 * While iterations are delivered, only the clock of the walk advances. At the end of the cycle, the walk takes the
 * values of all delivered iterations in one step. If a timeline entry has several blocks, iterations pass until the
 * begin and end of one are known; then this one is delivered. Therefore the events do not depend on whether or where
 * cycles are found. A cycle is part of the state of the walk: copied with it, and freed with its learners. */
#ifndef REFRAIN_WALK_CYCLE_H
#define REFRAIN_WALK_CYCLE_H

#include "walk/walk_rank.h"

struct refrain_walk_learner;

/* A block that ends in an iteration. */
struct refrain_walk_cycle_block {
    struct refrain_walk_learner *place; /* place where it began */
    uint32_t context;                   /* context in which it began (walk_contexts.h) */
};

/* The values that an iteration takes of one learner. */
struct refrain_walk_cycle_use {
    struct refrain_walk_learner *learner;
    uint32_t values, first_value, rows;
    bool is_loop;
};

/* A number of iterations of a cycle, one after the other. */
struct refrain_walk_cycle_run {
    struct refrain_walk_cycle *cycle;
    uint64_t iterations;
};

/* An iteration that repeats. Or several iterations that repeat together (walk_pattern.c): they are its `parts`,
 * which have the records. */
struct refrain_walk_cycle {
    struct refrain_walk_cycle *next; /* another cycle of the same loop, or null */
    struct refrain_walk_learner *loop;
    struct refrain_record *records; /* of an iteration; their `read` counts clock reads in it from 0 */
    struct refrain_walk_cycle_use *uses;
    struct refrain_walk_cycle_block *blocks; /* one for each clock read */
    int64_t *values;                         /* taken in an iteration, grouped by learner */
    void *events;                            /* for use by the reader of the walk; freed with refrain_free() */
    struct refrain_walk_cycle_run *parts;
    size_t depth;
    uint32_t context; /* of the activation that has the loop */
    uint32_t n_records, n_uses, n_blocks, n_values, n_parts;
    uint32_t misses;      /* searches without success since the last success */
    uint64_t iterations;  /* of the loop, in one repetition of the cycle */
    uint64_t steps, cost; /* of an iteration */
    uint64_t completing_site, changes;
    uint64_t left, passed; /* iterations, during delivery */
};

/* Makes the walk look for cycles. refrain_walk_read() then ends before a cycle, with fewer records than asked for.
 * The caller continues with refrain_walk_cycle_next(). Records in cycles have no cost of probes. */
void refrain_walk_find_cycles(struct refrain_walk *walk);

/* True if an iteration of a cycle comes next, and no other record before it. */
bool refrain_walk_gives_cycle(const struct refrain_walk *walk);

/* Returns the clock reads of the next iteration, valid until the next call, and sets *cycle. Null if no iteration is
 * left: continue with refrain_walk_read(). */
const uint64_t *refrain_walk_cycle_next(struct refrain_walk *walk, struct refrain_walk_cycle **cycle);

/* Frees the `events` of all cycles for which `frees` returns true. `frees` gets `of` as well. */
void refrain_walk_cycles_free_events(struct refrain_walk *walk, bool (*frees)(const void *events, const void *of),
                                     const void *of);

/* Frees the cycles of a loop. */
void refrain_walk_cycles_close(struct refrain_walk_cycle *first);

#endif
