/* round_step.h: the steps of a call in a round (call_round.h) that are the same however the call is told: by
 * call_usual.c, or in the wrapper itself (call_again.h). */
#ifndef REFRAIN_ROUND_STEP_H
#define REFRAIN_ROUND_STEP_H

#include "block.h"

/* What one of the calls of a round has, where values take turns. */
struct refrain_round_row {
    struct refrain_call_again again;
    int64_t value[REFRAIN_ROUND_OPERATIONS][REFRAIN_PARAMETERS];
};

/* The rows are behind the learners, in lines of their own. */
static inline struct refrain_round_row *refrain_round_rows(struct refrain_round *round) {
    uintptr_t end = (uintptr_t)&round->learner[round->room];
    return (struct refrain_round_row *)((end + REFRAIN_LINE_BYTES - 1) & ~(uintptr_t)(REFRAIN_LINE_BYTES - 1));
}

/* The values that the operation of the next call is to have, or of the one that is under way. */
static inline __attribute__((always_inline)) const int64_t *refrain_round_values(struct refrain_round *round,
                                                                                 unsigned operation) {
    return __builtin_expect(round->rows > 1, 0) ? refrain_round_rows(round)[round->row].value[operation]
                                                : round->value[operation];
}

/* The words of that call, if there are any. Null where the round has just been told. */
static inline __attribute__((always_inline)) struct refrain_call_again *
refrain_round_words(struct refrain_call_cache *known) {
    if (__builtin_expect(!(known->special & REFRAIN_ROUND_TURNS), 1))
        return &known->again;
    struct refrain_round *round = known->round;
    return round ? &refrain_round_rows(round)[round->row].again : NULL;
}

/* A call of the round has ended: it is the next one's turn. */
static inline void refrain_round_turn(struct refrain_round *round) {
    unsigned next = round->row + 1u;
    round->row = (uint8_t)(next == round->rows ? 0 : next);
}

/* A block that ends. */
struct refrain_round_block {
    struct refrain_history *history; /* in which it is filed; not looked at in a round */
    uint64_t now, elapsed;
};

/* Is the trace paused from outside (`refrain pause`)? */
static inline bool refrain_call_is_paused(const struct refrain_context *context) {
    return __builtin_expect(((const struct refrain_header *)(const void *)context->trace_file)->pause, 0);
}

/* The call that begins can be in the round. */
static inline bool refrain_round_goes_on(const struct refrain_round *round) {
    return __builtin_expect(round && round->left[REFRAIN_ROUND_BEGIN] &&
                                round->left[REFRAIN_ROUND_BEGIN] == round->left[REFRAIN_ROUND_END],
                            1);
}

/* A block of the round ends `now`: of the call's place (i = 0), or in the call (1). Returns what it took. */
static inline __attribute__((always_inline)) uint64_t
refrain_round_add_block(struct refrain_context *context, struct refrain_round *round, unsigned i, uint64_t now) {
    struct refrain_thread *thread = context->thread;
    uint64_t elapsed = now - thread->last_ticks;
    round->ticks[i] += elapsed;
    thread->last_ticks = now;
    return elapsed;
}

/* The same, now. False where the timeline takes an entry that is more than two bytes. */
static inline __attribute__((always_inline)) bool refrain_round_end_block(struct refrain_context *context,
                                                                          struct refrain_round *round, unsigned i,
                                                                          struct refrain_round_block *block) {
    block->now = refrain_ticks_of_block();
    block->elapsed = refrain_round_add_block(context, round, i, block->now);
    return refrain_timeline_takes(&context->timeline, block->now, block->elapsed);
}

/* Where control comes to the calls of a round is told call by call: it comes to this one, and a block of its place
 * ends. Returns 0, and nothing is done, where it was not expected; 1 where the timeline takes an entry that is more
 * than two bytes, else 2. */
REFRAIN_SHARED unsigned refrain_round_comes(struct refrain_context *context, const struct refrain_call_cache *known,
                                            struct refrain_round_block *block);

/* Control comes to a call of the round: with the round (`comes` false), or told here, where a block of its place ends
 * that `fits` as above. False, and nothing is done, where it was not expected. */
static inline __attribute__((always_inline)) bool refrain_round_arrives(struct refrain_context *context,
                                                                        const struct refrain_call_cache *known,
                                                                        struct refrain_round_block *block, bool *comes,
                                                                        bool *fits) {
    *comes = __builtin_expect(known->special & REFRAIN_ROUND_COMES, 0);
    if (!*comes)
        return true;
    unsigned how = refrain_round_comes(context, known, block);
    *fits = how == 2;
    return how != 0;
}

/* Is that the message of what the round's calls complete? */
static inline __attribute__((always_inline)) bool refrain_round_completes(struct refrain_round *round, uint32_t posted,
                                                                          int64_t source, int64_t tag, int64_t bytes) {
    const int64_t *value = refrain_round_values(round, 0);
    return ((value[1] ^ source) | (value[2] ^ tag) | (value[3] ^ bytes) | (int64_t)(round->posted ^ posted)) == 0;
}

/* Control goes on behind the known call. */
static inline __attribute__((always_inline)) void refrain_round_go_on(struct refrain_entry *caller,
                                                                      const struct refrain_call_cache *known) {
    caller->last = (struct refrain_slot *)(void *)((char *)caller->last + known->goes_on_bytes);
}

#endif
