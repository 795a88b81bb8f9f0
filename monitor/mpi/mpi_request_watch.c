/* mpi_request_watch.c: arrays of requests that a call waits for or tests (mpi_objects.h). */
#include "mpi_request_complete.h"
#include "mpi_request_numbers.h"
#include "mpi_request_table.h"

void refrain_watch_begin(const struct refrain_call *call, struct refrain_watch *watch, int count,
                         const MPI_Request *array) {
    *watch = (struct refrain_watch){0, false, refrain_requests.bound == 0};
    if (refrain_requests.bound == 0 || !array)
        return;
    refrain_mpi_lock();
    uint32_t *link = &watch->first;
    for (int i = 0; i < count; i++) {
        struct refrain_request *request = refrain_request_find(call, REFRAIN_MPI_KEY(array[i]), 0);
        watch->others |= !request && array[i] != MPI_REQUEST_NULL;
        if (!request || !(request->flags & REFRAIN_REQUEST_ACTIVE))
            continue;
        request->flags |= REFRAIN_REQUEST_WATCHED;
        request->position = (uint32_t)i;
        request->watched = 0;
        *link = refrain_request_place(request);
        link = &request->watched;
        watch->needs_statuses |= refrain_request_needs_status(request);
    }
    refrain_mpi_unlock();
}

/* One of the array is settled: completed, or gone without a message. */
static REFRAIN_INLINE void watched_done(struct refrain_call *call, struct refrain_request_run *run,
                                        struct refrain_request *request, bool completed, MPI_Status *status) {
    if (completed) {
        refrain_request_run_add(call, run, request, status);
    } else if (refrain_request_is_own(call, request)) {
        refrain_request_run_tell(call, run);
        refrain_number_free(call, request->index);
    }
    refrain_mpi_lock();
    refrain_request_settle(call, request, !completed);
    refrain_mpi_unlock();
}

/* One of the array, after a call that returned `rc` and, where it is known, this status for it. */
static REFRAIN_INLINE void watched_returned(struct refrain_call *call, struct refrain_request_run *run,
                                            struct refrain_request *request, int rc, const MPI_Request *array,
                                            MPI_Status *status) {
    if (rc == MPI_SUCCESS || (rc == MPI_ERR_IN_STATUS && status && status->MPI_ERROR == MPI_SUCCESS))
        watched_done(call, run, request, true, status);
    else if (array[request->position] == MPI_REQUEST_NULL)
        watched_done(call, run, request, false, NULL);
    else
        request->flags &= (uint8_t)~REFRAIN_REQUEST_WATCHED;
}

void refrain_watch_all(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array,
                       MPI_Status *statuses) {
    struct refrain_request_run run;
    refrain_request_run_begin(&run);
    for (uint32_t n = watch->first, next; n; n = next) {
        struct refrain_request *request = refrain_request_at(n - 1);
        next = request->watched;
        watched_returned(call, &run, request, rc, array, statuses ? &statuses[request->position] : NULL);
    }
    refrain_request_run_tell(call, &run);
}

void refrain_watch_some(struct refrain_call *call, struct refrain_watch *watch, int rc, const MPI_Request *array, int n,
                        const int *indices, MPI_Status *statuses) {
    struct refrain_request_run run;
    uint32_t *link = &watch->first;
    refrain_request_run_begin(&run);
    for (int i = 0; i < n; i++) {
        if (*link && refrain_request_at(*link - 1)->position > (uint32_t)indices[i])
            link = &watch->first;
        while (*link && refrain_request_at(*link - 1)->position < (uint32_t)indices[i])
            link = &refrain_request_at(*link - 1)->watched;
        if (!*link || refrain_request_at(*link - 1)->position != (uint32_t)indices[i])
            continue;
        struct refrain_request *request = refrain_request_at(*link - 1);
        *link = request->watched;
        watched_returned(call, &run, request, rc, array, statuses ? &statuses[i] : NULL);
    }
    refrain_request_run_tell(call, &run);
    for (uint32_t place = watch->first; place; place = refrain_request_at(place - 1)->watched)
        refrain_request_at(place - 1)->flags &= (uint8_t)~REFRAIN_REQUEST_WATCHED;
}
