/* walk_time.h: how long the blocks of a walk took, and records that wait for their time (walk_parts.h). */
#ifndef REFRAIN_WALK_TIME_H
#define REFRAIN_WALK_TIME_H

#include "walk/walk_parts.h"

/* Begins the next stretch of a place's history, where its blocks have not all been. */
void refrain_walk_begin_stretch(struct refrain_walk *walk, struct refrain_walk_learner *place);

/* What a place's next block in an entry of several is expected to take: the mean of what is left to those of the
 * stretch. */
static inline uint64_t refrain_walk_expected_share(struct refrain_block_account *account) {
    uint64_t visits = account->shared_visits;
    account->shared_visits -= visits > 0;
    if (account->shared_ticks <= 0 || visits == 0)
        return 0;
    return (uint64_t)account->shared_ticks / visits;
}

/* A block passes in a walk that counts, in that context: it took that long. */
void refrain_walk_count_told(struct refrain_walk *walk, uint32_t context, uint64_t ticks);

/* A block passes that is an entry of the timeline by itself: its time is known, whatever was expected of it. */
static inline void refrain_walk_pass_told(struct refrain_walk *walk, struct refrain_walk_learner *place,
                                          uint32_t context, uint64_t told) {
    if (place->visits_left == 0)
        refrain_walk_begin_stretch(walk, place);
    place->visits_left -= place->visits_left > 0;
    place->visits++;
    place->account.ticks_left = (int64_t)((uint64_t)place->account.ticks_left - (told - walk->ticks));
    if (walk->counting)
        refrain_walk_count_told(walk, context, told - walk->ticks);
    walk->ticks = told;
    if (walk->recorder)
        refrain_walk_note_block(walk, place, context);
}

/* As refrain_walk_pass_block, for blocks of all kinds. */
void refrain_walk_pass_any_block(struct refrain_walk *walk, struct refrain_walk_learner *place, uint32_t context);

/* Lets the block that a place began in that context pass: as long as the timeline says; where it says nothing, or the
 * order of blocks is not that of the run any longer, as long as the history expects. */
static inline void refrain_walk_pass_block_of(struct refrain_walk *walk, struct refrain_walk_learner *place,
                                              uint32_t context) {
    uint64_t told;
    if (!walk->approximate && refrain_block_times_short(&walk->times, walk->ticks, &told))
        refrain_walk_pass_told(walk, place, context, told);
    else
        refrain_walk_pass_any_block(walk, place, context);
}

/* The same in what is open now. */
static inline void refrain_walk_pass_block(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    refrain_walk_pass_block_of(walk, place, walk->stack[walk->depth - 1].context);
}

/* Are there blocks whose times are not known yet? Then records wait for them. */
static inline bool refrain_walk_is_time_pending(const struct refrain_walk *walk) {
    return walk->times.n_kept > 0 && !walk->times.settled;
}

/* The times of an entry's blocks have become known: open activations, waiting records and iterations get them. */
void refrain_walk_settle(struct refrain_walk *walk);

/* Room for the next record that waits for its time: it does once n_waiting counts it. Null without memory, and the walk
 * ends. */
struct refrain_record *refrain_walk_next_waiting(struct refrain_walk *walk);

/* Keeps a record until its time is known; false without memory, and the walk ends. */
bool refrain_walk_wait_for_time(struct refrain_walk *walk, const struct refrain_record *record);

/* The walk has ended: records that wait get their times, up to the thread's last clock read, which ended one more
 * block. */
void refrain_walk_settle_last(struct refrain_walk *walk);

/* What probes cost. */
static inline void refrain_walk_probe_begins(struct refrain_walk *walk, enum refrain_probe_kind kind) {
    walk->cost += walk->header->probe_costs[kind].before;
}

static inline void refrain_walk_probe_ends(struct refrain_walk *walk, enum refrain_probe_kind kind) {
    walk->cost += walk->header->probe_costs[kind].after;
}

#endif
