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

#include "arch/arch.h"
#include "call.h"
#include <stdint.h>
#pragma GCC visibility push(default) /* the wrappers are what this library exports */
#include <mpi.h>
#pragma GCC visibility pop
#include "mpi_order.h"
#include <mpi_has.h>

/* Function numbers: the position in mpi_calls.def. */
enum refrain_mpi_function {
#define REFRAIN_MPI_CALL(name, class, collective, own_time, kind, ...) REFRAIN_CALL_##name,
#include <refrain/mpi_calls.def>
    REFRAIN_MPI_FUNCTIONS
};

/* The arguments of refrain_call_begin() in a wrapper. */
#define REFRAIN_MPI_FROM(name) REFRAIN_CALL_##name, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS

#define REFRAIN_MPI_BEGIN(name)                                                                                        \
    struct refrain_call call;                                                                                          \
    refrain_call_begin(&call, REFRAIN_MPI_FROM(name))

/* The same in a generated wrapper, where `function` is the number of the function; and with the first operation (null:
 * none). */
#define REFRAIN_MPI_FROM_HERE function, __builtin_return_address(0), REFRAIN_FRAME_ADDRESS
#define REFRAIN_MPI_BEGIN_HERE()                                                                                       \
    struct refrain_call call;                                                                                          \
    refrain_call_begin(&call, REFRAIN_MPI_FROM_HERE)
#define REFRAIN_MPI_BEGIN_WITH(operation)                                                                              \
    struct refrain_call call;                                                                                          \
    refrain_call_begin_with(&call, REFRAIN_MPI_FROM_HERE, operation)

/* Ends a wrapper that does nothing after the PMPI function. */
#define REFRAIN_MPI_PASS(pmpi_call)                                                                                    \
    do {                                                                                                               \
        refrain_order_waits();                                                                                         \
        int rc = pmpi_call;                                                                                            \
        refrain_order_continues();                                                                                     \
        refrain_call_end(&call);                                                                                       \
        return rc;                                                                                                     \
    } while (0)

/* For functions that a wrapper calls, or that a loop over requests calls for each one: most are a few instructions, and
 * inlined they keep their values in registers. */
#define REFRAIN_INLINE inline __attribute__((always_inline))

/* A handle as a key: an int in MPICH, a pointer in Open MPI. */
#define REFRAIN_MPI_KEY(handle) ((uint64_t)(uintptr_t)(handle))

#endif
