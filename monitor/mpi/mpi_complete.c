/* mpi_complete.c: wrappers of the functions that complete requests. The completed ones and their order are
 * recorded after the call. MPI overwrites the handles, so the requests are looked up before it. */
#define _GNU_SOURCE
#include "call.h"
#include "mpi_objects.h"
#include <refrain/trace.h>

#include <alloca.h>
#include <string.h>
#include <sys/mman.h>

/* gcc takes MPI_STATUSES_IGNORE, which is an address in MPICH, for an array that is too short. */
#ifndef __clang__
#pragma GCC diagnostic ignored "-Wstringop-overflow"
#endif

/* The statuses of receives and of file accesses are needed even if the user ignores them. Up to this number they are on
 * the stack, which belongs to the program and may be small. */
#define MOST_STATUSES 64

#define STATUSES(user, count, needed)                                                                                  \
    ((user) != MPI_STATUSES_IGNORE || !(needed) ? (user)                                                               \
     : (unsigned)(count) > MOST_STATUSES        ? statuses_map(count)                                                  \
                                                : (MPI_Status *)alloca(sizeof(MPI_Status) * (size_t)(count)))

/* Maps memory for more statuses for the time of the call, about as much as the program has for its requests. */
static MPI_Status *statuses_map(int count) {
    void *statuses =
        mmap(NULL, sizeof(MPI_Status) * (size_t)count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return statuses == MAP_FAILED ? MPI_STATUSES_IGNORE : statuses;
}

static void statuses_done(const MPI_Status *user, MPI_Status *statuses, int count) {
    if (statuses != user && (unsigned)count > MOST_STATUSES)
        munmap(statuses, sizeof(MPI_Status) * (size_t)count);
}

static MPI_Status *known(MPI_Status *statuses) {
    return statuses == MPI_STATUSES_IGNORE ? NULL : statuses;
}

/* ---- all, or the only one ---- */

int MPI_Wait(MPI_Request *request, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Wait);
    struct refrain_watch watch;
    refrain_watch_begin(&call, &watch, 1, request, true);
    MPI_Status own, *used = status == MPI_STATUS_IGNORE && watch.needs_statuses ? &own : status;
    refrain_order_waits();
    int rc = PMPI_Wait(request, used);
    refrain_order_continues();
    refrain_watch_end(&call, &watch, rc, request, 0, NULL, used == MPI_STATUS_IGNORE ? NULL : used);
    return rc;
}

int MPI_Waitall(int count, MPI_Request array_of_requests[], MPI_Status array_of_statuses[]) {
    REFRAIN_MPI_BEGIN(MPI_Waitall);
    struct refrain_watch watch;
    refrain_watch_begin(&call, &watch, count, array_of_requests, true);
    MPI_Status *statuses = STATUSES(array_of_statuses, count, watch.needs_statuses);
    refrain_order_waits();
    int rc = PMPI_Waitall(count, array_of_requests, statuses);
    refrain_order_continues();
    refrain_watch_end(&call, &watch, rc, array_of_requests, 0, NULL, known(statuses));
    statuses_done(array_of_statuses, statuses, count);
    return rc;
}

/* A call that tests mostly finds nothing. So requests are looked up after the call, by copies of their handles, and
 * only if some have completed. With MPI_THREAD_MULTIPLE, another thread may get the handle of a completed request, and
 * complete its own, before this thread has looked up what has completed. So there the requests are looked up before. */

#define MOST_COPIED 128 /* on the program's stack, too */

#define TEST_BEGIN(number, array)                                                                                      \
    struct refrain_watch watch;                                                                                        \
    const MPI_Request *former = NULL; /* null: the requests are in `watch` */                                          \
    if (refrain_mpi_multiple || !(array) || (number) <= 0 || (number) > MOST_COPIED)                                   \
        refrain_watch_begin(&call, &watch, number, array, false);                                                      \
    else                                                                                                               \
        former = memcpy(alloca(sizeof(MPI_Request) * (size_t)(number)), array, sizeof(MPI_Request) * (size_t)(number))

/* The statuses that the call has to fill in. */
#define TEST_STATUSES(user, count) STATUSES(user, count, former != NULL || watch.needs_statuses)

static REFRAIN_INLINE void test_all_done(struct refrain_call *call, struct refrain_watch *watch,
                                         const MPI_Request *former, int count, int rc, bool completed,
                                         const MPI_Request *requests, MPI_Status *statuses) {
    const int none = 0;
    bool nothing = rc == MPI_SUCCESS && !completed;
    if (__builtin_expect(former && nothing, 1)) {
        refrain_call_end(call);
        return;
    }
    if (former)
        refrain_watch_begin(call, watch, count, former, false);
    refrain_watch_end(call, watch, rc, requests, 0, nothing ? &none : NULL, known(statuses));
}

int MPI_Test(MPI_Request *request, int *flag, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Test);
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    TEST_BEGIN(1, request);
    int rc = PMPI_Test(request, flag, used);
    test_all_done(&call, &watch, former, 1, rc, rc == MPI_SUCCESS && *flag, request, used);
    return rc;
}

int MPI_Testall(int count, MPI_Request array_of_requests[], int *flag, MPI_Status array_of_statuses[]) {
    REFRAIN_MPI_BEGIN(MPI_Testall);
    TEST_BEGIN(count, array_of_requests);
    MPI_Status *statuses = TEST_STATUSES(array_of_statuses, count);
    int rc = PMPI_Testall(count, array_of_requests, flag, statuses);
    test_all_done(&call, &watch, former, count, rc, rc == MPI_SUCCESS && *flag, array_of_requests, statuses);
    statuses_done(array_of_statuses, statuses, count);
    return rc;
}

/* ---- any ----
 * Only one request of the array completes, so only this one is looked up, by the copy of its handle. Otherwise waiting
 * for n requests one by one would take n * n steps. With MPI_THREAD_MULTIPLE it does, as above. */

#define MOST_AWAITED_ANY 8 /* number of requests shown to readers of the running process */

static __attribute__((noinline)) void any_of_copied(struct refrain_call *call, const MPI_Request *former, int count,
                                                    int rc, int index, const MPI_Request *requests,
                                                    MPI_Status *status) {
    unsigned older = 0;
    if (rc == MPI_SUCCESS) {
        for (int i = 0; i < index; i++)
            older += former[i] == former[index];
        refrain_request_end_complete(call, REFRAIN_MPI_KEY(former[index]), older, status);
        return;
    }
    for (int i = 0; i < count; i++)
        if (former[i] != MPI_REQUEST_NULL && requests[i] == MPI_REQUEST_NULL)
            refrain_request_lost(call, REFRAIN_MPI_KEY(former[i]));
    refrain_call_end(call);
}

/* Ends the call. `index`: MPI_UNDEFINED if none has completed. */
static REFRAIN_INLINE void any_done(struct refrain_call *call, const MPI_Request *former, struct refrain_watch *watch,
                                    int count, int rc, int index, const MPI_Request *requests, MPI_Status *status) {
    if (__builtin_expect(former && rc == MPI_SUCCESS && index == MPI_UNDEFINED, 1))
        refrain_call_end(call);
    else if (former)
        any_of_copied(call, former, count, rc, index, requests, status);
    else
        refrain_watch_end(call, watch, rc, requests, index != MPI_UNDEFINED, rc == MPI_SUCCESS ? &index : NULL,
                          rc == MPI_SUCCESS ? status : NULL);
}

int MPI_Waitany(int count, MPI_Request array_of_requests[], int *indx, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Waitany);
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    TEST_BEGIN(count, array_of_requests);
    if (count <= MOST_AWAITED_ANY)
        refrain_requests_await(&call, count, array_of_requests);
    refrain_order_waits();
    int rc = PMPI_Waitany(count, array_of_requests, indx, used);
    refrain_order_continues();
    any_done(&call, former, &watch, count, rc, rc == MPI_SUCCESS ? *indx : MPI_UNDEFINED, array_of_requests, used);
    return rc;
}

int MPI_Testany(int count, MPI_Request array_of_requests[], int *indx, int *flag, MPI_Status *status) {
    REFRAIN_MPI_BEGIN(MPI_Testany);
    MPI_Status own, *used = status == MPI_STATUS_IGNORE ? &own : status;
    TEST_BEGIN(count, array_of_requests);
    int rc = PMPI_Testany(count, array_of_requests, indx, flag, used);
    any_done(&call, former, &watch, count, rc, rc == MPI_SUCCESS && *flag ? *indx : MPI_UNDEFINED, array_of_requests,
             used);
    return rc;
}

/* ---- some: the status of each says whether it has failed ---- */

static void some_done(struct refrain_call *call, struct refrain_watch *watch, int rc, int n, const int *indices,
                      const MPI_Request *requests, MPI_Status *statuses) {
    bool known = rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS;
    refrain_watch_end(call, watch, rc, requests, n == MPI_UNDEFINED ? 0 : n, known ? indices : NULL,
                      known ? statuses : NULL);
}

int MPI_Waitsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                 MPI_Status array_of_statuses[]) {
    REFRAIN_MPI_BEGIN(MPI_Waitsome);
    struct refrain_watch watch;
    refrain_watch_begin(&call, &watch, incount, array_of_requests, true);
    MPI_Status *statuses = STATUSES(array_of_statuses, incount, watch.needs_statuses);
    refrain_order_waits();
    int rc = PMPI_Waitsome(incount, array_of_requests, outcount, array_of_indices, statuses);
    refrain_order_continues();
    some_done(&call, &watch, rc, rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS ? *outcount : 0, array_of_indices,
              array_of_requests, known(statuses));
    statuses_done(array_of_statuses, statuses, incount);
    return rc;
}

int MPI_Testsome(int incount, MPI_Request array_of_requests[], int *outcount, int array_of_indices[],
                 MPI_Status array_of_statuses[]) {
    REFRAIN_MPI_BEGIN(MPI_Testsome);
    TEST_BEGIN(incount, array_of_requests);
    MPI_Status *statuses = TEST_STATUSES(array_of_statuses, incount);
    int rc = PMPI_Testsome(incount, array_of_requests, outcount, array_of_indices, statuses);
    bool nothing = rc == MPI_SUCCESS && (*outcount == 0 || *outcount == MPI_UNDEFINED);
    if (former && !nothing)
        refrain_watch_begin(&call, &watch, incount, former, false);
    if (!former || !nothing)
        some_done(&call, &watch, rc, rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS ? *outcount : 0, array_of_indices,
                  array_of_requests, known(statuses));
    else
        refrain_call_end(&call);
    statuses_done(array_of_statuses, statuses, incount);
    return rc;
}
