/* call_again.h: MPI calls in a round (call_round.h) whose arguments are word for word those of a call before in that
 * round, and whose handles still mean what they meant then. They tell the same, so that nothing is looked up for them:
 * no communicator, no size of a datatype. What such a call takes is in two lines and the round's.
 *
 *     refrain_again_find() -- the same words --> refrain_call_again() --> PMPI function --> refrain_again_end()
 *               \                                   \                                       or _receives()
 *                \-- other words, or no round -------\--> refrain_call_begin(), as ever, and then
 *                                                         refrain_again_remember()
 *
 * All of it is put into the wrapper, which so keeps its arguments where they are. Only what is seldom to be done is in
 * call_usual.c and timeline.c.
 *
 * The words are remembered when a call has told what the round has, and forgotten when the round is told. */
#ifndef REFRAIN_CALL_AGAIN_H
#define REFRAIN_CALL_AGAIN_H

#include "begin.h"
#include "call_known.h"
#include "entry.h"
#include "round_step.h"

#include <string.h>

/* What is known of the call that begins, if there are words under `key`; else null. */
static inline __attribute__((always_inline)) struct refrain_call_cache *
refrain_again_find(uint64_t key, const void *return_address, struct refrain_call_again **again) {
    struct refrain_context *context = refrain_thread_context;
    *again = NULL;
    if (__builtin_expect(!context || !refrain_is_free(context), 0))
        return NULL;
    const struct refrain_slot *from = context->top->last;
    struct refrain_call_cache *known = refrain_known_call(context, from, (uintptr_t)return_address);
    __asm__("" : "+r"(known)); /* an address from here on, which compilers else make anew of its parts each time */
    if (!known)
        __builtin_unreachable();
    if (__builtin_expect(known->from != from || known->address != (uintptr_t)return_address, 0))
        return NULL;
    *again = refrain_round_words(known);
    return __builtin_expect(*again && (*again)->key == key, 1) ? known : NULL;
}

/* Are these the words? Of a collective and of a message. What is 0 in all calls of the function needs no look. */
typedef bool refrain_again_compare(const struct refrain_call_again *again, struct refrain_call_words words);
#define REFRAIN_SAME_WORD(word)                                                                                        \
    ((__builtin_constant_p(words.word) && words.word == 0) || words.word == again->words.word)
static inline __attribute__((always_inline)) bool refrain_again_collective(const struct refrain_call_again *again,
                                                                           struct refrain_call_words words) {
    return REFRAIN_SAME_WORD(comm) && REFRAIN_SAME_WORD(type) && REFRAIN_SAME_WORD(count) && REFRAIN_SAME_WORD(partner);
}
static inline __attribute__((always_inline)) bool refrain_again_message(const struct refrain_call_again *again,
                                                                        struct refrain_call_words words) {
    /* Without && between the two, which compilers make one comparison of in memory, right after both were stored. */
    int received = (words.source ^ again->words.source) | (words.received_tag ^ again->words.received_tag);
    return refrain_again_collective(again, words) && REFRAIN_SAME_WORD(tag) && received == 0;
}

/* ---- what is left to call_usual.c ---- */

/* The records of events. When the call begins, with the end of the probe; and when it ends, within the probe.
 * `received`: what of a message is told then, or null. */
REFRAIN_SHARED void refrain_again_begin_with_events(struct refrain_call_cache *known, struct refrain_entry *entry);
REFRAIN_SHARED void refrain_again_record_end(const struct refrain_call_cache *known, const int64_t *received,
                                             uint64_t now);
/* The records of completions, which come before that. */
REFRAIN_SHARED void refrain_again_complete_with_events(const struct refrain_call_cache *known, uint32_t request,
                                                       const struct refrain_completion *completions, unsigned n,
                                                       uint64_t now);

/* What the messages of completions say is learned. Within a probe. */
REFRAIN_SHARED void refrain_again_learn(struct refrain_context *context, const struct refrain_completion *completions,
                                        unsigned n);

/* Something has come between: it ends as one that refrain_call_begin() has begun. */
REFRAIN_SHARED void refrain_again_end_begun(struct refrain_call_cache *known, struct refrain_entry *entry);

/* It is to go on as one that refrain_call_begin() has begun: `begun` is what that would have made of it. */
REFRAIN_SHARED void refrain_again_begun(struct refrain_call *begun, struct refrain_call_cache *known,
                                        struct refrain_entry *entry);

/* ---- the call ---- */

/* The call that the thread is or was last in, and what that waits for. */
static inline __attribute__((always_inline)) void refrain_again_now(struct refrain_thread *thread,
                                                                    const struct refrain_call_cache *known,
                                                                    const struct refrain_call_again *again) {
    struct refrain_now *now = &thread->now;
    memcpy(&now->sends_to, &again->now, sizeof again->now); /* by 16 bytes, where fields come one by one */
    now->n_awaited = 0;
    now->call = known->number + 1;
}

/* The call begins, and is told of all that comes before its PMPI function. Null, and nothing is done, where anything is
 * not as in the call before; it is to be begun by refrain_call_begin() then. */
static inline __attribute__((always_inline)) struct refrain_entry *
refrain_call_again(struct refrain_call_cache *known, const struct refrain_call_again *again,
                   const void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_entry *caller = context->top, *entry = caller + 1;
    struct refrain_round_block block;
    refrain_begin_in(context);
    struct refrain_round *round = known->round; /* a signal handler may have told it just now */
    if (__builtin_expect(refrain_call_is_paused(context) || entry == context->stack_end ||
                             caller->address < refrain_caller_frames(frame_address) || !refrain_round_goes_on(round),
                         0)) {
        refrain_end(context);
        return NULL;
    }
    bool comes, fits = true;
    if (!refrain_round_arrives(context, known, &block, &comes, &fits)) {
        refrain_end(context);
        return NULL;
    }
    context->calls_left--;
    round->left[REFRAIN_ROUND_BEGIN]--;
    caller->last = known->at;
    struct refrain_slot *inside = &known->call_site->inside;
    if (__builtin_expect(known->n_before, 1)) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        round->left[REFRAIN_ROUND_OPERATION]--;
        inside = &known->operation->after;
    }
    refrain_open_entry(entry, inside, (uintptr_t)frame_address, REFRAIN_ENTRY_CALL, known->number);
    context->top = entry;
    refrain_again_now(context->thread, known, again);
    context->thread->now.inside = 1;
    if (!comes)
        fits = refrain_round_end_block(context, round, 0, &block);
    entry->begin_ticks = block.now;
    if (__builtin_expect(!fits, 0))
        refrain_timeline_entry(&context->timeline, block.now, block.elapsed);
    if (__builtin_expect(context->events != NULL, 0))
        refrain_again_begin_with_events(known, entry);
    else
        refrain_end(context);
    return entry;
}

/* The probe begins that ends the call. Returns the round that the call is in; null, and no probe has begun, where
 * anything has come between. */
static inline __attribute__((always_inline)) struct refrain_round *
refrain_again_begin_end(struct refrain_context *context, const struct refrain_call_cache *known,
                        const struct refrain_entry *entry) {
    if (!refrain_is_free(context) || __builtin_expect(entry != context->top, 0))
        return NULL;
    refrain_begin_in(context);
    struct refrain_round *round = known->round;
    if (__builtin_expect(round && round->left[REFRAIN_ROUND_END] == round->left[REFRAIN_ROUND_BEGIN] + 1, 1))
        return round;
    refrain_end(context);
    return NULL;
}

/* What a call tells when it has returned. */
struct refrain_again_told {
    const int64_t *values;                        /* of its last operation; null: it tells nothing */
    const struct refrain_completion *completions; /* `n` of them, whose messages are not of the round; or null */
    unsigned n;
};

/* The block ends that the call itself is, and with it the call, which no other MPI call is around. */
static inline __attribute__((always_inline)) void
refrain_again_ends(struct refrain_context *context, const struct refrain_call_cache *known, struct refrain_round *round,
                   struct refrain_entry *caller, struct refrain_again_told told) {
    struct refrain_round_block block;
    bool fits = refrain_round_end_block(context, round, 1, &block);
    if (told.values)
        round->left[REFRAIN_ROUND_OPERATION + known->n_before]--;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (told.completions)
        refrain_again_learn(context, told.completions, told.n);
    round->left[REFRAIN_ROUND_END]--;
    context->top = caller;
    context->thread->now.inside = 0;
    refrain_round_go_on(caller, known);
    if (__builtin_expect(!fits, 0))
        refrain_timeline_entry(&context->timeline, block.now, block.elapsed);
    if (__builtin_expect(context->events != NULL, 0)) {
        if (told.completions)
            refrain_again_complete_with_events(known, (uint32_t)told.values[0], told.completions, told.n, block.now);
        refrain_again_record_end(known, told.completions ? NULL : told.values, block.now);
    }
    if (__builtin_expect(known->special & REFRAIN_ROUND_TURNS, 0))
        refrain_round_turn(round);
    refrain_end(context);
}

/* A call that refrain_call_again() has begun ends, and tells nothing of what came in it. */
static inline __attribute__((always_inline)) void refrain_again_end(struct refrain_call_cache *known,
                                                                    struct refrain_entry *entry) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_round *round = refrain_again_begin_end(context, known, entry);
    if (__builtin_expect(!round, 0))
        refrain_again_end_begun(known, entry);
    else
        refrain_again_ends(context, known, round, entry - 1, (struct refrain_again_told){NULL, NULL, 0});
}

/* It ends with a message that has been received. False, and nothing is done, where that is not the one of the calls
 * before. */
static inline __attribute__((always_inline)) bool refrain_again_receives(struct refrain_call_cache *known,
                                                                         struct refrain_entry *entry, int64_t source,
                                                                         int64_t tag, int64_t bytes) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_round *round = refrain_again_begin_end(context, known, entry);
    if (__builtin_expect(!round, 0))
        return false;
    unsigned i = known->n_before;
    const int64_t *value = refrain_round_values(round, i);
    if (__builtin_expect(known->ends_told == i, 0) ||
        __builtin_expect(((value[0] ^ source) | (value[1] ^ tag) | (value[2] ^ bytes)) != 0, 0)) {
        refrain_end(context);
        return false;
    }
    refrain_again_ends(context, known, round, entry - 1, (struct refrain_again_told){value, NULL, 0});
    return true;
}

/* It ends with the completion of a request, and what that has received (-1 where it receives nothing). False, and
 * nothing is done, where that is not the one of the calls before. */
static inline __attribute__((always_inline)) bool refrain_again_completes(struct refrain_call_cache *known,
                                                                          struct refrain_entry *entry, int64_t request,
                                                                          uint32_t posted, int64_t source, int64_t tag,
                                                                          int64_t bytes) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_round *round = refrain_again_begin_end(context, known, entry);
    if (__builtin_expect(!round, 0))
        return false;
    const int64_t *value = refrain_round_values(round, 0);
    if (__builtin_expect(known->ends_told == 0, 0) ||
        __builtin_expect(value[0] != request || !refrain_round_completes(round, posted, source, tag, bytes), 0)) {
        refrain_end(context);
        return false;
    }
    refrain_again_ends(context, known, round, entry - 1, (struct refrain_again_told){value, NULL, 0});
    return true;
}

/* It ends with the completion of several requests, as refrain_call_complete() has them. False, and nothing is done,
 * where these are not the numbers of the calls before. */
REFRAIN_SHARED bool refrain_again_completes_all(struct refrain_call_cache *known, struct refrain_entry *entry,
                                                uint32_t request, const struct refrain_completion *completions,
                                                unsigned n);

/* The call has begun otherwise, and has told all that comes before its PMPI function: if it is in a round, the next
 * ones with these words are begun by refrain_call_again(). `comm`: the communicator's index. */
REFRAIN_SHARED void refrain_again_remember_words(const struct refrain_call *call, uint64_t key, int64_t comm,
                                                 const struct refrain_call_words *words);
static inline void refrain_again_remember(const struct refrain_call *call, uint64_t key, int64_t comm,
                                          const struct refrain_call_words *words) {
    if (call->entry && call->known)
        refrain_again_remember_words(call, key, comm, words);
}

/* The same for a call that waits for requests: the next ones can be begun by refrain_call_again(), and end by
 * refrain_again_completes() where they wait for one, whose message is of the round, or by refrain_again_completes_all()
 * where they wait for several. */
REFRAIN_SHARED void refrain_again_remember_wait(const struct refrain_call *call, uint64_t key);

#endif
