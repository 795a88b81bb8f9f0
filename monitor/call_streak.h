/* call_streak.h: calls of one site in its round (call_round.h), one right after the other, are a *streak*: a loop of
 * barriers or messages, or of polls that find nothing. Each goes as the one before it, so that it changes nothing but
 * the counters of the round and the times: control comes from where it came from last, and goes on there. That control
 * is in such a call is not written where probes look for it; instead they find context->busy set, as does any other MPI
 * call of the thread, and end the streak before they do anything else.
 *
 *     context->busy:  0 -- refrain_streak_begin() --> BETWEEN_CALLS -- refrain_streak_goes_on() --> IN_CALL
 *                     ^                                  |     ^                                       |
 *                     |<----- refrain_streak_end() ------+     +-------- refrain_streak_passes() ------+
 *                     |                                                                                |
 *                     +<------ refrain_streak_end() opens an activation for the call in progress ------+
 *
 * A signal handler may end the streak wherever busy is not 1. */
#ifndef REFRAIN_CALL_STREAK_H
#define REFRAIN_CALL_STREAK_H

#include "call_again.h"

/* Operations (0 or 1) that each call of a streak tells: before its PMPI function, and when that has returned. */
struct refrain_streak_tells {
    uint8_t before, after;
};

/* A call that has been told by itself has ended, and nothing is left to be told of it. A streak begins if it came from
 * where control is now, so that the next one is the same. `known`: by what it is known, or null. */
REFRAIN_SHARED void refrain_streak_begin(struct refrain_call_cache *known, struct refrain_streak_tells tells,
                                         const void *return_address, const void *frame_address);
static inline void refrain_streak_may_follow(struct refrain_call_cache *known, struct refrain_streak_tells tells,
                                             const void *return_address, const void *frame_address) {
    if (known && (const char *)known->from == (const char *)known->at + known->goes_on_bytes)
        refrain_streak_begin(known, tells, return_address, frame_address);
}

/* The call that refrain_streak_goes_on() has begun is to be told by itself from here on: `call` is what
 * refrain_call_begin() would have made of it. */
REFRAIN_SHARED void refrain_streak_begun(struct refrain_call *call, const void *frame_address);

/* The same, and it ends. */
REFRAIN_SHARED void refrain_streak_end_begun(const void *frame_address);

/* What is seldom: the call's events are recorded when it begins; what refrain_begin_in() has begun is of no use to the
 * streak. */
REFRAIN_SHARED void refrain_streak_record_begin(struct refrain_context *context);
REFRAIN_SHARED void refrain_streak_stays(struct refrain_context *context);

/* A call begins. Null where it is not the next one of the streak, and nothing is done; else its words. `is_same`:
 * compares these with `words` (call_again.h). */
static inline __attribute__((always_inline)) struct refrain_call_again *
refrain_streak_goes_on(uint64_t key, struct refrain_streak_tells tells, refrain_again_compare *is_same,
                       struct refrain_call_words words, const void *return_address, const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(!context || context->busy != REFRAIN_BETWEEN_CALLS, 1))
        return NULL;
    uint64_t now = refrain_ticks_of_block(); /* at once, as what follows is done while the clock is read */
    refrain_begin_in(context);
    struct refrain_streak *streak = &context->streak; /* with a `known` even where it has ended just now */
    struct refrain_call_again *again = &streak->known->again;
    if (__builtin_expect(streak->frame != (uintptr_t)frame_address || streak->address != (uintptr_t)return_address ||
                             again->key != key || !is_same(again, words) || refrain_call_is_paused(context),
                         0)) {
        refrain_streak_stays(context);
        return NULL;
    }
    struct refrain_round *round = streak->round;
    round->left[REFRAIN_ROUND_BEGIN]--;
    if (tells.before) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        round->left[REFRAIN_ROUND_OPERATION]--;
    }
    context->thread->now.inside = 1;
    uint64_t elapsed = refrain_round_add_block(context, round, 0, now);
    streak->begin_ticks = now;
    refrain_timeline_block(&context->timeline, now, elapsed);
    if (__builtin_expect(context->events != NULL, 0))
        refrain_streak_record_begin(context);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = REFRAIN_IN_CALL;
    return again;
}

/* The probe begins that ends the call, `now`. False where the streak has ended meanwhile, and nothing is done: then the
 * call is told by itself. */
static inline __attribute__((always_inline)) bool refrain_streak_begin_end(struct refrain_context *context,
                                                                           const void *frame_address, uint64_t *now) {
    if (__builtin_expect(context->busy != REFRAIN_IN_CALL, 0))
        return false;
    *now = refrain_ticks_of_block();
    refrain_begin_in(context);
    if (__builtin_expect(context->streak.frame == (uintptr_t)frame_address, 1))
        return true;
    refrain_streak_stays(context);
    return false;
}

/* The block ends that the call itself is, and with it the call. `received`: what of a message it tells then, after
 * `before` operations; or null. */
static inline __attribute__((always_inline)) void
refrain_streak_ends(struct refrain_context *context, const int64_t *received, unsigned before, uint64_t now) {
    struct refrain_round *round = context->streak.round;
    uint64_t elapsed = refrain_round_add_block(context, round, 1, now);
    if (received)
        round->left[REFRAIN_ROUND_OPERATION + before]--;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    uint32_t left = --round->left[REFRAIN_ROUND_END];
    context->thread->now.inside = 0;
    refrain_timeline_block(&context->timeline, now, elapsed);
    if (__builtin_expect(context->events != NULL, 0))
        refrain_again_record_end(context->streak.known, received, now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    context->busy = REFRAIN_BETWEEN_CALLS;
    if (__builtin_expect(left == 0, 0))
        refrain_streak_end(context);
}

/* It ends, and tells nothing of what came in it. False as above. */
static inline __attribute__((always_inline)) bool refrain_streak_passes(const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    uint64_t now;
    if (!refrain_streak_begin_end(context, frame_address, &now))
        return false;
    refrain_streak_ends(context, NULL, 0, now);
    return true;
}

/* It ends with a message that has been received, after `before` operations. False as above, or where that is not the
 * one of the calls before. */
static inline __attribute__((always_inline)) bool refrain_streak_receives(const void *frame_address, unsigned before,
                                                                          int64_t source, int64_t tag, int64_t bytes) {
    struct refrain_context *context = refrain_thread_context;
    uint64_t now;
    if (!refrain_streak_begin_end(context, frame_address, &now))
        return false;
    const int64_t *value = context->streak.round->value[before];
    if (__builtin_expect(((value[0] ^ source) | (value[1] ^ tag) | (value[2] ^ bytes)) != 0, 0)) {
        refrain_streak_stays(context);
        return false;
    }
    refrain_streak_ends(context, value, before, now);
    return true;
}

#endif
