/* call_streak.c: streaks of calls begin and end (call_streak.h). */
#include "call_streak.h"
#include "call_other.h"
#include "step.h"

void refrain_streak_record_begin(struct refrain_context *context) {
    const struct refrain_streak *streak = &context->streak;
    const struct refrain_call_cache *known = streak->known;
    refrain_event(context, REFRAIN_RECORD_CALL_ENTER, streak->begin_ticks, known->number);
    if (known->n_before > 0)
        refrain_events_write(context, REFRAIN_RECORD_OPERATION, streak->begin_ticks, known->number,
                             known->operations[0], refrain_round_values(streak->round, 0),
                             refrain_operation_rows[known->operations[0]].width);
}

/* The call in progress is an activation from here on, as if it had been told by itself. */
static void open_call(struct refrain_context *context, const struct refrain_streak *streak) {
    const struct refrain_call_cache *known = streak->known;
    struct refrain_entry *caller = context->top, *entry = caller + 1;
    struct refrain_slot *inside = known->n_before ? &known->operation->after : &known->call_site->inside;
    caller->last = known->at;
    refrain_open_entry(entry, inside, streak->frame, REFRAIN_ENTRY_CALL, known->number);
    entry->begin_ticks = streak->begin_ticks;
    context->top = entry;
}

void refrain_streak_end(struct refrain_context *context) {
    uint32_t busy = context->busy;
    if (busy != REFRAIN_BETWEEN_CALLS && busy != REFRAIN_IN_CALL)
        return;
    refrain_begin_in(context);
    struct refrain_streak *streak = &context->streak;
    if (streak->frame) { /* else a signal handler has ended it just now */
        if (busy == REFRAIN_IN_CALL)
            open_call(context, streak);
        context->calls_left -= (int32_t)(streak->counted - streak->round->left[REFRAIN_ROUND_BEGIN]);
        streak->frame = 0;
    }
    refrain_end(context);
}

void refrain_streak_stays(struct refrain_context *context) {
    uint32_t busy = context->thread->now.inside ? REFRAIN_IN_CALL : REFRAIN_BETWEEN_CALLS;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = context->streak.frame ? busy : 0;
}

/* Is the next call in the round, whose calls have words and tell that much? */
static bool is_in_round(const struct refrain_context *context, const struct refrain_call_cache *known,
                        struct refrain_streak_tells tells) {
    const struct refrain_round *round = known->round;
    return round && round->left[REFRAIN_ROUND_END] > 0 &&
           round->left[REFRAIN_ROUND_BEGIN] == round->left[REFRAIN_ROUND_END] && known->n_before == tells.before &&
           known->n_operations == tells.before + tells.after && !known->special && known->again.key &&
           known->from == context->top->last;
}

void refrain_streak_begin(struct refrain_call_cache *known, struct refrain_streak_tells tells,
                          const void *return_address, const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (context->busy || context->unusual || known->address != (uintptr_t)return_address)
        return;
    refrain_begin_in(context);
    uint32_t busy = 0;
    if (is_in_round(context, known, tells)) {
        refrain_again_now(context->thread, known, &known->again); /* other calls may have been made within this one */
        context->streak = (struct refrain_streak){
            .frame = (uintptr_t)frame_address,
            .address = (uintptr_t)return_address,
            .round = known->round,
            .known = known,
            .counted = known->round->left[REFRAIN_ROUND_BEGIN],
        };
        busy = REFRAIN_BETWEEN_CALLS;
    }
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = busy;
}

void refrain_streak_begun(struct refrain_call *call, const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    refrain_streak_end(context);
    struct refrain_entry *entry = context->top;
    while (entry > context->stack && (entry->kind != REFRAIN_ENTRY_CALL || entry->address != (uintptr_t)frame_address))
        entry--;
    *call = (struct refrain_call){.context = context};
    if (entry > context->stack)
        refrain_again_begun(call, context->streak.known, entry);
}

void refrain_streak_end_begun(const void *frame_address) {
    struct refrain_call call;
    refrain_streak_begun(&call, frame_address);
    refrain_call_end(&call);
}
