/* walk_time.h: how long the blocks of a walk took, and records that wait for their time (walk_parts.h). */
#ifndef REFRAIN_WALK_TIME_H
#define REFRAIN_WALK_TIME_H

#include "walk/walk_parts.h"

/* Gives the account of a place the time of its blocks, unless all of them have passed. */
void refrain_walk_open_account(struct refrain_walk *walk, struct refrain_walk_learner *place);

/* Expected time of the next block of a place in an entry of several: the mean of what is left for such blocks. */
static inline uint64_t refrain_walk_expected_share(struct refrain_block_account *account) {
    uint64_t visits = account->shared_visits;
    account->shared_visits -= visits > 0;
    if (account->shared_ticks <= 0 || visits == 0)
        return 0;
    return (uint64_t)account->shared_ticks / visits;
}

/* Adds the time of a block that is an entry by itself to its context, in a counting walk. */
void refrain_walk_count_single(struct refrain_walk *walk, uint32_t context, uint64_t ticks);

/* Lets a block pass that is a timeline entry by itself, so that its end is known. */
static inline void refrain_walk_pass_single(struct refrain_walk *walk, struct refrain_walk_learner *place,
                                            uint32_t context, uint64_t end_ticks) {
    if (place->visits_left == 0)
        refrain_walk_open_account(walk, place);
    place->visits_left -= place->visits_left > 0;
    place->visits++;
    place->account.ticks_left = (int64_t)((uint64_t)place->account.ticks_left - (end_ticks - walk->ticks));
    if (walk->counting)
        refrain_walk_count_single(walk, context, end_ticks - walk->ticks);
    walk->ticks = end_ticks;
    if (walk->recorder)
        refrain_walk_note_block(walk, place, context);
}

/* As refrain_walk_pass_block_of(), for blocks of all kinds. */
void refrain_walk_pass_any_block(struct refrain_walk *walk, struct refrain_walk_learner *place, uint32_t context);

/* Lets the block pass that a place began in that context. It ends when the timeline says. If the timeline has ended,
 * or the order is approximate, the block takes the mean time of its place. */
static inline void refrain_walk_pass_block_of(struct refrain_walk *walk, struct refrain_walk_learner *place,
                                              uint32_t context) {
    uint64_t end_ticks;
    if (!walk->approximate && refrain_block_times_short(&walk->times, walk->ticks, &end_ticks))
        refrain_walk_pass_single(walk, place, context, end_ticks);
    else
        refrain_walk_pass_any_block(walk, place, context);
}

/* As refrain_walk_pass_block_of(), in the context of the innermost activation. */
static inline void refrain_walk_pass_block(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    refrain_walk_pass_block_of(walk, place, walk->stack[walk->depth - 1].context);
}

/* True while blocks have passed whose times are not known. New records then wait for their times. */
static inline bool refrain_walk_is_time_pending(const struct refrain_walk *walk) {
    return walk->times.n_kept > 0 && !walk->times.settled;
}

/* Called when the times of the blocks of an entry have become known: sets them in open activations, waiting records
 * and iterations. */
void refrain_walk_settle(struct refrain_walk *walk);

/* Room for the next waiting record, which the caller adds by n_waiting++. Without memory: ends the walk and returns
 * null. */
struct refrain_record *refrain_walk_next_waiting(struct refrain_walk *walk);

/* Keeps a record until its time is known. Without memory: ends the walk and returns false. */
bool refrain_walk_wait_for_time(struct refrain_walk *walk, const struct refrain_record *record);

/* Called at the end of the walk: gives waiting records their times, up to the last clock read of the thread, which
 * ended one more block. */
void refrain_walk_settle_last(struct refrain_walk *walk);

/* Cost of probes. */
static inline void refrain_walk_probe_begins(struct refrain_walk *walk, enum refrain_probe_kind kind) {
    walk->cost += walk->header->probe_costs[kind].before;
}

static inline void refrain_walk_probe_ends(struct refrain_walk *walk, enum refrain_probe_kind kind) {
    walk->cost += walk->header->probe_costs[kind].after;
}

#endif
