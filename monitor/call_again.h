/* call_again.h: MPI calls in a round (call_round.h) whose arguments are word for word those of a call before in that
 * round, and whose handles still mean what they meant then. They tell the same, so that nothing is looked up for them:
 * no communicator, no size of a datatype. What such a call takes is in two lines and the round's.
 *
 *     wrapper: refrain_again_find() --- the same words ---> refrain_call_again() ---> PMPI function ---> one of the
 * ends \                                            |
 *                      \--- other words, or no round --------------+--> refrain_call_begin(), as ever, and then
 *                                                                       refrain_again_remember()
 *
 * The words are remembered when a call has told what the round has, and forgotten when the round is told. */
#ifndef REFRAIN_CALL_AGAIN_H
#define REFRAIN_CALL_AGAIN_H

#include "call_known.h"

/* What is known of the call that begins, if there are words under `key`; else null. */
static inline __attribute__((always_inline)) struct refrain_call_cache *refrain_again_find(uint64_t key,
                                                                                           const void *return_address) {
    struct refrain_context *context = refrain_thread_context;
    if (__builtin_expect(!context || context->busy | context->unusual, 0))
        return NULL;
    const struct refrain_slot *from = context->top->last;
    struct refrain_call_cache *known = refrain_known_call(context, from, (uintptr_t)return_address);
    bool is_it = known->from == from && known->address == (uintptr_t)return_address && known->again.key == key;
    return __builtin_expect(is_it, 1) ? known : NULL;
}

/* Are these the words? Of a collective and of a message. */
static inline __attribute__((always_inline)) bool refrain_again_collective(const struct refrain_call_cache *known,
                                                                           struct refrain_call_words words) {
    const struct refrain_call_words *before = &known->again.words;
    return words.comm == before->comm && words.type == before->type && words.count == before->count &&
           words.partner == before->partner;
}
static inline __attribute__((always_inline)) bool refrain_again_message(const struct refrain_call_cache *known,
                                                                        struct refrain_call_words words) {
    const struct refrain_call_words *before = &known->again.words;
    /* Without && between the two, which compilers make one comparison of in memory, right after both were stored. */
    int received = (words.source ^ before->source) | (words.received_tag ^ before->received_tag);
    return refrain_again_collective(known, words) && words.tag == before->tag && received == 0;
}

/* The call begins, and is told of all that comes before its PMPI function. Null, and nothing is done, where anything is
 * not as in the call before; it is to be begun by refrain_call_begin() then. */
REFRAIN_SHARED struct refrain_entry *refrain_call_again(struct refrain_call_cache *known, const void *frame_address);

/* A call that refrain_call_again() has begun ends, and tells nothing of what came in it. */
REFRAIN_SHARED void refrain_again_end(struct refrain_call_cache *known, struct refrain_entry *entry);

/* It ends with a message that has been received. False, and nothing is done, where that is not the one of the calls
 * before. */
REFRAIN_SHARED bool refrain_again_receives(struct refrain_call_cache *known, struct refrain_entry *entry,
                                           int64_t source, int64_t tag, int64_t bytes);

/* It is to go on as one that refrain_call_begin() has begun: `begun` is what that would have made of it. */
REFRAIN_SHARED void refrain_again_begun(struct refrain_call *begun, struct refrain_call_cache *known,
                                        struct refrain_entry *entry);

/* The call has begun otherwise, and has told all that comes before its PMPI function: if it is in a round, the next
 * ones with these words are begun by refrain_call_again(). `comm`: the communicator's index. */
REFRAIN_SHARED void refrain_again_remember_words(const struct refrain_call *call, uint64_t key, int64_t comm,
                                                 const struct refrain_call_words *words);
static inline void refrain_again_remember(const struct refrain_call *call, uint64_t key, int64_t comm,
                                          const struct refrain_call_words *words) {
    if (call->entry && call->known)
        refrain_again_remember_words(call, key, comm, words);
}

#endif
