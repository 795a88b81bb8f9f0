/* live.h: the current state of the ranks of a program, or their last state if it was killed (trace -> hang, top,
 * info, stats).
 *
 * All data comes from the mapped files of the ranks. The program is neither stopped nor asked. The states of ranks
 * are not simultaneous: each is that of the time when its file was copied. A job is *over* if none of its processes
 * exists any more and some were killed. All ranks then have their states at that time. */
#ifndef REFRAIN_LIVE_H
#define REFRAIN_LIVE_H

#include "model/trace_read.h"

enum refrain_live_state {
    REFRAIN_LIVE_COMPUTES, /* outside of MPI calls */
    REFRAIN_LIVE_CALLS,    /* in one */
    REFRAIN_LIVE_FINISHED, /* from here on, the rank does nothing any more */
    REFRAIN_LIVE_ABORTED,  /* it called MPI_Abort */
    REFRAIN_LIVE_GONE,     /* its process does not exist and did not end by itself, while others exist */
    REFRAIN_LIVE_MISSING,  /* it has no file */
};

/* If more ranks have no file, nothing can be concluded about the others. */
#define REFRAIN_LIVE_MOST_MISSING ((size_t)1 << 16)

/* A message that has to arrive, or to be received, so that a call can end. */
struct refrain_live_want {
    int32_t peer; /* rank in MPI_COMM_WORLD; REFRAIN_NOW_ANY: any member of the communicator */
    int32_t tag;  /* -1 any or unknown */
    bool sends;   /* the peer has to receive it; else to send it */
};

struct refrain_live_rank {
    int32_t rank;
    uint32_t pid;
    uint32_t threads; /* threads that have run. The following members are those of the first thread */
    bool killed;      /* its process does not exist, and did not end by itself */
    enum refrain_live_state state;
    /* The current or last MPI call. */
    const struct refrain_region_info *call; /* null: none yet, or unknown */
    const char *function;                   /* function that makes the call; "" unknown */
    uint32_t call_reference;                /* equal for equal call sites of the process */
    int64_t since_ns;                       /* time in the call, or since the last one; or until the job was over */
    int64_t run_ns;
    /* What the call waits for. */
    struct refrain_live_want wants[REFRAIN_MOST_AWAITED];
    uint32_t n_wants;                     /* 0: nothing, or unknown */
    bool some_are_over;                   /* of several requests: some may have completed */
    bool on_requests;                     /* the call waits for requests, which are among the wants */
    bool posts_receives;                  /* it has posted nonblocking receives, some of which may be pending */
    const struct refrain_comm_info *comm; /* null unknown, or several */
    bool in_collective;                   /* the call is a collective on comm */
    uint32_t ordinal;                     /* number of this collective on comm in this process */
    uint64_t calls;                       /* MPI calls that have ended, of all threads */
    int64_t mpi_ns;                       /* their time, including that of the current call */
};

struct refrain_live {
    struct refrain_trace *trace;
    bool owns_trace;
    bool is_over;      /* the job is over; times refer to its end */
    bool end_is_known; /* refrain record saw the end. Else the end is the last sign of any rank, and since_ns is a lower
                          bound */
    uint64_t moment_ns;              /* CLOCK_REALTIME: now, or the end */
    struct refrain_live_rank *ranks; /* by rank, including missing ones */
    size_t n_ranks;
    uint64_t taken_ns; /* CLOCK_MONOTONIC, of the reader */
    uint64_t pool_used, pool_bytes;
};

/* Reads the trace directory. `resolve`: as for refrain_trace_open(). More than REFRAIN_LIVE_MOST_MISSING ranks
 * without a file are an error. The caller closes *live. */
enum refrain_status refrain_live_read(const char *path, bool resolve, struct refrain_live **live,
                                      struct refrain_error *error);

/* The same for an open trace, which has to be closed after *live. Processes on other hosts count as not existing. */
enum refrain_status refrain_live_of(struct refrain_trace *trace, struct refrain_live **live,
                                    struct refrain_error *error);
void refrain_live_close(struct refrain_live *live);

/* Number of blocking collectives that the rank has entered on the communicator. False if unknown. */
bool refrain_live_entered(const struct refrain_live *live, int32_t rank, const struct refrain_comm_info *comm,
                          uint32_t *entered);

/* The trace directory that the process or one of its descendants writes (for mpiexec: its ranks). False if there is
 * none. */
bool refrain_live_directory(long pid, char *path, size_t bytes);

#endif
