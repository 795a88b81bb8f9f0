/* call_repeated.h: a wrapper's call that goes as one before it, whose events it tells itself: in a streak
 * (call_streak.h), or else by its words in a round (call_again.h).
 *
 *     refrain_streak_goes_on(), or else refrain_call_again() --> PMPI function --> refrain_repeated_ends()
 *                                                                       |     or refrain_repeated_receives()
 *                                                                       \---- refrain_repeated_begun(), where it ends
 *                                                                             otherwise than those before it */
#ifndef REFRAIN_CALL_REPEATED_H
#define REFRAIN_CALL_REPEATED_H

#include "call_streak.h"

/* Such a call, in progress. Handed on by value, since a wrapper keeps in registers what has no address. */
struct refrain_repeated {
    struct refrain_call_cache *known; /* where it is not in a streak */
    struct refrain_entry *entry;      /* null: it is */
    const void *frame_address;
};

/* It is to be told by itself from here on: `call` is what refrain_call_begin() would have made of it. */
static inline void refrain_repeated_begun(struct refrain_call *call, struct refrain_repeated repeated) {
    if (repeated.entry)
        refrain_again_begun(call, repeated.known, repeated.entry);
    else
        refrain_streak_begun(call, repeated.frame_address);
}

/* It ends, and tells nothing of what came in it. False where the streak that it was in has ended meanwhile. */
static inline __attribute__((always_inline)) bool
refrain_repeated_ends(struct refrain_repeated repeated, struct refrain_streak_tells tells, const void *return_address) {
    if (!repeated.entry)
        return refrain_streak_passes(repeated.frame_address);
    refrain_again_end(repeated.known, repeated.entry);
    refrain_streak_may_follow(repeated.known, tells, return_address, repeated.frame_address);
    return true;
}

/* The same, and it ends in any case. */
static inline __attribute__((always_inline)) void refrain_repeated_passes(struct refrain_repeated repeated,
                                                                          struct refrain_streak_tells tells,
                                                                          const void *return_address) {
    if (__builtin_expect(!refrain_repeated_ends(repeated, tells, return_address), 0))
        refrain_streak_end_begun(repeated.frame_address);
}

/* It ends with a message that has been received. False, and nothing is done, where that is not the one of the calls
 * before, or as above. */
static inline __attribute__((always_inline)) bool refrain_repeated_receives(struct refrain_repeated repeated,
                                                                            struct refrain_streak_tells tells,
                                                                            const void *return_address, int64_t source,
                                                                            int64_t tag, int64_t bytes) {
    if (!repeated.entry)
        return refrain_streak_receives(repeated.frame_address, tells.before, source, tag, bytes);
    if (!refrain_again_receives(repeated.known, repeated.entry, source, tag, bytes))
        return false;
    refrain_streak_may_follow(repeated.known, tells, return_address, repeated.frame_address);
    return true;
}

#endif
