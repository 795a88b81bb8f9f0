/* poll_streak.h: polls of one call site that find nothing, one right after the other, are a *streak*. Each goes as the
 * one before it, so that it changes nothing but the counters of its round (call_round.h) and the times. That control is
 * in a poll is not written where probes look for it; instead they find context->busy set, as does any other MPI call of
 * the thread, and end the streak before they do anything else.
 *
 *     context->busy:  0 -- refrain_streak_begin() --> BETWEEN_POLLS -- refrain_streak_goes_on() --> IN_POLL
 *                     ^                                  |     ^                                       |
 *                     |<----- refrain_streak_end() ------+     +-------- refrain_streak_passes() ------+
 *                     |                                                                                |
 *                     +<------ refrain_streak_end() opens an activation for the poll in progress ------+
 *
 * A signal handler may end the streak wherever busy is not 1. */
#ifndef REFRAIN_POLL_STREAK_H
#define REFRAIN_POLL_STREAK_H

#include "begin.h"
#include "round_step.h"

/* A poll that has been told by itself has found nothing, and has ended. A streak begins if it came from where control
 * is now, so that the next one is the same. `known`: by what it is known, or null. */
REFRAIN_SHARED void refrain_streak_begin(struct refrain_call_cache *known, const void *return_address,
                                         const void *frame_address);
static inline void refrain_streak_may_follow(struct refrain_call_cache *known, const void *return_address,
                                             const void *frame_address) {
    if (known && (const char *)known->from == (const char *)known->at + known->goes_on_bytes)
        refrain_streak_begin(known, return_address, frame_address);
}

/* The poll that refrain_streak_goes_on() has begun is to be told by itself from here on: `call` is what
 * refrain_call_begin() would have made of it. */
REFRAIN_SHARED void refrain_streak_begun(struct refrain_call *call, const void *frame_address);

/* What is seldom: the two blocks of a poll take entries of the timeline that are more than a byte; its events are
 * recorded; what refrain_begin_in() has begun is of no use to the streak. */
REFRAIN_SHARED void refrain_streak_tell_blocks(struct refrain_context *context, uint64_t last, uint64_t begin,
                                               uint64_t now);
REFRAIN_SHARED void refrain_streak_record(struct refrain_context *context, uint64_t now);
REFRAIN_SHARED void refrain_streak_stays(struct refrain_context *context);

/* A poll begins. False where it is not the next one of the streak, and nothing is done. */
static inline __attribute__((always_inline)) bool refrain_streak_goes_on(unsigned function, const void *return_address,
                                                                         const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (!context || context->busy != REFRAIN_BETWEEN_POLLS)
        return false;
    uint64_t now = refrain_ticks_of_block(); /* at once, as what follows is done while the clock is read */
    refrain_begin_in(context);
    struct refrain_streak *streak = &context->streak;
    if (__builtin_expect(streak->frame != (uintptr_t)frame_address || streak->address != (uintptr_t)return_address ||
                             streak->function != function || refrain_call_is_paused(context),
                         0)) {
        refrain_streak_stays(context);
        return false;
    }
    streak->begin_ticks = now;
    context->thread->now.inside = 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = REFRAIN_IN_POLL;
    return true;
}

/* It has found nothing, and ends. False where the streak has ended meanwhile; then it is told by itself. */
static inline __attribute__((always_inline)) bool refrain_streak_passes(const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(context->busy != REFRAIN_IN_POLL, 0))
        return false;
    uint64_t now = refrain_ticks_of_block();
    refrain_begin_in(context);
    struct refrain_streak *streak = &context->streak;
    if (__builtin_expect(streak->frame != (uintptr_t)frame_address, 0)) {
        refrain_streak_stays(context);
        return false;
    }
    struct refrain_round *round = streak->round;
    struct refrain_thread *thread = context->thread;
    uint64_t begin = streak->begin_ticks, last = thread->last_ticks;
    round->left[REFRAIN_ROUND_BEGIN]--;
    round->ticks[0] += begin - last;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t left = --round->left[REFRAIN_ROUND_END];
    round->ticks[1] += now - begin;
    thread->last_ticks = now;
    thread->now.inside = 0;
    if (__builtin_expect(!refrain_timeline_takes_two(&context->timeline, last, begin, now), 0))
        refrain_streak_tell_blocks(context, last, begin, now);
    if (__builtin_expect(context->events != NULL, 0))
        refrain_streak_record(context, now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = REFRAIN_BETWEEN_POLLS;
    if (__builtin_expect(left == 0, 0))
        refrain_streak_end(context);
    return true;
}

#endif
