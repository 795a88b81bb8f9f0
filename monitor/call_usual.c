/* call_usual.c: MPI calls that go as expected, which is what most do: they come from where one has come from before,
 * and each place is left for what its learner predicts.
 *
 *     refrain_call_begin() ----- as expected: straight on, no other function is called
 *     refrain_call_operation()
 *     refrain_call_returned()
 *     refrain_call_end() ------- else: call.c, from the beginning, with nothing changed
 *
 * Nothing is changed before all is known to be as expected; but each value of an operation is taken by itself, and
 * call.c goes on with the first that is not the one predicted. Both ways make the same changes in the same order, so
 * that a trace does not depend on which of them was taken. */
#define _GNU_SOURCE
#include "activation.h"
#include "begin.h"
#include "call_again.h"
#include "call_other.h"
#include "call_round.h"
#include "round_step.h"

#include <string.h>

/* Is nothing to be looked at but what the call itself says? */
static inline bool is_usual(struct refrain_context *context) {
    return __builtin_expect(context && refrain_is_free(context), 1);
}

/* The call is the innermost activation of its thread, which is not inside a probe. */
static inline bool is_on_top(struct refrain_context *context, const struct refrain_call *call) {
    return __builtin_expect(is_usual(context) && call->entry == context->top, 1);
}

/* It ends now, and is filed under its place. False where the timeline takes an entry that is more than two bytes. */
static inline __attribute__((always_inline)) bool end_block(struct refrain_context *context, struct refrain_slot *slot,
                                                            struct refrain_round_block *block) {
    struct refrain_thread *thread = context->thread;
    block->now = refrain_ticks_of_block();
    block->elapsed = block->now - thread->last_ticks;
    refrain_file_block(thread, slot, block->history, block->now, block->elapsed);
    return refrain_timeline_takes(&context->timeline, block->now, block->elapsed);
}

/* The probe ends with what is seldom to be done: an entry of the timeline, and the record of an event if there is one.
 */
static __attribute__((noinline)) void end_seldom(struct refrain_context *context, uint64_t now, uint64_t elapsed,
                                                 bool long_entry, unsigned event, uint64_t id) {
    if (long_entry)
        refrain_timeline_entry(&context->timeline, now, elapsed);
    if (event != REFRAIN_RECORD_NONE)
        refrain_event(context, event, now, id);
    refrain_end(context);
}

/* What the call will learn is asked for at once, as the program has had the caches to itself since the last one. */
static inline void ask_for(const struct refrain_operation_record *operation) {
#pragma GCC unroll 8
    for (unsigned i = 0; i < sizeof *operation; i += REFRAIN_LINE_BYTES)
        __builtin_prefetch((const char *)operation + i, 1);
}

/* ---- in a round ---- */

/* Are that the values of an operation? Those that it has not are 0. */
static inline bool are_all(const int64_t *parameters, const int64_t *value) {
    return ((parameters[0] ^ value[0]) | (parameters[1] ^ value[1]) | (parameters[2] ^ value[2]) |
            (parameters[3] ^ value[3])) == 0;
}

/* The known call begins in the thread's next entry, with this clock read. */
static inline __attribute__((always_inline)) void open_call(struct refrain_call *call, struct refrain_context *context,
                                                            const struct refrain_call_cache *known,
                                                            const void *frame_address) {
    struct refrain_entry *entry = context->top + 1;
    refrain_open_entry(entry, &known->call_site->inside, (uintptr_t)frame_address, REFRAIN_ENTRY_CALL, known->number);
    context->top = entry;
    call->context = context;
    call->entry = entry;
    call->call_site = known->call_site;
    call->operation = known->operation;
    call->end_ticks = 0;
}

static inline __attribute__((always_inline)) void begun(struct refrain_call *call, struct refrain_context *context,
                                                        const struct refrain_call_cache *known,
                                                        const struct refrain_round_block *block, bool fits) {
    uint32_t number = known->number;
    call->begin_ticks = block->now;
    refrain_now_calls(context->thread, number);
    if (__builtin_expect(!fits || context->events, 0))
        end_seldom(context, block->now, block->elapsed, !fits, REFRAIN_RECORD_CALL_ENTER, number);
    else
        refrain_end(context);
}

/* The probe that begins a call in its round ends with what is seldom to be done: the records of events. */
static __attribute__((noinline)) void begin_with_events(struct refrain_call *call, const int64_t *parameters) {
    struct refrain_context *context = call->context;
    unsigned n = refrain_operation_rows[call->known->operations[0]].width;
    refrain_event(context, REFRAIN_RECORD_CALL_ENTER, call->begin_ticks, call->entry->id);
    if (parameters && context->events)
        refrain_call_operation_rest(call, call->known->operation, parameters, n, n);
    else
        refrain_end(context);
}

/* ... and before them an entry of the timeline. */
static __attribute__((noinline)) void begin_with_item(struct refrain_call *call, uint64_t elapsed,
                                                      const int64_t *parameters) {
    refrain_timeline_entry(&call->context->timeline, call->begin_ticks, elapsed);
    begin_with_events(call, parameters);
}

/* `parameters`: of its first operation, which is told at once; null: it is told by itself. False, and nothing is
 * changed, where control was not expected to come to it, or a signal handler has told the round just now. */
static inline __attribute__((always_inline)) bool begin_in_round(struct refrain_call *call,
                                                                 struct refrain_context *context,
                                                                 const struct refrain_call_cache *known,
                                                                 const void *frame_address, const int64_t *parameters) {
    struct refrain_round_block block;
    bool fits = true;
    refrain_begin_in(context);
    struct refrain_round *round = known->round;
    if (!refrain_round_goes_on(round)) {
        refrain_end(context);
        return false;
    }
    bool comes;
    if (!refrain_round_arrives(context, known, &block, &comes, &fits)) {
        refrain_end(context);
        return false;
    }
    context->calls_left--;
    round->left[REFRAIN_ROUND_BEGIN]--;
    context->top->last = known->at;
    open_call(call, context, known, frame_address);
    call->known = known;
    call->told = 0;
    if (parameters) {
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        round->left[REFRAIN_ROUND_OPERATION]--;
        call->told = 1;
        call->entry->last = &known->operation->after;
    }
    refrain_now_calls(context->thread, known->number);
    if (!comes)
        fits = refrain_round_end_block(context, round, 0, &block);
    call->begin_ticks = block.now;
    if (__builtin_expect(!fits, 0))
        begin_with_item(call, block.elapsed, parameters);
    else if (__builtin_expect(context->events != NULL, 0))
        begin_with_events(call, parameters);
    else
        refrain_end(context);
    return true;
}

/* The round that the call is in, null where it has been told since. */
static inline struct refrain_round *round_of(const struct refrain_call *call) {
    struct refrain_round *round = call->known->round;
    return round && round->left[REFRAIN_ROUND_END] == round->left[REFRAIN_ROUND_BEGIN] + 1 ? round : NULL;
}

/* The call goes on otherwise than those before it. */
static __attribute__((noinline)) void leave_round(struct refrain_call *call) {
    struct refrain_context *context = call->context;
    struct refrain_round *round = round_of(call);
    call->known = NULL;
    if (!round || context->busy)
        return;
    refrain_begin_in(context);
    refrain_round_tell(round);
    refrain_end(context);
}

/* Is that the operation which the call has next? Then it is told, within the probe. */
static inline __attribute__((always_inline)) struct refrain_operation_record *
operation_in_round(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters, unsigned n) {
    const struct refrain_call_cache *known = call->known;
    struct refrain_round *round = round_of(call);
    unsigned i = call->told;
    if (__builtin_expect(!round || i >= known->n_operations || known->operations[i] != operation, 0))
        return NULL;
    const int64_t *value = refrain_round_values(round, i);
    for (unsigned k = 0; k < n; k++)
        if (__builtin_expect(parameters[k] != value[k], 0))
            return NULL;
    struct refrain_operation_record *record = i == 0 ? known->operation : refrain_at_reference(round->second);
    refrain_begin_in(call->context);
    round->left[REFRAIN_ROUND_OPERATION + i]--;
    call->told = i + 1;
    call->entry->last = &record->after;
    return record;
}

static inline __attribute__((always_inline)) bool return_in_round(struct refrain_call *call) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_round *round = round_of(call);
    struct refrain_round_block block;
    if (!round || !is_on_top(context, call) || call->end_ticks || call->told != call->known->n_before)
        return false;
    refrain_begin_in(context);
    bool fits = refrain_round_end_block(context, round, 1, &block);
    call->end_ticks = block.now;
    if (__builtin_expect(!fits, 0))
        end_seldom(context, block.now, block.elapsed, true, REFRAIN_RECORD_NONE, 0);
    else
        refrain_end(context);
    return true;
}

/* What a message's completion says is as the learners predict. */
static inline __attribute__((always_inline)) bool learn_message(const struct refrain_completion *completion) {
    struct refrain_learner *learners = completion->posted->parameter;
    if (__builtin_expect(completion->posted->operation != REFRAIN_OP_IRECV || learners[0].tally ||
                             learners[REFRAIN_PARAMETERS - 1].state == REFRAIN_SUMMARY ||
                             !refrain_learn_expects(&learners[0], completion->source) ||
                             !refrain_learn_expects(&learners[1], completion->tag) ||
                             !refrain_learn_expects(&learners[2], completion->bytes),
                         0))
        return false;
    refrain_learn_take(&learners[0]);
    refrain_learn_take(&learners[1]);
    refrain_learn_take(&learners[2]);
    return true;
}

void refrain_again_learn(struct refrain_context *context, const struct refrain_completion *completions, unsigned n) {
    for (unsigned i = 0; i < n; i++)
        if (completions[i].posted && __builtin_expect(!learn_message(&completions[i]), 0))
            refrain_learn_completion(context, &completions[i]);
}

static inline uint32_t posted_at(const struct refrain_completion *completion) {
    return completion->posted ? refrain_reference(completion->posted) : 0;
}

/* The completion is not that of the round's calls: another message, or one that was posted elsewhere. The next round is
 * of such as this one. */
static __attribute__((noinline)) void other_message(struct refrain_round *round,
                                                    const struct refrain_completion *completion) {
    uint32_t posted = posted_at(completion);
    if (posted == round->posted)
        return;
    round->posted = posted;
    round->other_messages =
        refrain_round_came(round, REFRAIN_ROUND_BEGIN) < REFRAIN_LONG_ROUND ? round->other_messages + 1 : 0;
}

bool refrain_call_complete(struct refrain_call *call, uint32_t request, const struct refrain_completion *completions,
                           unsigned n) {
    struct refrain_context *context = refrain_thread_context;
    const struct refrain_call_cache *known = call->known;
    struct refrain_round *round = known ? round_of(call) : NULL;
    enum refrain_operation operation = n == 1 ? REFRAIN_OP_COMPLETE : REFRAIN_OP_COMPLETE_RUN;
    struct refrain_round_block block;
    unsigned i = call->told;
    bool with_message = round && known->special & REFRAIN_ROUND_MESSAGE && i == 0;
    if (__builtin_expect(
            !round || !is_on_top(context, call) || call->end_ticks || i != known->n_before ||
                i >= known->n_operations || known->operations[i] != operation ||
                refrain_round_values(round, i)[0] != request || (n > 1 && refrain_round_values(round, i)[1] != n) ||
                (with_message && !refrain_round_completes(round, posted_at(completions), completions->source,
                                                          completions->tag, completions->bytes)),
            0)) {
        if (with_message)
            other_message(round, completions);
        if (known)
            leave_round(call);
        return refrain_call_complete_other(call, request, completions, n);
    }
    refrain_begin_in(context);
    if (__builtin_expect(!refrain_round_end_block(context, round, 1, &block), 0))
        refrain_timeline_entry(&context->timeline, block.now, block.elapsed);
    call->end_ticks = block.now;
    struct refrain_operation_record *record = i == 0 ? known->operation : refrain_at_reference(round->second);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    round->left[REFRAIN_ROUND_OPERATION + i]--;
    call->told = i + 1;
    call->entry->last = &record->after;
    if (!with_message)
        refrain_again_learn(context, completions, n);
    if (__builtin_expect(context->events != NULL, 0))
        refrain_call_record_completions(call, request, completions, n);
    refrain_end(context);
    return true;
}

/* The call that ends is the thread's innermost activation no longer. */
static inline __attribute__((always_inline)) void close_entry(struct refrain_context *context,
                                                              struct refrain_entry *caller) {
    context->top = caller;
    context->thread->now.inside = caller->kind == REFRAIN_ENTRY_CALL;
}

/* The call is over, with this clock read; what is seldom to be done is the record of that. */
static inline __attribute__((always_inline)) void ended(struct refrain_context *context, uint64_t now, uint64_t id) {
    if (__builtin_expect(context->events != NULL, 0))
        end_seldom(context, now, 0, false, REFRAIN_RECORD_CALL_LEAVE, id);
    else
        refrain_end(context);
}

/* It ends in its round, of which it has been told all but the clock read where `now` is 0. */
static inline __attribute__((always_inline)) void end_told(struct refrain_call *call, struct refrain_context *context,
                                                           struct refrain_round *round, uint64_t now) {
    const struct refrain_call_cache *known = call->known;
    struct refrain_entry *caller = call->entry - 1;
    struct refrain_round_block block = {.now = now};
    refrain_begin_in(context);
    round->left[REFRAIN_ROUND_END]--;
    close_entry(context, caller);
    refrain_round_go_on(caller, known);
    if (__builtin_expect(known->special & REFRAIN_ROUND_TURNS, 0))
        refrain_round_turn(round);
    if (!now && __builtin_expect(!refrain_round_end_block(context, round, 1, &block), 0))
        end_seldom(context, block.now, block.elapsed, true, REFRAIN_RECORD_CALL_LEAVE, known->number);
    else
        ended(context, block.now, known->number);
}

/* It has been told of `told` operations, which are all that come before its end; `returned`: so has it of its return.
 */
static inline __attribute__((always_inline)) bool end_in_round(struct refrain_call *call, unsigned told,
                                                               bool returned) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_round *round = round_of(call);
    if (!round || !is_on_top(context, call) || call->told != told || (call->end_ticks != 0) != returned)
        return false;
    end_told(call, context, round, returned ? call->end_ticks : 0);
    return true;
}

/* ---- by itself ---- */

/* What is known of the call that begins; null where nothing is, or more is to be looked at. */
static inline __attribute__((always_inline)) struct refrain_call_cache *
known_call(struct refrain_context *context, unsigned function, const void *return_address, const void *frame_address) {
    if (!is_usual(context) || refrain_call_is_paused(context))
        return NULL;
    const struct refrain_entry *caller = context->top;
    struct refrain_call_cache *known = refrain_known_call(context, caller->last, (uintptr_t)return_address);
    if (!refrain_call_is_known(known, caller->last, (uintptr_t)return_address, function) ||
        __builtin_expect(caller + 1 == context->stack_end || caller->address < refrain_caller_frames(frame_address), 0))
        return NULL;
    return known;
}

/* False, and nothing is changed, where it is not as expected: so are those below. */
static inline __attribute__((always_inline)) bool begin_as_expected(struct refrain_call *call,
                                                                    struct refrain_context *context,
                                                                    struct refrain_call_cache *known,
                                                                    const void *frame_address) {
    ask_for(known->operation);
    struct refrain_entry *caller = context->top;
    struct refrain_slot *from = caller->last, *at = known->at;
    struct refrain_round_block block = {.history = refrain_history_of(context, at)};
    if (__builtin_expect(!block.history, 0) || !refrain_learn_expects(&at->next, REFRAIN_NEXT_CALL + known->number) ||
        (at != from && !refrain_learn_expects(&from->next, at->number)))
        return false;
    refrain_begin_in(context);
    context->calls_left--;
    if (at != from) {
        refrain_learn_take(&from->next);
        caller->last = at;
    }
    refrain_learn_take(&at->next);
    open_call(call, context, known, frame_address);
    call->known = NULL;
    bool fits = end_block(context, at, &block);
    begun(call, context, known, &block, fits);
    return true;
}

unsigned refrain_round_comes(struct refrain_context *context, const struct refrain_call_cache *known,
                             struct refrain_round_block *block) {
    struct refrain_slot *from = (struct refrain_slot *)known->from, *at = known->at;
    block->history = refrain_history_of(context, at);
    if (__builtin_expect(!block->history, 0) || !refrain_learn_expects(&at->next, REFRAIN_NEXT_CALL + known->number) ||
        (at != from && !refrain_learn_expects(&from->next, at->number)))
        return 0;
    if (at != from)
        refrain_learn_take(&from->next);
    refrain_learn_take(&at->next);
    return end_block(context, at, block) ? 2 : 1;
}

/* Apart from the calls in a round, so that these save few registers. */
static __attribute__((noinline)) void begin_out_of_round(struct refrain_call *call, struct refrain_call_cache *known,
                                                         unsigned function, void *return_address, void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    if (known && __builtin_expect(context->calls_left <= 1, 0))
        known = NULL;
    if (refrain_is_off(context)) {
        call->context = NULL;
        call->entry = NULL;
        call->known = NULL;
    } else if (known && refrain_round_try(context, known) &&
               begin_in_round(call, context, known, frame_address, NULL)) {
        return;
    } else if (!known || !begin_as_expected(call, context, known, frame_address))
        refrain_call_begin_other(call, function, return_address, frame_address);
}

void refrain_call_begin(struct refrain_call *call, unsigned function, void *return_address, void *frame_address) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_call_cache *known = known_call(context, function, return_address, frame_address);
    if (!(__builtin_expect(known && refrain_round_goes_on(known->round), 1) &&
          begin_in_round(call, context, known, frame_address, NULL)))
        begin_out_of_round(call, known, function, return_address, frame_address);
}

bool refrain_call_begin_with(struct refrain_call *call, unsigned function, void *return_address, void *frame_address,
                             enum refrain_operation operation, const int64_t *parameters) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_call_cache *known = known_call(context, function, return_address, frame_address);
    struct refrain_round *round = known ? known->round : NULL;
    if (__builtin_expect(!refrain_round_goes_on(round), 0)) {
        begin_out_of_round(call, known, function, return_address, frame_address);
        return false;
    }
    bool told =
        __builtin_expect(known->operations[0] == operation && are_all(parameters, refrain_round_values(round, 0)), 1);
    if (begin_in_round(call, context, known, frame_address, told ? parameters : NULL))
        return told;
    begin_out_of_round(call, known, function, return_address, frame_address);
    return false;
}

static __attribute__((noinline)) struct refrain_operation_record *
operation_alone(struct refrain_call *call, enum refrain_operation operation, const int64_t *parameters, unsigned n) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_entry *entry = call->entry;
    struct refrain_operation_record *record;
    if (call->known)
        leave_round(call);
    if (!is_on_top(context, call))
        return refrain_call_operation_other(call, operation, parameters, n);
    record = call->operation;
    if (!record || record->operation != operation)
        record = refrain_operation_find(call->call_site, operation);
    if (!record || !refrain_learn_expects(&entry->last->next, REFRAIN_NEXT_OPERATION + (int64_t)operation))
        return refrain_call_operation_other(call, operation, parameters, n);
    refrain_begin_in(context);
    refrain_learn_take(&entry->last->next);
    entry->last = &record->after;
    struct refrain_learner *learners = refrain_operation_learners(record);
    if (n == 4) {
#pragma GCC unroll 4
        for (unsigned i = 0; i < 4; i++)
            if (__builtin_expect(!refrain_learn_expected(&learners[i], parameters[i]), 0))
                return refrain_call_operation_rest(call, record, parameters, n, i);
    } else {
        for (unsigned i = 0; i < n; i++)
            if (__builtin_expect(!refrain_learn_expected(&learners[i], parameters[i]), 0))
                return refrain_call_operation_rest(call, record, parameters, n, i);
    }
    if (__builtin_expect(learners[0].tally || context->events, 0))
        return refrain_call_operation_rest(call, record, parameters, n, n);
    refrain_end(context);
    return record;
}

struct refrain_operation_record *refrain_call_operation(struct refrain_call *call, enum refrain_operation operation,
                                                        const int64_t *parameters, unsigned n) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_operation_record *record;
    if (!call->entry)
        return NULL;
    if (!call->known || !is_on_top(context, call) || !(record = operation_in_round(call, operation, parameters, n)))
        return operation_alone(call, operation, parameters, n);
    if (__builtin_expect(context->events != NULL, 0))
        return refrain_call_operation_rest(call, record, parameters, n, n);
    refrain_end(context);
    return record;
}

static inline __attribute__((always_inline)) bool return_as_expected(struct refrain_call *call) {
    struct refrain_context *context = refrain_thread_context;
    if (!is_on_top(context, call) || call->end_ticks)
        return false;
    struct refrain_slot *slot = call->entry->last;
    struct refrain_round_block block = {.history = refrain_history_of(context, slot)};
    if (__builtin_expect(!block.history, 0))
        return false;
    refrain_begin_in(context);
    bool fits = end_block(context, slot, &block);
    call->end_ticks = block.now;
    if (__builtin_expect(!fits, 0))
        end_seldom(context, block.now, block.elapsed, true, REFRAIN_RECORD_NONE, 0);
    else
        refrain_end(context);
    return true;
}

static __attribute__((noinline)) void return_alone(struct refrain_call *call) {
    if (call->known)
        leave_round(call);
    if (!return_as_expected(call))
        refrain_call_returned_other(call);
}

void refrain_call_returned(struct refrain_call *call) {
    if (call->entry && !(call->known && return_in_round(call)))
        return_alone(call);
}

static inline __attribute__((always_inline)) bool end_as_expected(struct refrain_call *call) {
    struct refrain_context *context = refrain_thread_context;
    if (!is_on_top(context, call))
        return false;
    struct refrain_entry *entry = call->entry, *caller = entry - 1;
    struct refrain_slot *slot = entry->last;
    struct refrain_round_block block = {.now = call->end_ticks};
    if (!block.now)
        block.history = refrain_history_of(context, slot);
    if (__builtin_expect(!(block.history || block.now), 0) || !refrain_learn_expects(&slot->next, REFRAIN_NEXT_EXIT))
        return false;
    refrain_begin_in(context);
    bool fits = block.now || end_block(context, slot, &block);
    refrain_learn_take(&slot->next);
    close_entry(context, caller);
    refrain_returned(caller);
    if (__builtin_expect(!fits, 0))
        end_seldom(context, block.now, block.elapsed, true, REFRAIN_RECORD_CALL_LEAVE, entry->id);
    else
        ended(context, block.now, entry->id);
    return true;
}

static __attribute__((noinline)) void end_alone(struct refrain_call *call) {
    if (call->known)
        leave_round(call);
    if (!end_as_expected(call))
        refrain_call_end_other(call);
}

void refrain_call_end(struct refrain_call *call) {
    if (!call->entry)
        return;
    const struct refrain_call_cache *known = call->known;
    bool returned = call->end_ticks != 0;
    if (!known || !end_in_round(call, returned ? known->n_operations : known->ends_told, returned))
        end_alone(call);
}

/* ---- with the words of a call before: what call_again.h leaves to here ---- */

void refrain_again_begun(struct refrain_call *begun, struct refrain_call_cache *known, struct refrain_entry *entry) {
    *begun = (struct refrain_call){
        .context = refrain_thread_context,
        .entry = entry,
        .begin_ticks = entry->begin_ticks,
    };
    if (known->number == entry->id) {
        begun->call_site = known->call_site;
        begun->operation = known->operation;
        begun->known = known;
        begun->told = known->n_before;
        return;
    }
    /* Meanwhile other calls have come to be known here. */
    uint32_t reference = (uint32_t)refrain_trace_file.header->call_sites;
    do {
        begun->call_site = refrain_at_reference(reference);
        reference = begun->call_site->next;
    } while (begun->call_site->number != entry->id);
}

void refrain_again_begin_with_events(struct refrain_call_cache *known, struct refrain_entry *entry) {
    struct refrain_call call;
    refrain_again_begun(&call, known, entry);
    begin_with_events(&call, known->n_before ? refrain_round_values(known->round, 0) : NULL);
}

void refrain_again_record_end(const struct refrain_call_cache *known, const int64_t *received, uint64_t now) {
    struct refrain_context *context = refrain_thread_context;
    if (received) {
        bool is_message = !(known->special & REFRAIN_ROUND_MESSAGE) || known->round->posted;
        refrain_events_write(context, REFRAIN_RECORD_OPERATION, now, known->number, known->operations[known->n_before],
                             received, is_message ? REFRAIN_PARAMETERS : 1);
    }
    refrain_event(context, REFRAIN_RECORD_CALL_LEAVE, now, known->number);
}

void refrain_again_complete_with_events(const struct refrain_call_cache *known, uint32_t request,
                                        const struct refrain_completion *completions, unsigned n, uint64_t now) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_entry ended = {.id = known->number};
    struct refrain_call call = {.context = context, .entry = &ended, .end_ticks = now};
    refrain_call_record_completions(&call, request, completions, n);
}

void refrain_again_end_begun(struct refrain_call_cache *known, struct refrain_entry *entry) {
    struct refrain_call call;
    refrain_again_begun(&call, known, entry);
    refrain_call_end(&call);
}

/* The words of a call in its round are known from now on. */
static void remember(const struct refrain_call *call, uint64_t key, const struct refrain_call_words *words) {
    struct refrain_call_again *again = refrain_round_words((struct refrain_call_cache *)call->known);
    again->words = *words;
    memcpy(&again->now, &call->context->thread->now.sends_to, sizeof again->now);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    again->key = key;
}

/* It is in its round, and has told all that comes before its PMPI function. */
static bool is_begun(const struct refrain_call *call) {
    const struct refrain_round *round = round_of(call);
    return round && call->told == call->known->n_before && (call->entry - 1)->kind != REFRAIN_ENTRY_CALL;
}

void refrain_again_remember_words(const struct refrain_call *call, uint64_t key, int64_t comm,
                                  const struct refrain_call_words *words) {
    const struct refrain_call_cache *known = call->known;
    unsigned n_before = known->n_before, n = known->n_operations;
    if (is_begun(call) && n_before <= 1 &&
        (n == n_before || (n == n_before + 1u && known->operations[n_before] == REFRAIN_OP_RECV &&
                           refrain_round_values(known->round, n_before)[3] == comm)))
        remember(call, key, words);
}

void refrain_again_remember_wait(const struct refrain_call *call, uint64_t key) {
    const struct refrain_call_cache *known = call->known;
    if (call->entry && known && is_begun(call) && known->n_before == 0 && known->n_operations == 1 &&
        (known->special & REFRAIN_ROUND_MESSAGE || known->operations[0] == REFRAIN_OP_COMPLETE_RUN))
        remember(call, key, &(struct refrain_call_words){0});
}

bool refrain_again_completes_all(struct refrain_call_cache *known, struct refrain_entry *entry, uint32_t request,
                                 const struct refrain_completion *completions, unsigned n) {
    struct refrain_context *context = refrain_thread_context;
    struct refrain_round *round = refrain_again_begin_end(context, known, entry);
    if (__builtin_expect(!round, 0))
        return false;
    const int64_t *value = refrain_round_values(round, 0);
    if (__builtin_expect(known->ends_told == 0 || known->operations[0] != REFRAIN_OP_COMPLETE_RUN ||
                             value[0] != request || value[1] != n,
                         0)) {
        refrain_end(context);
        return false;
    }
    refrain_again_ends(context, known, round, entry - 1, (struct refrain_again_told){value, completions, n});
    return true;
}
