/* call_round.c: when a round of calls is opened (call_round.h). */
#define _GNU_SOURCE
#include "call_round.h"
#include "begin.h"
#include "block.h"
#include "call_other.h"
#include "learn_expect.h"

#define LEAST_CALLS 16u                        /* of a round: it takes about as long as a call to open and tell one */
#define MOST_CALLS REFRAIN_CLOCK_REFRESH_CALLS /* so that what is put off in a round comes */

/* What a round would be of. */
struct plan {
    struct refrain_learner *learner[REFRAIN_ROUND_LEARNERS];
    enum refrain_round_step step[REFRAIN_ROUND_LEARNERS];
    unsigned n;
    uint64_t calls; /* that it can be of */
    struct refrain_slot
        *inside; /* the call, or after an operation: the slot that control is at when the call returns */
    enum refrain_round_step inside_step;
    struct refrain_operation_record *operation[REFRAIN_ROUND_OPERATIONS];
    unsigned n_operations;
};

static void limit(struct plan *plan, uint64_t calls) {
    if (calls < plan->calls)
        plan->calls = calls;
}

/* The round is to take the learner's next values, which all are the same. */
static bool add(struct plan *plan, struct refrain_learner *learner, enum refrain_round_step step) {
    if (learner->round)
        refrain_round_tell_of(learner);
    if (learner->stride != 0)
        return false;
    limit(plan, refrain_learn_left(learner));
    plan->learner[plan->n] = learner;
    plan->step[plan->n++] = step;
    return plan->calls >= LEAST_CALLS;
}

static bool add_operation(struct plan *plan, const struct refrain_call_site *call_site,
                          enum refrain_operation operation) {
    enum refrain_round_step step = REFRAIN_ROUND_OPERATION + plan->n_operations;
    struct refrain_operation_record *record = refrain_operation_find(call_site, operation);
    if (!record || plan->n_operations == REFRAIN_ROUND_OPERATIONS)
        return false;
    struct refrain_learner *learners = refrain_operation_learners(record);
    if (learners[0].tally)
        return false;
    for (unsigned i = 0; i < refrain_operation_rows[operation].width; i++)
        if (!add(plan, &learners[i], step))
            return false;
    if (record->after_return && plan->inside_step == REFRAIN_ROUND_END)
        plan->inside_step = step;
    if (!record->after_return)
        plan->inside = &record->after;
    plan->operation[plan->n_operations++] = record;
    return true;
}

static bool has_room(struct plan *plan, const struct refrain_context *context, const struct refrain_slot *slot) {
    const struct refrain_history *history = refrain_history_of(context, slot);
    if (!history)
        return false;
    limit(plan, (((slot->count >> history->shift) + 1) << history->shift) - slot->count);
    return plan->calls >= LEAST_CALLS;
}

/* What the call that is known by `known` will do next, as often as that can be told. */
static bool make_plan(struct plan *plan, const struct refrain_context *context,
                      const struct refrain_call_cache *known) {
    struct refrain_call_site *call_site = known->call_site;
    struct refrain_slot *from = (struct refrain_slot *)known->from, *at = known->at, *last = &call_site->inside;
    plan->inside = last;
    plan->inside_step = REFRAIN_ROUND_END;
    plan->calls = MOST_CALLS;
    if (!add(plan, &at->next, REFRAIN_ROUND_BEGIN) || at->next.expect != REFRAIN_NEXT_CALL + known->number)
        return false;
    if (from != at && (!add(plan, &from->next, REFRAIN_ROUND_BEGIN) || from->next.expect != at->number))
        return false;
    for (;;) {
        bool ends = last->next.expect == REFRAIN_NEXT_EXIT;
        enum refrain_round_step step = ends ? REFRAIN_ROUND_END : REFRAIN_ROUND_OPERATION + plan->n_operations;
        int64_t operation = last->next.expect - REFRAIN_NEXT_OPERATION;
        if (!ends &&
            (operation <= 0 || operation >= REFRAIN_OPERATIONS || plan->n_operations == REFRAIN_ROUND_OPERATIONS))
            return false;
        if (!add(plan, &last->next, step))
            return false;
        if (ends)
            break;
        if (!add_operation(plan, call_site, (enum refrain_operation)operation))
            return false;
        last = &plan->operation[plan->n_operations - 1]->after;
    }
    return has_room(plan, context, at) && has_room(plan, context, plan->inside);
}

static struct refrain_round *take_round(struct refrain_call_site *call_site, unsigned n) {
    struct refrain_round *round = call_site->round ? refrain_at_reference(call_site->round) : NULL;
    if (round && round->room >= n)
        return round;
    size_t bytes = sizeof *round + n * sizeof *round->learner;
    uintptr_t room =
        (uintptr_t)refrain_pool_take(bytes + REFRAIN_LINE_BYTES - REFRAIN_GRAIN_BYTES, REFRAIN_POOL_VALUES);
    if (!room)
        return NULL;
    round = (struct refrain_round *)((room + REFRAIN_LINE_BYTES - 1) & ~(uintptr_t)(REFRAIN_LINE_BYTES - 1));
    round->room = n;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    call_site->round = refrain_reference(round);
    return round;
}

static uint64_t offset_of(const void *at) {
    return (uint64_t)((const unsigned char *)at - refrain_trace_file.base);
}

static struct refrain_round_slot slot_now(const struct refrain_context *context, const struct refrain_slot *slot,
                                          enum refrain_round_step step) {
    const struct refrain_history *history = refrain_history_of(context, slot);
    return (struct refrain_round_slot){
        .at = offset_of(slot),
        .count = slot->count,
        .ticks = slot->ticks,
        .stretch_ticks = history->ticks[slot->count >> history->shift],
        .step = step,
    };
}

static void open_round(const struct refrain_context *context, struct refrain_call_cache *known, const struct plan *plan,
                       struct refrain_round *round) {
    round->calls = (uint32_t)plan->calls;
    round->ticks[0] = round->ticks[1] = 0;
    round->slot[0] = slot_now(context, known->at, REFRAIN_ROUND_BEGIN);
    round->slot[1] = slot_now(context, plan->inside, plan->inside_step);
    round->n_learners = plan->n;
    round->owner = (uintptr_t)known;
    for (unsigned i = 0; i < REFRAIN_ROUND_STEPS; i++)
        round->left[i] = round->calls;
    for (unsigned i = 0; i < plan->n; i++) {
        const struct refrain_learner *learner = plan->learner[i];
        round->learner[i] = (struct refrain_round_learner){offset_of(learner), learner->confirmed, learner->until,
                                                           learner->changes, plan->step[i]};
    }
    for (unsigned i = 0; i < REFRAIN_ROUND_OPERATIONS; i++) {
        const struct refrain_operation_record *record = i < plan->n_operations ? plan->operation[i] : NULL;
        known->operations[i] = record ? (uint8_t)record->operation : 0;
        unsigned width = record ? refrain_operation_rows[record->operation].width : 0;
        for (unsigned k = 0; k < REFRAIN_PARAMETERS; k++)
            round->value[i][k] =
                k < width ? refrain_operation_learners((struct refrain_operation_record *)record)[k].expect : 0;
    }
    known->operation = plan->n_operations ? plan->operation[0] : known->operation;
    known->n_operations = (uint8_t)plan->n_operations;
    known->n_before = (uint8_t)(plan->inside_step - REFRAIN_ROUND_OPERATION);
    if (plan->inside_step == REFRAIN_ROUND_END)
        known->n_before = known->n_operations;
    known->ends_told = known->n_before == known->n_operations ? known->n_operations : UINT8_MAX;
    known->goes_on_bytes = known->at->flags & REFRAIN_SLOT_CALL ? sizeof *known->at : 0;
    round->second = plan->n_operations > 1 ? refrain_reference(plan->operation[1]) : 0;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    round->turns++;
    for (unsigned i = 0; i < plan->n; i++) {
        plan->learner[i]->round = refrain_reference(round);
        plan->learner[i]->until = plan->learner[i]->confirmed;
    }
    known->round = round;
}

static void try_to_open(struct refrain_context *context, struct refrain_call_cache *known) {
    struct plan plan = {.n = 0};
    struct refrain_round *round;
    if (make_plan(&plan, context, known) && (round = take_round(known->call_site, plan.n))) {
        open_round(context, known, &plan, round);
        return;
    }
    known->wait = LEAST_CALLS;
}

bool refrain_round_try(struct refrain_context *context, struct refrain_call_cache *known) {
    struct refrain_round *round = known->round;
    if (round && (round->left[REFRAIN_ROUND_BEGIN] > 0 || round->left[REFRAIN_ROUND_END] > 0))
        return false; /* a call of it is under way */
    if (!round && known->wait > 0) {
        known->wait--;
        return false;
    }
    context->busy = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (round)
        refrain_round_tell(round);
    try_to_open(context, known);
    refrain_end(context);
    return known->round != NULL;
}

static void end_round(struct refrain_call_cache *known) {
    if (known->round)
        refrain_round_tell(known->round);
}

void refrain_rounds_end(struct refrain_context *context) {
    for (unsigned i = 0; i < REFRAIN_CALL_CACHE; i++)
        end_round(&context->calls_known[i]);
}

void refrain_rounds_tell_for_another(const struct refrain_context *context) {
    for (unsigned i = 0; i < REFRAIN_CALL_CACHE; i++)
        if (context->calls_known[i].round)
            refrain_round_tell_for_another(context->calls_known[i].round);
}
