/* poll_streak.c: streaks of polls begin and end (poll_streak.h). */
#include "poll_streak.h"
#include "call_again.h"
#include "call_other.h"
#include "step.h"

void refrain_streak_tell_blocks(struct refrain_context *context, uint64_t last, uint64_t begin, uint64_t now) {
    refrain_timeline_block(&context->timeline, begin, begin - last);
    refrain_timeline_block(&context->timeline, now, now - begin);
}

void refrain_streak_record(struct refrain_context *context, uint64_t now) {
    const struct refrain_streak *streak = &context->streak;
    refrain_event(context, REFRAIN_RECORD_CALL_ENTER, streak->begin_ticks, streak->known->number);
    refrain_event(context, REFRAIN_RECORD_CALL_LEAVE, now, streak->known->number);
}

/* The poll in progress has begun, and is an activation from here on, as if it had been told by itself. */
static void open_poll(struct refrain_context *context, const struct refrain_streak *streak) {
    const struct refrain_call_cache *known = streak->known;
    struct refrain_thread *thread = context->thread;
    struct refrain_entry *caller = context->top, *entry = caller + 1;
    uint64_t elapsed = streak->begin_ticks - thread->last_ticks;
    streak->round->left[REFRAIN_ROUND_BEGIN]--;
    streak->round->ticks[0] += elapsed;
    caller->last = known->at;
    refrain_open_entry(entry, &known->call_site->inside, streak->frame, REFRAIN_ENTRY_CALL, known->number);
    entry->begin_ticks = streak->begin_ticks;
    context->top = entry;
    refrain_now_calls(thread, known->number);
    thread->last_ticks = streak->begin_ticks;
    refrain_timeline_block(&context->timeline, streak->begin_ticks, elapsed);
    if (context->events)
        refrain_event(context, REFRAIN_RECORD_CALL_ENTER, streak->begin_ticks, known->number);
}

void refrain_streak_end(struct refrain_context *context) {
    uint32_t busy = context->busy;
    if (busy != REFRAIN_BETWEEN_POLLS && busy != REFRAIN_IN_POLL)
        return;
    refrain_begin_in(context);
    struct refrain_streak *streak = &context->streak;
    if (streak->frame) { /* else a signal handler has ended it just now */
        if (busy == REFRAIN_IN_POLL)
            open_poll(context, streak);
        context->calls_left -= (int32_t)(streak->counted - streak->round->left[REFRAIN_ROUND_BEGIN]);
        streak->frame = 0;
    }
    refrain_end(context);
}

void refrain_streak_stays(struct refrain_context *context) {
    uint32_t busy = context->thread->now.inside ? REFRAIN_IN_POLL : REFRAIN_BETWEEN_POLLS;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = context->streak.frame ? busy : 0;
}

static bool is_in_round(const struct refrain_context *context, const struct refrain_call_cache *known) {
    const struct refrain_round *round = known->round;
    return round && round->left[REFRAIN_ROUND_END] > 0 &&
           round->left[REFRAIN_ROUND_BEGIN] == round->left[REFRAIN_ROUND_END] && known->n_operations == 0 &&
           !known->special && known->from == context->top->last;
}

void refrain_streak_begin(struct refrain_call_cache *known, const void *return_address, const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (context->busy || context->unusual || known->address != (uintptr_t)return_address)
        return;
    refrain_begin_in(context);
    uint32_t busy = 0;
    if (is_in_round(context, known)) {
        context->streak = (struct refrain_streak){
            .frame = (uintptr_t)frame_address,
            .address = (uintptr_t)return_address,
            .round = known->round,
            .known = known,
            .function = known->function,
            .counted = known->round->left[REFRAIN_ROUND_BEGIN],
        };
        busy = REFRAIN_BETWEEN_POLLS;
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
