/* mpi_clocks.c: preloaded, does of what a tracer does at an MPI call only what none can do without: with PASSES, the
 * call goes through a function of its own; with CLOCKS, that also reads the clock before and after and adds up what lay
 * between (mpi_cost.sh). The functions that mpi_cost.c calls, and those that start and end nothing. */
#include <mpi.h>
#include <stdint.h>
#include <time.h>

static uint64_t latest, outside, inside;

static inline uint64_t clock_now(void) {
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

static inline void add(uint64_t *sum) {
#ifdef CLOCKS
    uint64_t now = clock_now();
    *sum += now - latest;
    latest = now;
#else
    ++*(volatile uint64_t *)sum; /* so that it is no tail call */
#endif
}

#define WRAPPER(name, parameters, arguments)                                                                           \
    int name parameters {                                                                                              \
        add(&outside);                                                                                                 \
        int rc = P##name arguments;                                                                                    \
        add(&inside);                                                                                                  \
        return rc;                                                                                                     \
    }

WRAPPER(MPI_Send, (const void *buffer, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm),
        (buffer, n, type, to, tag, comm))
WRAPPER(MPI_Recv, (void *buffer, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Status *status),
        (buffer, n, type, from, tag, comm, status))
WRAPPER(MPI_Sendrecv,
        (const void *out, int n, MPI_Datatype type, int to, int tag, void *in, int in_n, MPI_Datatype in_type, int from,
         int in_tag, MPI_Comm comm, MPI_Status *status),
        (out, n, type, to, tag, in, in_n, in_type, from, in_tag, comm, status))
WRAPPER(MPI_Isend, (const void *out, int n, MPI_Datatype type, int to, int tag, MPI_Comm comm, MPI_Request *request),
        (out, n, type, to, tag, comm, request))
WRAPPER(MPI_Irecv, (void *in, int n, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request *request),
        (in, n, type, from, tag, comm, request))
WRAPPER(MPI_Wait, (MPI_Request * request, MPI_Status *status), (request, status))
WRAPPER(MPI_Waitany, (int n, MPI_Request requests[], int *index, MPI_Status *status), (n, requests, index, status))
WRAPPER(MPI_Waitall, (int n, MPI_Request requests[], MPI_Status statuses[]), (n, requests, statuses))
WRAPPER(MPI_Startall, (int n, MPI_Request requests[]), (n, requests))
WRAPPER(MPI_Bcast, (void *buffer, int n, MPI_Datatype type, int root, MPI_Comm comm), (buffer, n, type, root, comm))
WRAPPER(MPI_Allreduce, (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm),
        (in, out, n, type, op, comm))
WRAPPER(MPI_Iallreduce,
        (const void *in, void *out, int n, MPI_Datatype type, MPI_Op op, MPI_Comm comm, MPI_Request *request),
        (in, out, n, type, op, comm, request))
WRAPPER(MPI_Barrier, (MPI_Comm comm), (comm))
