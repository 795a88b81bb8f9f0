/* mpi_request_numbers.h: the numbers of requests (mpi_requests.c).
 *
 * Each thread numbers its requests for itself, always with the lowest number that is free, so that a replay can tell
 * which. The numbering is a row of parts of 4,096 numbers, of which the later ones are taken from the pool. Under the
 * lock, where nothing else is said. */
#ifndef REFRAIN_MPI_REQUEST_NUMBERS_H
#define REFRAIN_MPI_REQUEST_NUMBERS_H

#include "call.h"
#include "mpi_request_table.h"
#include "run/pool.h"
#include "visibility.h"
#include <refrain/trace.h>
#include <stdbool.h>
#include <stdint.h>

#include <refrain/settings.h>

#define REFRAIN_NUMBERS 4096u /* in a part of a thread's numbering */
#define REFRAIN_NUMBER_WORDS (REFRAIN_NUMBERS / 64)

/* A part of the numbering of one thread. An orphan was completed by another thread; the number is still taken. */
struct refrain_numbering {
    _Alignas(REFRAIN_GRAIN_BYTES) uint64_t full; /* words of `taken` without a zero */
    uint64_t orphans;                            /* words of `orphan` with a one */
    struct refrain_numbering *next;              /* the numbers after these; null: none yet */
    uint64_t most;                               /* that have been taken at a time, in this part and those before it */
    uint64_t taken[REFRAIN_NUMBER_WORDS], orphan[REFRAIN_NUMBER_WORDS];
};
extern REFRAIN_HIDDEN struct refrain_numbering refrain_numberings[REFRAIN_MAXIMUM_THREADS];
_Static_assert(REFRAIN_NUMBER_WORDS == 64, "one word says which words are full");

/* The lowest free number; false where the numbering is full and there is no memory for more. */
static REFRAIN_INLINE bool refrain_number_take(struct refrain_numbering *numbering, uint32_t *index) {
    uint32_t before = 0;
    uint64_t free = ~numbering->taken[0];
    *index = (uint32_t)__builtin_ctzll(free | (uint64_t)1 << 63);
    if (__builtin_expect(free & (free - 1) && *index < numbering->most, 1)) { /* one more is free in the first word */
        numbering->taken[0] |= free & -free;
        return true;
    }
    while (~numbering->full == 0) {
        if (!numbering->next)
            numbering->next = refrain_pool_take_for_open(sizeof *numbering);
        if (!numbering->next)
            return false;
        numbering = numbering->next;
        before += REFRAIN_NUMBERS;
    }
    unsigned word = (unsigned)__builtin_ctzll(~numbering->full);
    unsigned bit = (unsigned)__builtin_ctzll(~numbering->taken[word]);
    numbering->taken[word] |= (uint64_t)1 << bit;
    if (__builtin_expect(~numbering->taken[word] == 0, 0))
        numbering->full |= (uint64_t)1 << word;
    *index = before + word * 64 + bit;
    if (__builtin_expect(*index >= numbering->most, 0)) {
        numbering->most = *index + 1u;
        if (*index >= refrain_trace_file.header->request_high_water)
            refrain_trace_file.header->request_high_water = *index + 1u;
    }
    return true;
}

/* The part that a number taken is in; the number becomes that in the part. */
static REFRAIN_INLINE struct refrain_numbering *refrain_number_part(struct refrain_numbering *numbering,
                                                                    uint32_t *index) {
    for (; *index >= REFRAIN_NUMBERS; *index -= REFRAIN_NUMBERS)
        numbering = numbering->next;
    return numbering;
}

/* A number is free again. */
static REFRAIN_INLINE void refrain_number_give(struct refrain_numbering *numbering, uint32_t index) {
    numbering = refrain_number_part(numbering, &index);
    numbering->taken[index / 64] &= ~((uint64_t)1 << index % 64);
    numbering->full &= ~((uint64_t)1 << index / 64);
}

/* Those of up to 64 numbers, from `first` on, that have a bit in `given`. */
static REFRAIN_INLINE void refrain_numbers_give(struct refrain_numbering *numbering, uint32_t first, uint64_t given) {
    if (__builtin_expect(first < REFRAIN_NUMBERS && (given << first % 64 >> first % 64) == given, 1)) {
        numbering->taken[first / 64] &= ~(given << first % 64);
        numbering->full &= ~((uint64_t)(given != 0) << first / 64);
        return;
    }
    for (; given; given &= given - 1)
        refrain_number_give(numbering, first + (uint32_t)__builtin_ctzll(given));
}

/* A number of another thread's has been completed by this one: its owner gives it back. */
REFRAIN_HIDDEN void refrain_number_orphan(struct refrain_numbering *numbering, uint32_t index);

/* Gives orphans back, in the name of the thread they belong to. A number that replay would not give back stays taken.
 */
REFRAIN_HIDDEN void refrain_number_free_orphans(struct refrain_call *call, struct refrain_numbering *first);

/* A number of the calling thread's is free again, as a replay has been told (`told`). Not under the lock. */
static REFRAIN_INLINE void refrain_number_done(const struct refrain_call *call, unsigned index, bool told) {
    if (!told)
        return;
    refrain_mpi_lock();
    refrain_number_give(&refrain_numberings[call->context->number], index);
    refrain_mpi_unlock();
}

/* Tells that a number of the calling thread's is given back without completion being seen. Not under the lock. */
REFRAIN_HIDDEN void refrain_number_free(struct refrain_call *call, unsigned index);

#endif
