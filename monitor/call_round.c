/* call_round.c: when a round of calls is opened (call_round.h). */
#define _GNU_SOURCE
#include "call_round.h"
#include "begin.h"
#include "block.h"
#include "call_other.h"
#include "learn_expect.h"
#include "learn_turns.h"
#include "round_step.h"

#include <string.h>

#define LEAST_CALLS 16u                        /* of a round: it takes about as long as a call to open and tell one */
#define MOST_CALLS REFRAIN_CLOCK_REFRESH_CALLS /* so that what is put off in a round comes */
_Static_assert(MOST_CALLS <= UINT16_MAX, "counted in 16 bits");
#define MOST_ROWS 8u           /* whose turn it may be */
#define MOST_WAIT_PATIENCE 7u  /* after tries that failed; as a power of two */
#define MOST_OTHER_MESSAGES 3u /* rounds that these end, until messages are told call by call */

/* What a round would be of. */
struct plan {
    struct refrain_learner *learner[REFRAIN_ROUND_LEARNERS];
    enum refrain_round_step step[REFRAIN_ROUND_LEARNERS];
    struct refrain_turns turns[REFRAIN_ROUND_LEARNERS]; /* that its values take; none where n is 0 */
    unsigned n;
    unsigned rows;   /* calls after which all values come again */
    bool comes;      /* how control comes to the call is not of the round */
    bool message;    /* that of what the call completes is of the round */
    uint32_t posted; /* where that is: the operation that posted it, 0 where it receives nothing */
    uint64_t calls;  /* that it can be of */
    struct refrain_slot
        *inside; /* the call, or after an operation: the slot that control is at when the call returns */
    enum refrain_round_step inside_step;
    struct refrain_operation_record *operation[REFRAIN_ROUND_OPERATIONS];
    unsigned first_value[REFRAIN_ROUND_OPERATIONS]; /* the learner of the operation's first value */
    unsigned n_operations;
};

static void limit(struct plan *plan, uint64_t calls) {
    if (calls < plan->calls)
        plan->calls = calls;
}

/* The next values are all the same. */
static bool is_steady(struct refrain_learner *learner) {
    if (learner->round)
        refrain_round_tell_of(learner);
    return learner->stride == 0 && refrain_learn_left(learner) >= LEAST_CALLS;
}

/* The round takes the learner's next values, of which `left` are certain. */
static bool take(struct plan *plan, struct refrain_learner *learner, enum refrain_round_step step, uint64_t left) {
    limit(plan, left);
    plan->learner[plan->n] = learner;
    plan->step[plan->n++] = step;
    return plan->calls >= LEAST_CALLS;
}

static bool add(struct plan *plan, struct refrain_learner *learner, enum refrain_round_step step) {
    plan->turns[plan->n].n = 0;
    return is_steady(learner) && take(plan, learner, step, refrain_learn_left(learner));
}

/* As add(); the values may take turns. */
static bool add_parameter(struct plan *plan, struct refrain_learner *learner, enum refrain_round_step step) {
    struct refrain_turns *turns = &plan->turns[plan->n];
    if (is_steady(learner) || !refrain_turns_find(learner, MOST_ROWS, turns))
        return add(plan, learner, step);
    unsigned rows = turns->n;
    while (rows % plan->rows != 0)
        rows += turns->n;
    plan->rows = rows;
    return rows <= MOST_ROWS && take(plan, learner, step, turns->left);
}

/* The call completes one request. If it was posted where the one before it was, the message is as predicted there,
 * which is of the round, too, if it goes on like that. */
static void add_message(struct plan *plan, const struct refrain_call_site *call_site, enum refrain_round_step step) {
    const struct refrain_round *before = call_site->round ? refrain_at_reference(call_site->round) : NULL;
    struct plan without = *plan;
    if (!before || before->other_messages >= MOST_OTHER_MESSAGES)
        return;
    plan->posted = before->posted;
    plan->message = true;
    if (!plan->posted)
        return;
    struct refrain_operation_record *posted = refrain_at_reference(plan->posted);
    plan->message = posted->operation == REFRAIN_OP_IRECV && !posted->parameter[0].tally &&
                    refrain_operation_learners(posted)->state != REFRAIN_SUMMARY;
    for (unsigned i = 0; plan->message && i < REFRAIN_PARAMETERS - 1; i++)
        plan->message = !posted->parameter[i].round && add_parameter(plan, &posted->parameter[i], step);
    if (!plan->message)
        *plan = without;
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
    plan->first_value[plan->n_operations] = plan->n;
    for (unsigned i = 0; i < refrain_operation_rows[operation].width; i++)
        if (!add_parameter(plan, &learners[i], step))
            return false;
    if (operation == REFRAIN_OP_COMPLETE && plan->n_operations == 0)
        add_message(plan, call_site, step);
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

/* Control comes to the place, and from there to the call: with the round, where it always does. */
static bool come(struct plan *plan, const struct refrain_call_cache *known) {
    struct refrain_slot *from = (struct refrain_slot *)known->from, *at = known->at;
    if (!refrain_learn_expects(&at->next, REFRAIN_NEXT_CALL + known->number) ||
        (from != at && !refrain_learn_expects(&from->next, at->number)))
        return false;
    plan->comes = !is_steady(&at->next) || (from != at && !is_steady(&from->next));
    return plan->comes ||
           (add(plan, &at->next, REFRAIN_ROUND_BEGIN) && (from == at || add(plan, &from->next, REFRAIN_ROUND_BEGIN)));
}

/* What the call that is known by `known` will do next, as often as that can be told. */
static bool make_plan(struct plan *plan, const struct refrain_context *context,
                      const struct refrain_call_cache *known) {
    struct refrain_call_site *call_site = known->call_site;
    struct refrain_slot *last = &call_site->inside;
    plan->inside = last;
    plan->inside_step = REFRAIN_ROUND_END;
    plan->calls = MOST_CALLS;
    plan->rows = 1;
    plan->message = false;
    plan->posted = 0;
    if (!come(plan, known))
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
    return (plan->comes || has_room(plan, context, known->at)) && has_room(plan, context, plan->inside);
}

static struct refrain_round *take_round(struct refrain_call_site *call_site, unsigned n, unsigned rows) {
    struct refrain_round *round = call_site->round ? refrain_at_reference(call_site->round) : NULL;
    if (round && round->room >= n && (rows == 1 || round->room_rows >= rows))
        return round;
    size_t bytes = sizeof *round + n * sizeof *round->learner;
    if (rows > 1)
        bytes += REFRAIN_LINE_BYTES + rows * sizeof(struct refrain_round_row);
    uintptr_t room =
        (uintptr_t)refrain_pool_take(bytes + REFRAIN_LINE_BYTES - REFRAIN_GRAIN_BYTES, REFRAIN_POOL_VALUES);
    if (!room)
        return NULL;
    round = (struct refrain_round *)((room + REFRAIN_LINE_BYTES - 1) & ~(uintptr_t)(REFRAIN_LINE_BYTES - 1));
    round->room = (uint8_t)n;
    round->room_rows = (uint8_t)(rows > 1 ? rows : 0);
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

/* The values of the operations, where those that take turns have their i-th one. */
static void fill_values(int64_t value[REFRAIN_ROUND_OPERATIONS][REFRAIN_PARAMETERS], const struct plan *plan,
                        unsigned i) {
    memset(value, 0, sizeof value[0] * REFRAIN_ROUND_OPERATIONS);
    for (unsigned n = 0; n < plan->n_operations; n++) {
        unsigned first = plan->first_value[n], width = refrain_operation_rows[plan->operation[n]->operation].width;
        if (n == 0 && plan->message && plan->posted)
            width = REFRAIN_PARAMETERS;
        for (unsigned k = 0; k < width; k++) {
            const struct refrain_turns *turns = &plan->turns[first + k];
            value[n][k] = turns->n ? refrain_turns_value(turns, i) : plan->learner[first + k]->expect;
        }
    }
    for (unsigned k = 1; plan->message && !plan->posted && k < REFRAIN_PARAMETERS; k++)
        value[0][k] = -1;
}

static void fill_rows(struct refrain_call_cache *known, const struct plan *plan, struct refrain_round *round) {
    struct refrain_round_row *rows = refrain_round_rows(round);
    round->row = 0;
    round->rows = (uint8_t)plan->rows;
    if (plan->rows == 1)
        fill_values(round->value, plan, 0);
    for (unsigned i = 0; plan->rows > 1 && i < plan->rows; i++) {
        rows[i].again.key = 0;
        fill_values(rows[i].value, plan, i);
    }
    known->special = (plan->rows > 1 ? REFRAIN_ROUND_TURNS : 0) | (plan->comes ? REFRAIN_ROUND_COMES : 0) |
                     (plan->message ? REFRAIN_ROUND_MESSAGE : 0);
}

static void open_round(const struct refrain_context *context, struct refrain_call_cache *known, const struct plan *plan,
                       struct refrain_round *round) {
    round->calls = (uint32_t)plan->calls;
    round->ticks[0] = round->ticks[1] = 0;
    round->slot[1] = slot_now(context, plan->inside, plan->inside_step);
    round->slot[0] = plan->comes ? round->slot[1] : slot_now(context, known->at, REFRAIN_ROUND_BEGIN);
    round->n_learners = plan->n;
    round->owner = (uintptr_t)known;
    if (plan->message)
        round->posted = plan->posted;
    for (unsigned i = 0; i < REFRAIN_ROUND_STEPS; i++)
        round->left[i] = (uint16_t)plan->calls;
    for (unsigned i = 0; i < plan->n; i++) {
        const struct refrain_learner *learner = plan->learner[i];
        round->learner[i] =
            (struct refrain_round_learner){offset_of(learner), learner->confirmed,
                                           plan->turns[i].n ? 0 : learner->until, learner->changes, plan->step[i]};
    }
    for (unsigned i = 0; i < REFRAIN_ROUND_OPERATIONS; i++) {
        const struct refrain_operation_record *record = i < plan->n_operations ? plan->operation[i] : NULL;
        known->operations[i] = record ? (uint8_t)record->operation : 0;
    }
    fill_rows(known, plan, round);
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
        if (plan->turns[i].n)
            refrain_turns_hold(plan->learner[i]);
        else
            plan->learner[i]->until = plan->learner[i]->confirmed;
    }
    known->round = round;
}

static void try_to_open(struct refrain_context *context, struct refrain_call_cache *known) {
    struct plan plan;
    plan.n = plan.n_operations = 0;
    struct refrain_round *round;
    if (make_plan(&plan, context, known) && (round = take_round(known->call_site, plan.n, plan.rows))) {
        open_round(context, known, &plan, round);
        return;
    }
    if (plan.n > 0 && plan.calls > 0 && plan.calls < LEAST_CALLS) { /* it may be otherwise behind these */
        known->wait = (uint16_t)plan.calls;
        return;
    }
    if (known->patience < MOST_WAIT_PATIENCE)
        known->patience++;
    known->wait = LEAST_CALLS > 1u << known->patience ? LEAST_CALLS : (uint16_t)(1u << known->patience);
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
