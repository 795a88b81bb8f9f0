/* mpi_silent.h: calls that tell nothing but that they were made are *silent*: polls that find nothing, and functions of
 * class OFTEN (mpi_calls.def), which have nothing to tell. They are all alike, so that they have no words: one after
 * the other from the same site is a streak (call_streak.h), others go as those before them in their round
 * (call_again.h).
 *
 *     REFRAIN_MPI_SILENT() --> PMPI function --> refrain_silent_ends()
 *                                           \--> refrain_silent_begun(), if there is something to tell after all
 */
#ifndef REFRAIN_MPI_SILENT_H
#define REFRAIN_MPI_SILENT_H

#include "mpi_objects.h"

#define REFRAIN_MPI_NO_WORDS REFRAIN_MPI_WORDS(0)
static REFRAIN_INLINE bool refrain_has_no_words(const struct refrain_call_again *again,
                                                struct refrain_call_words words) {
    (void)again, (void)words;
    return true;
}

/* A call that has begun otherwise: the next ones can be silent. */
static REFRAIN_INLINE void refrain_silent_remember(const struct refrain_call *call, uint64_t key) {
    refrain_again_remember(call, key, -1, &REFRAIN_MPI_NO_WORDS);
}

/* A silent call that is in progress. */
struct refrain_silent {
    struct refrain_call_cache *known; /* where it is not in a streak */
    struct refrain_entry *entry;      /* null: it is */
    const void *frame_address;
};
#define REFRAIN_MPI_SILENT(silent, name, ...)                                                                          \
    struct refrain_silent silent = {NULL, NULL, REFRAIN_FRAME_ADDRESS};                                                \
    if (!refrain_streak_goes_on(REFRAIN_MPI_AGAIN_KEY(name), 0, refrain_has_no_words, REFRAIN_MPI_NO_WORDS,            \
                                __builtin_return_address(0), REFRAIN_FRAME_ADDRESS)) {                                 \
        REFRAIN_MPI_AGAIN(name, refrain_has_no_words, REFRAIN_MPI_NO_WORDS, __VA_ARGS__);                              \
        silent.known = known;                                                                                          \
        silent.entry = entry;                                                                                          \
    }

/* It ends, and has told nothing. False where the streak that it was in has ended meanwhile: then it is told by itself.
 */
static REFRAIN_INLINE bool refrain_silent_ends(const struct refrain_silent *silent, const void *return_address) {
    if (!silent->entry)
        return refrain_streak_passes(silent->frame_address);
    refrain_again_end(silent->known, silent->entry);
    refrain_streak_may_follow(silent->known, return_address, silent->frame_address);
    return true;
}

/* It is to be told by itself from here on. */
static inline void refrain_silent_begun(struct refrain_call *call, const struct refrain_silent *silent) {
    if (silent->entry)
        refrain_again_begun(call, silent->known, silent->entry);
    else
        refrain_streak_begun(call, silent->frame_address);
}

#endif
