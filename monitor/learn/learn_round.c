/* learn_round.c: see learn_round.h. */
#define _GNU_SOURCE
#include "learn_round.h"
#include "learn_formula.h"
#include "learn_turns.h"

#define MOST_PATIENCE 12u /* as a power of two */

static void *at_offset(uint64_t offset) {
    return refrain_trace_file.base + offset;
}

/* The stretch of the slot's history that the visits of a round are in. */
static uint64_t *stretch_of(const struct refrain_round_slot *in_round) {
    const struct refrain_slot *slot = at_offset(in_round->at);
    struct refrain_history *history = refrain_at_reference(slot->history);
    return &history->ticks[in_round->count >> history->shift];
}

/* The messages that the calls have received are those of receives whose communicator is only counted by now, which is
 * said for each of them. */
static void tell_of_messages(const struct refrain_round *round, const struct refrain_call_cache *owner) {
    if (!(owner->special & REFRAIN_ROUND_MESSAGE) || !round->posted)
        return;
    const struct refrain_operation_record *posted = refrain_at_reference(round->posted);
    if (posted->parameter[REFRAIN_PARAMETERS - 1].state == REFRAIN_SUMMARY)
        refrain_lose(REFRAIN_LOSS_COUNTS, refrain_round_came(round, REFRAIN_ROUND_OPERATION));
}

void refrain_round_tell(struct refrain_round *round) {
    if (round->turns % 2 == 0)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const struct refrain_round_slot *in_round = &round->slot[i];
        struct refrain_slot *slot = at_offset(in_round->at);
        *stretch_of(in_round) = in_round->stretch_ticks + round->ticks[i];
        slot->ticks = in_round->ticks + round->ticks[i];
        slot->count = in_round->count + refrain_round_came(round, in_round->step);
    }
    for (unsigned i = 0; i < round->n_learners; i++) {
        const struct refrain_round_learner *in_round = &round->learner[i];
        struct refrain_learner *learner = at_offset(in_round->at);
        uint32_t came = refrain_round_came(round, in_round->step);
        learner->confirmed = in_round->confirmed + came;
        if (in_round->until)
            learner->until = in_round->until;
        else
            refrain_turns_pass(learner, came);
        learner->round = 0;
    }
    refrain_commit();
    round->turns++;
    struct refrain_call_cache *owner = (struct refrain_call_cache *)(uintptr_t)round->owner;
    tell_of_messages(round, owner);
    owner->round = NULL;
    owner->special = 0;
    owner->again.key = 0;
    bool was_long = refrain_round_came(round, REFRAIN_ROUND_BEGIN) >= REFRAIN_LONG_ROUND;
    if (was_long)
        owner->patience = 0;
    else if (owner->patience < MOST_PATIENCE)
        owner->patience++;
    owner->wait = (uint16_t)((1u << owner->patience) - 1);
    for (unsigned i = 0; i < REFRAIN_ROUND_STEPS; i++)
        round->left[i] = 0;
}

void refrain_round_tell_of(const struct refrain_learner *learner) {
    refrain_round_tell(refrain_at_reference(learner->round));
}

/* Unless the round's own thread has told it since. */
static void tell_number(uint64_t *number, uint64_t before, uint64_t now) {
    uint64_t told = __atomic_load_n(number, __ATOMIC_RELAXED);
    if (told - before <= now - before)
        __atomic_compare_exchange_n(number, &told, now, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

void refrain_round_tell_for_another(const struct refrain_round *round) {
    if (round->turns % 2 == 0)
        return;
    for (unsigned i = 0; i < 2; i++) {
        const struct refrain_round_slot *in_round = &round->slot[i];
        struct refrain_slot *slot = at_offset(in_round->at);
        tell_number(stretch_of(in_round), in_round->stretch_ticks, in_round->stretch_ticks + round->ticks[i]);
        tell_number(&slot->ticks, in_round->ticks, in_round->ticks + round->ticks[i]);
        tell_number(&slot->count, in_round->count, in_round->count + refrain_round_came(round, in_round->step));
    }
    for (unsigned i = 0; i < round->n_learners; i++) {
        const struct refrain_round_learner *in_round = &round->learner[i];
        struct refrain_learner *learner = at_offset(in_round->at);
        tell_number(&learner->confirmed, in_round->confirmed,
                    in_round->confirmed + refrain_round_came(round, in_round->step));
    }
}
