/* mpi_complete.h: the bodies of the generated wrappers of the functions that complete requests (mpi_calls.def,
 * mpi_does.h). The completed ones and their order are recorded after the call. MPI overwrites the handles, so the
 * requests are looked up before it, or by copies of their handles.
 *
 * A call that tests mostly finds nothing. So requests are looked up after the call, and only if some have completed.
 * With MPI_THREAD_MULTIPLE, another thread may get the handle of a completed request, and complete its own, before this
 * thread has looked up what has completed. So there the requests are looked up before. */
#ifndef REFRAIN_MPI_COMPLETE_H
#define REFRAIN_MPI_COMPLETE_H

#include "call.h"
#include "mpi_objects.h"
#include <refrain/trace.h>

#include <alloca.h>
#include <stdbool.h>
#include <string.h>

/* gcc takes MPI_STATUSES_IGNORE, which is an address in MPICH, for an array that is too short. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* ---- functions of mpi_complete.c ---- */

/* Maps memory for `count` statuses for the time of a call. MPI_STATUSES_IGNORE without memory. */
MPI_Status *refrain_statuses_map(int count);
void refrain_statuses_unmap(MPI_Status *statuses, int count);

/* Ends a call that tests all requests of the array (`completed` false: it has found nothing). `former`: copies of their
 * handles; null: the requests are in `watch`. */
void refrain_completed_all(struct refrain_call *call, struct refrain_watch *watch, const MPI_Request *former, int count,
                           int rc, bool completed, const MPI_Request *requests, MPI_Status *statuses);

/* The same for a call that completes the request at `index` of the array; MPI_UNDEFINED: none. */
void refrain_completed_any(struct refrain_call *call, struct refrain_watch *watch, const MPI_Request *former, int count,
                           int rc, int index, const MPI_Request *requests, MPI_Status *status);

/* The same for a call that completes the *n requests at `indices`; MPI_UNDEFINED: none is active. The status of each
 * says whether it has failed. */
void refrain_completed_some(struct refrain_call *call, struct refrain_watch *watch, const MPI_Request *former,
                            int count, int rc, const int *n, const int *indices, const MPI_Request *requests,
                            MPI_Status *statuses);

/* ---- wrappers ---- */

/* The statuses of receives and of file accesses are needed even if the user ignores them. Up to this number they are on
 * the stack, which belongs to the program and may be small. */
#define REFRAIN_MOST_STATUSES 64
#define REFRAIN_MOST_COPIED 128 /* handles, on the stack, too */

/* `statuses` become those to pass to MPI. */
#define BEGIN_STATUSES(count, statuses, needed)                                                                        \
    MPI_Status *user = statuses;                                                                                       \
    statuses = user != MPI_STATUSES_IGNORE || !(needed) ? user                                                         \
               : (unsigned)(count) > REFRAIN_MOST_STATUSES                                                             \
                   ? refrain_statuses_map(count)                                                                       \
                   : (MPI_Status *)alloca(sizeof(MPI_Status) * (size_t)(count))
#define END_STATUSES(count, statuses)                                                                                  \
    if (statuses != user && (unsigned)(count) > REFRAIN_MOST_STATUSES)                                                 \
    refrain_statuses_unmap(statuses, count)

#define BEGIN_WAITING(count, requests, statuses)                                                                       \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_watch watch;                                                                                        \
    refrain_watch_begin(&call, &watch, count, requests, true);                                                         \
    BEGIN_STATUSES(count, statuses, watch.needs_statuses)

#define BEGIN_TESTING(count, requests)                                                                                 \
    REFRAIN_MPI_BEGIN_HERE();                                                                                          \
    struct refrain_watch watch;                                                                                        \
    const MPI_Request *former = NULL;                                                                                  \
    if (refrain_mpi_multiple || !(requests) || (count) <= 0 || (count) > REFRAIN_MOST_COPIED)                          \
        refrain_watch_begin(&call, &watch, count, requests, false);                                                    \
    else                                                                                                               \
        former = memcpy(alloca(sizeof(MPI_Request) * (size_t)(count)), requests, sizeof(MPI_Request) * (size_t)(count))

#define WAIT(passed)                                                                                                   \
    refrain_order_waits();                                                                                             \
    int returned = passed;                                                                                             \
    refrain_order_continues()

/* Waits for all requests of the array; or for the only one (`count` 1). */
#define REFRAIN_DOES_WAITS_FOR_ALL(passed, count, requests, statuses)                                                  \
    BEGIN_WAITING(count, requests, statuses);                                                                          \
    WAIT(passed);                                                                                                      \
    refrain_watch_end(&call, &watch, returned, requests, 0, NULL, statuses);                                           \
    END_STATUSES(count, statuses);                                                                                     \
    return returned

#define REFRAIN_DOES_TESTS_ALL(passed, count, requests, flag, statuses)                                                \
    BEGIN_TESTING(count, requests);                                                                                    \
    BEGIN_STATUSES(count, statuses, former || watch.needs_statuses);                                                   \
    int returned = passed;                                                                                             \
    refrain_completed_all(&call, &watch, former, count, returned, returned == MPI_SUCCESS && *(flag), requests,        \
                          statuses);                                                                                   \
    END_STATUSES(count, statuses);                                                                                     \
    return returned

/* Only one request of the array completes, so only this one is looked up, by the copy of its handle. Otherwise waiting
 * for n requests one by one would take n * n steps. With MPI_THREAD_MULTIPLE it does. */
#define REFRAIN_DOES_WAITS_FOR_ANY(passed, count, requests, index, status)                                             \
    BEGIN_TESTING(count, requests);                                                                                    \
    MPI_Status own;                                                                                                    \
    status = status == MPI_STATUS_IGNORE ? &own : status;                                                              \
    refrain_requests_await(&call, count, requests);                                                                    \
    WAIT(passed);                                                                                                      \
    refrain_completed_any(&call, &watch, former, count, returned, returned == MPI_SUCCESS ? *(index) : MPI_UNDEFINED,  \
                          requests, status);                                                                           \
    return returned

#define REFRAIN_DOES_TESTS_ANY(passed, count, requests, index, flag, status)                                           \
    BEGIN_TESTING(count, requests);                                                                                    \
    MPI_Status own;                                                                                                    \
    status = status == MPI_STATUS_IGNORE ? &own : status;                                                              \
    int returned = passed;                                                                                             \
    refrain_completed_any(&call, &watch, former, count, returned,                                                      \
                          returned == MPI_SUCCESS && *(flag) ? *(index) : MPI_UNDEFINED, requests, status);            \
    return returned

#define REFRAIN_DOES_WAITS_FOR_SOME(passed, count, requests, completed, indices, statuses)                             \
    BEGIN_WAITING(count, requests, statuses);                                                                          \
    WAIT(passed);                                                                                                      \
    refrain_completed_some(&call, &watch, NULL, count, returned, completed, indices, requests, statuses);              \
    END_STATUSES(count, statuses);                                                                                     \
    return returned

#define REFRAIN_DOES_TESTS_SOME(passed, count, requests, completed, indices, statuses)                                 \
    BEGIN_TESTING(count, requests);                                                                                    \
    BEGIN_STATUSES(count, statuses, former || watch.needs_statuses);                                                   \
    int returned = passed;                                                                                             \
    refrain_completed_some(&call, &watch, former, count, returned, completed, indices, requests, statuses);            \
    END_STATUSES(count, statuses);                                                                                     \
    return returned

#endif
