/* mpi_silent.h: calls that tell nothing but that they were made are *silent*: polls that find nothing, and functions of
 * class OFTEN (mpi_calls.def), which have nothing to tell. They are all alike, so that they have no words: one after
 * the other from the same site is a streak (call_streak.h), others go as those before them in their round
 * (call_repeated.h, which has how they end, too).
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

/* Begins one; `silent`: what it is called in its wrapper. */
#define REFRAIN_MPI_SILENT(silent, name, ...)                                                                          \
    struct refrain_repeated silent = {NULL, NULL, REFRAIN_FRAME_ADDRESS};                                              \
    if (!REFRAIN_MPI_STREAK(name, REFRAIN_MPI_TELLS_NOTHING, refrain_has_no_words, REFRAIN_MPI_NO_WORDS)) {            \
        REFRAIN_MPI_AGAIN(name, refrain_has_no_words, REFRAIN_MPI_NO_WORDS, __VA_ARGS__);                              \
        silent.known = known;                                                                                          \
        silent.entry = entry;                                                                                          \
    }

#endif
