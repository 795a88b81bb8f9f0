/* walk_time.c: computes how long blocks took (walk_parts.h). */
#include "walk/walk_time.h"

#include "common/arena.h"
#include "common/array.h"
#include <string.h>

/* A visit is expected to take at most this times the mean of its place, and at least the mean divided by this. */
#define MOST_OVER_MEAN 4u

void refrain_walk_open_account(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    const struct refrain_slot *slot = place->slot;
    if (place->visits >= slot->count) {
        refrain_walk_pass_uncounted(walk, place);
        return;
    }
    place->visits_left = slot->count - place->visits;
    place->account.ticks_left = (int64_t)((uint64_t)place->account.ticks_left + slot->ticks);
    /* A negative total: the clock went back. */
    place->mean_ticks = (int64_t)slot->ticks > 0 ? slot->ticks / place->visits_left : 0;
    refrain_walk_shares_get(&walk->shares, place->offset, &place->account);
}

/* Expected time of the next block of a place: the mean of what its blocks have left. */
static uint64_t expected_ticks(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    if (place->visits_left == 0)
        refrain_walk_open_account(walk, place);
    if (place->visits_left == 0)
        return 0;
    uint64_t expected = place->account.ticks_left > 0 ? (uint64_t)place->account.ticks_left / place->visits_left : 0;
    if (walk->times.ended)
        return expected; /* no time may be lost */
    /* Limits the correction: the last visits must not make up for all earlier errors. */
    if (expected > place->mean_ticks * MOST_OVER_MEAN)
        return place->mean_ticks * MOST_OVER_MEAN;
    return expected < place->mean_ticks / MOST_OVER_MEAN ? place->mean_ticks / MOST_OVER_MEAN : expected;
}

void refrain_walk_count_single(struct refrain_walk *walk, uint32_t context, uint64_t ticks) {
    const struct refrain_walk_contexts *contexts = walk->contexts;
    if (contexts && context < contexts->n_contexts)
        contexts->contexts[context].single_ticks += (int64_t)ticks;
}

void refrain_walk_settle(struct refrain_walk *walk) {
    uint64_t begin_ticks = walk->times.begin_ticks;
    for (size_t i = walk->depth; i-- > 0;) {
        struct refrain_walk_activation *activation = &walk->stack[i];
        bool began_before = activation->begin_ticks <= begin_ticks;
        activation->begin_ticks = refrain_block_times_resolve(&walk->times, activation->begin_ticks);
        activation->end_ticks = refrain_block_times_resolve(&walk->times, activation->end_ticks);
        if (began_before)
            break;
    }
    for (size_t i = walk->first_waiting; i < walk->first_waiting + walk->n_waiting; i++)
        walk->waiting[i].ticks = refrain_block_times_resolve(&walk->times, walk->waiting[i].ticks);
    walk->n_known = walk->n_waiting;
    struct refrain_walk_ahead *ahead = &walk->ahead;
    for (; ahead->known < ahead->n; ahead->known++)
        ahead->ticks[ahead->known] = refrain_block_times_resolve(&walk->times, ahead->ticks[ahead->known]);
}

static void pass_visit(struct refrain_walk_learner *place) {
    place->visits_left -= place->visits_left > 0;
    place->visits++;
}

/* Lets a block of an entry of several blocks pass, in a counting walk. */
static void count_block(struct refrain_walk *walk, struct refrain_walk_learner *place) {
    place->account.shared_visits++;
    pass_visit(place);
    refrain_block_times_count(&walk->times, &walk->ticks);
}

void refrain_walk_pass_any_block(struct refrain_walk *walk, struct refrain_walk_learner *place, uint32_t context) {
    uint64_t end_ticks;
    if (!walk->approximate && !refrain_walk_is_time_pending(walk) &&
        refrain_block_times_single(&walk->times, walk->ticks, &end_ticks)) {
        refrain_walk_pass_single(walk, place, context, end_ticks);
        return;
    }
    if (walk->recorder)
        refrain_walk_note_block(walk, place, context);
    struct refrain_block_account *account = &place->account;
    uint64_t ticks = 0;
    if (place->visits_left == 0)
        refrain_walk_open_account(walk, place);
    if (walk->counting) {
        count_block(walk, place);
        return;
    }
    if (walk->shares.n > 0 && !walk->times.ended && !walk->approximate)
        ticks = refrain_walk_expected_share(account);
    else
        ticks = expected_ticks(walk, place);
    account->ticks_left = (int64_t)((uint64_t)account->ticks_left - ticks);
    account->shared_ticks = (int64_t)((uint64_t)account->shared_ticks - ticks);
    pass_visit(place);
    if (walk->approximate && !walk->times.ended) {
        bool waited = walk->times.n_kept > 0 && !walk->times.settled;
        uint64_t end_ticks = refrain_block_times_give_up(&walk->times, false, 0);
        walk->ticks = waited ? end_ticks : walk->ticks;
        refrain_walk_settle(walk);
    }
    switch (refrain_block_times_pass(&walk->times, ticks, account, context, &walk->ticks)) {
    case REFRAIN_BLOCK_UNTIMED:
        walk->ticks += ticks;
        /* In an approximate order, earlier blocks may have got too much time. No block ends after the last clock
         * read. */
        if (walk->approximate && walk->ticks > walk->thread->last_ticks)
            walk->ticks = walk->thread->last_ticks;
        return;
    case REFRAIN_BLOCK_SETTLED:
        refrain_walk_settle(walk);
        return;
    default:
        return;
    }
}

/* ---- records that wait ---- */

void refrain_walk_clear_unused(struct refrain_walk *walk) {
    size_t n = walk->first_waiting + walk->n_waiting;
    if (walk->waiting) {
        memset(walk->waiting, 0, walk->first_waiting * sizeof *walk->waiting);
        memset(walk->waiting + n, 0, (walk->capacity_waiting - n) * sizeof *walk->waiting);
    }
    refrain_block_times_clear_unused(&walk->times);
    refrain_walk_ahead_clear_unused(&walk->ahead);
}

struct refrain_record *refrain_walk_next_waiting(struct refrain_walk *walk) {
    size_t n = walk->first_waiting + walk->n_waiting;
    if (!REFRAIN_ARENA_ROOM(walk->waiting, n, walk->capacity_waiting)) {
        refrain_walk_fail(walk, NULL, "no memory");
        return NULL;
    }
    return &walk->waiting[n];
}

bool refrain_walk_wait_for_time(struct refrain_walk *walk, const struct refrain_record *record) {
    struct refrain_record *waiting = refrain_walk_next_waiting(walk);
    if (!waiting)
        return false;
    *waiting = *record;
    walk->n_waiting++;
    return true;
}

void refrain_walk_settle_last(struct refrain_walk *walk) {
    uint64_t further = expected_ticks(walk, walk->stack[walk->depth - 1].at);
    walk->ticks = refrain_block_times_give_up(&walk->times, true, further);
    refrain_walk_settle(walk);
}
