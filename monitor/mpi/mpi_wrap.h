/* mpi_wrap.h: what the wrappers of MPI functions share (mpi_*.c -> call.c).
 *
 *     int MPI_Send(...) {
 *         REFRAIN_MPI_BEGIN(MPI_Send);            an activation of the call site
 *         ... operations that send ...
 *         int rc = PMPI_Send(...);                the parameters go through unchanged, and so does what comes back
 *         ... operations that receive ...
 *         refrain_call_end(&call);
 *         return rc;
 *     }
 *
 * The same sources make librefrain-mpich.so and librefrain-openmpi.so. Functions of a newer MPI are compiled where
 * mpi.h has them: mpi_has.h, made by mpi_generate.awk, says which.
 */
#ifndef REFRAIN_MPI_WRAP_H
#define REFRAIN_MPI_WRAP_H

#include "call_repeated.h"
#pragma GCC visibility push(default) /* the wrappers are what this library exports */
#include <mpi.h>
#pragma GCC visibility pop
#include "mpi_order.h"
#include <mpi_has.h>

/* Function numbers: the position in mpi_calls.def. */
enum refrain_mpi_function {
#define REFRAIN_MPI_CALL(name, class, collective, own_time) REFRAIN_CALL_##name,
#include <refrain/mpi_calls.def>
    REFRAIN_MPI_FUNCTIONS
};

/* What the monitor is told of the call that begins, in its wrapper. */
#define REFRAIN_MPI_FROM(name) REFRAIN_CALL_##name, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS

#define REFRAIN_MPI_BEGIN(name)                                                                                        \
    struct refrain_call call;                                                                                          \
    refrain_call_begin(&call, REFRAIN_MPI_FROM(name))

/* Two wrappers for a function whose calls may have the same words as the one before (call_again.h). The program calls
 * the first, which does no more than such a call takes, and so saves few registers. It leaves the others to the second,
 * `refrain_name_otherwise`, which has further parameters before those of the function. That is exported, since
 * librefrain-record.so has to know the code from which the function is called for the program (launch/front/choose.c).
 * `is_same`: refrain_again_message or _collective. */
#define REFRAIN_MPI_OTHERWISE(name, ...)                                                                               \
    int refrain_##name##_otherwise(uint64_t key, void *return_address, void *frame_address, __VA_ARGS__)               \
        __attribute__((noinline, visibility("protected")));                                                            \
    int refrain_##name##_otherwise(uint64_t key, void *return_address, void *frame_address, __VA_ARGS__)
/* Calls are passed on as they are: nothing is traced, and messages come as MPI has them. */
static inline bool refrain_mpi_passes(void) {
    return refrain_is_off(refrain_thread_context) && !refrain_mpi_often.order;
}
#define REFRAIN_MPI_OTHERWISE_FROM(name) REFRAIN_CALL_##name, return_address, frame_address
#define REFRAIN_MPI_AGAIN_KEY(name) (refrain_mpi_often.meaning + REFRAIN_CALL_##name)
#define REFRAIN_MPI_AGAIN(name, is_same, words, ...)                                                                   \
    const uint64_t key = REFRAIN_MPI_AGAIN_KEY(name);                                                                  \
    struct refrain_call_again *again;                                                                                  \
    struct refrain_call_cache *known = refrain_again_find(key, __builtin_return_address(0), &again);                   \
    struct refrain_entry *entry = NULL;                                                                                \
    if (__builtin_expect(known && is_same(again, words), 1))                                                           \
        entry = refrain_call_again(known, again, REFRAIN_FRAME_ADDRESS);                                               \
    if (__builtin_expect(!entry, 0)) {                                                                                 \
        if (!known && refrain_mpi_passes())                                                                            \
            return P##name(__VA_ARGS__);                                                                               \
        return refrain_##name##_otherwise(key, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS, __VA_ARGS__);       \
    }
#define REFRAIN_MPI_WORDS(...) ((struct refrain_call_words){__VA_ARGS__}) /* one argument of a macro, too */

/* The same where calls from one site may be a streak (call_repeated.h): the whole of the first wrapper, with the PMPI
 * function in it twice, so that calls that are in no streak pay little for those that are. `tells`: a
 * REFRAIN_MPI_TELLS_...; `arguments`: in parentheses; `counts(words)`: what else is to be done before; `ends(repeated,
 * tells, rc)`: at the end. */
#define REFRAIN_MPI_REPEATED(name, tells, is_same, own_words, arguments, counts, ends)                                 \
    struct refrain_call_again *next = REFRAIN_MPI_STREAK(name, tells, is_same, own_words);                             \
    if (next) {                                                                                                        \
        counts(next->words);                                                                                           \
        int rc = P##name arguments;                                                                                    \
        ends(((struct refrain_repeated){NULL, NULL, REFRAIN_FRAME_ADDRESS}), tells, rc);                               \
        return rc;                                                                                                     \
    }                                                                                                                  \
    REFRAIN_MPI_AGAIN(name, is_same, own_words, REFRAIN_MPI_UNWRAP arguments);                                         \
    counts(again->words);                                                                                              \
    int rc = P##name arguments;                                                                                        \
    ends(((struct refrain_repeated){known, entry, REFRAIN_FRAME_ADDRESS}), tells, rc);                                 \
    return rc
#define REFRAIN_MPI_UNWRAP(...) __VA_ARGS__
#define REFRAIN_MPI_STREAK(name, tells, is_same, words)                                                                \
    refrain_streak_goes_on(REFRAIN_MPI_AGAIN_KEY(name), tells, is_same, words, __builtin_return_address(0),            \
                           REFRAIN_FRAME_ADDRESS)
/* `ends` of calls that tell nothing of what came in them, and `counts` where that is nothing. */
#define REFRAIN_MPI_PASSES(repeated, tells, rc) refrain_repeated_passes(repeated, tells, __builtin_return_address(0))
#define REFRAIN_MPI_COUNTS_NOTHING(words) (void)(words)
#define REFRAIN_MPI_TELLS_NOTHING ((struct refrain_streak_tells){0, 0})
#define REFRAIN_MPI_TELLS_BEFORE ((struct refrain_streak_tells){1, 0})
#define REFRAIN_MPI_TELLS_AFTER ((struct refrain_streak_tells){0, 1})
#define REFRAIN_MPI_TELLS_BOTH ((struct refrain_streak_tells){1, 1})

/* Ends a wrapper that does nothing after the PMPI function. */
#define REFRAIN_MPI_PASS(pmpi_call)                                                                                    \
    do {                                                                                                               \
        refrain_order_waits();                                                                                         \
        int rc = pmpi_call;                                                                                            \
        refrain_order_goes_on();                                                                                       \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    } while (0)

/* A handle as a key: an int in MPICH, a pointer in Open MPI. */
#define REFRAIN_MPI_KEY(handle) ((uint64_t)(uintptr_t)(handle))

#endif
