/* mpi_complete.c: functions for the generated wrappers of the functions that complete requests (mpi_complete.h). */
#define _GNU_SOURCE
#include "mpi_complete.h"

#include <sys/mman.h>

/* About as much as the program has for its requests. */
MPI_Status *refrain_statuses_map(int count) {
    void *statuses =
        mmap(NULL, sizeof(MPI_Status) * (size_t)count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return statuses == MAP_FAILED ? MPI_STATUSES_IGNORE : statuses;
}

void refrain_statuses_unmap(MPI_Status *statuses, int count) {
    munmap(statuses, sizeof(MPI_Status) * (size_t)count);
}

void refrain_completed_all(struct refrain_call *call, struct refrain_watch *watch, const MPI_Request *former, int count,
                           int rc, bool completed, const MPI_Request *requests, MPI_Status *statuses) {
    const int none = 0;
    bool nothing = rc == MPI_SUCCESS && !completed;
    if (former && nothing) {
        refrain_call_end(call);
        return;
    }
    if (former)
        refrain_watch_begin(call, watch, count, former, false);
    refrain_watch_end(call, watch, rc, requests, 0, nothing ? &none : NULL, statuses);
}

static void any_of_copied(struct refrain_call *call, const MPI_Request *former, int count, int rc, int index,
                          const MPI_Request *requests, MPI_Status *status) {
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

void refrain_completed_any(struct refrain_call *call, struct refrain_watch *watch, const MPI_Request *former, int count,
                           int rc, int index, const MPI_Request *requests, MPI_Status *status) {
    if (former && rc == MPI_SUCCESS && index == MPI_UNDEFINED)
        refrain_call_end(call);
    else if (former)
        any_of_copied(call, former, count, rc, index, requests, status);
    else
        refrain_watch_end(call, watch, rc, requests, index != MPI_UNDEFINED, rc == MPI_SUCCESS ? &index : NULL,
                          rc == MPI_SUCCESS ? status : NULL);
}

void refrain_completed_some(struct refrain_call *call, struct refrain_watch *watch, const MPI_Request *former,
                            int count, int rc, const int *n, const int *indices, const MPI_Request *requests,
                            MPI_Status *statuses) {
    bool some = rc == MPI_SUCCESS || rc == MPI_ERR_IN_STATUS;
    int completed = some && *n != MPI_UNDEFINED ? *n : 0;
    if (former && rc == MPI_SUCCESS && completed == 0) {
        refrain_call_end(call);
        return;
    }
    if (former)
        refrain_watch_begin(call, watch, count, former, false);
    refrain_watch_end(call, watch, rc, requests, completed, some ? indices : NULL, some ? statuses : NULL);
}
