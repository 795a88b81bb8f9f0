/* live.h: what the ranks of a program do right now, or did when the program was killed (trace -> hang, top, info,
 * stats).
 *
 * Everything is read from the mapped files of the ranks; the program is neither stopped nor asked. One moment is not
 * that of all ranks: each is as it was when its file was copied. A job is *over* once none of its processes is there
 * any more and some were killed: then all ranks are shown as they were at that moment. */
#ifndef REFRAIN_LIVE_H
#define REFRAIN_LIVE_H

#include "model/trace_read.h"

enum refrain_live_state {
    REFRAIN_LIVE_COMPUTES, /* outside of MPI calls */
    REFRAIN_LIVE_CALLS,    /* in one */
    REFRAIN_LIVE_FINISHED, /* all from here on do nothing any more */
    REFRAIN_LIVE_ABORTED,  /* it called MPI_Abort */
    REFRAIN_LIVE_GONE,     /* its process is no more, and did not end by itself, but others are there */
    REFRAIN_LIVE_MISSING,  /* it has no file */
};

/* Ranks without a file, beyond which nothing can be concluded of those that have one. */
#define REFRAIN_LIVE_MOST_MISSING ((size_t)1 << 16)

/* A message that has to come, or to be taken, for a call to end. */
struct refrain_live_want {
    int32_t peer; /* rank in MPI_COMM_WORLD; REFRAIN_NOW_ANY: any member of the communicator */
    int32_t tag;  /* -1 any or not known */
    bool sends;   /* the peer has to receive it; else to send it */
};

struct refrain_live_rank {
    int32_t rank;
    uint32_t pid;
    uint32_t threads; /* that have run. What follows is of the first */
    bool killed;      /* its process is no more, and did not end by itself */
    enum refrain_live_state state;
    /* The MPI call it is in, or was last in. */
    const struct refrain_region_info *call; /* null: none yet, or not known */
    const char *function;                   /* it is made from; "" unknown */
    uint32_t call_reference;                /* the same for the same call site of the process */
    int64_t since_ns;                       /* how long it has been in the call, or outside, or was when it was over */
    int64_t run_ns;
    /* What the call waits for. */
    struct refrain_live_want wants[REFRAIN_MOST_AWAITED];
    uint32_t n_wants;                     /* 0: nothing, or not known */
    bool some_are_over;                   /* of several requests: some may have what they want already */
    bool on_requests;                     /* the call waits for requests, which are among the wants */
    bool posts_receives;                  /* it has posted receives that do not block: some may be under way */
    const struct refrain_comm_info *comm; /* null unknown, or several */
    bool in_collective;                   /* the call is a collective on comm ... */
    uint32_t ordinal;                     /* ... and that process's so many-th on it */
    uint64_t calls;                       /* MPI calls that have ended, of all threads */
    int64_t mpi_ns;                       /* their time, and that of the call it is in */
};

struct refrain_live {
    struct refrain_trace *trace;
    bool owns_trace;
    bool is_over;      /* the job; times are those of its end, which is ... */
    bool end_is_known; /* ... when refrain record saw it; else not before the last sign of any rank, and since_ns is the
                          least that it may have been */
    uint64_t moment_ns;              /* CLOCK_REALTIME: now, or that end */
    struct refrain_live_rank *ranks; /* by rank, missing ones included */
    size_t n_ranks;
    uint64_t taken_ns; /* CLOCK_MONOTONIC, of the reader */
    uint64_t pool_used, pool_bytes;
};

/* Reads the trace directory. `resolve`: as refrain_trace_open has it. More ranks without a file than
 * REFRAIN_LIVE_MOST_MISSING are an error. The caller closes *live. */
enum refrain_status refrain_live_read(const char *path, bool resolve, struct refrain_live **live,
                                      struct refrain_error *error);

/* The same of a trace that is open, and is closed after *live. Processes of other hosts, of which nothing is known
 * here, are taken to be no more. */
enum refrain_status refrain_live_of(struct refrain_trace *trace, struct refrain_live **live,
                                    struct refrain_error *error);
void refrain_live_close(struct refrain_live *live);

/* How many blocking collectives the rank has entered on the communicator; false when that is not known. */
bool refrain_live_entered(const struct refrain_live *live, int32_t rank, const struct refrain_comm_info *comm,
                          uint32_t *entered);

/* The trace directory that the process, or one that stems from it (of mpiexec: its ranks), writes; false when there is
 * none. */
bool refrain_live_directory(long pid, char *path, size_t bytes);

#endif
