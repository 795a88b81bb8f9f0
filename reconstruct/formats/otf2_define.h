/* otf2_define.h: the definitions of an OTF2 archive (write_otf2.c -> OTF2). */
#ifndef REFRAIN_OTF2_DEFINE_H
#define REFRAIN_OTF2_DEFINE_H

#include "formats/call_tree.h"
#include "formats/held_locks.h"
#include "formats/otf2_groups.h"
#include "formats/otf2_objects.h"
#include "formats/waited.h"
#include "model/trace_read.h"
#include <otf2/otf2.h>

/* An access to a window (otf2_rma.c). */
struct refrain_otf2_access {
    uint64_t matching;
    OTF2_RmaWinRef window;
    uint32_t target;
    int64_t request;    /* -1: none */
    bool fetches;       /* it is complete when its request is */
    bool complete_here; /* complete at the origin, but not at the target */
};

/* The synchronising call on a window that the location is in. */
enum refrain_otf2_sync {
    REFRAIN_OTF2_NO_SYNC,
    REFRAIN_OTF2_FENCE,
    REFRAIN_OTF2_LOCK,
    REFRAIN_OTF2_UNLOCK,
    REFRAIN_OTF2_FLUSH,
    REFRAIN_OTF2_FLUSH_LOCAL,
    REFRAIN_OTF2_COMPLETE,
    REFRAIN_OTF2_POST,
    REFRAIN_OTF2_START,
    REFRAIN_OTF2_WAIT,
};
struct refrain_otf2_window_call {
    enum refrain_otf2_sync sync;
    const struct refrain_region_info *region;
    OTF2_RmaWinRef window;
    uint32_t target; /* rank in the window, OTF2_UNDEFINED_UINT32 all */
    OTF2_LockType lock;
    int64_t number; /* number of the window in its process */
};

/* The ranks of a group named by a call, one event each, until the call is left (otf2_rma.c). */
struct refrain_otf2_named_group {
    const struct refrain_region_info *region; /* null: the location is in no such call */
    int64_t number;                           /* number of the window in its process */
    uint64_t *ranks;                          /* owned */
    uint32_t n;
    size_t capacity;
};

/* An access to a file (otf2_io.c). */
struct refrain_otf2_operation {
    uint64_t matching;
    int64_t bytes; /* moved; before that is known: requested; -1 unknown */
    OTF2_IoHandleRef handle;
    int64_t request;                            /* -1: none */
    const struct refrain_region_info *begun_in; /* null: this call has returned */
    bool in_halves; /* begun by one call (MPI_File_read_all_begin) and ended by another (_end) */
    bool moved;     /* `bytes` is the number of moved bytes */
};

#define REFRAIN_OTF2_MOST_LOCKS 8u /* locks that a location holds at a time; further ones get no records */

struct refrain_otf2_location {
    uint64_t id; /* rank | thread << 32 */
    int32_t rank;
    uint32_t thread;
    const struct refrain_process *process; /* null: no file */
    OTF2_EvtWriter *writer;
    uint64_t events;
    uint64_t unknown; /* messages, collectives and accesses with unknown ranks or objects, which are omitted */
    uint64_t last_ns;
    bool leaves_plainly; /* the leave record is the only one needed when a call ends */
    bool in_collective;
    struct refrain_event collective; /* the one it is in */
    struct refrain_event *pending;   /* pending nonblocking collectives; owned */
    size_t n_pending, capacity_pending;
    uint64_t matching; /* number of the latest access */
    struct refrain_waited waiting;
    struct refrain_call_position call;
    struct refrain_otf2_access *accesses; /* accesses to windows that are not complete; owned */
    size_t n_accesses, capacity_accesses;
    struct refrain_otf2_window_call window_call;
    struct refrain_otf2_named_group group;
    struct refrain_otf2_operation *operations; /* accesses to files that are not complete; owned */
    size_t n_operations, capacity_operations;
    const struct refrain_region_info
        *ends_halves; /* the current call is the second half of an access; null: it is not */
    OTF2_IoHandleRef halves_of;
    uint32_t n_locks; /* nested locks of critical constructs, and when each was acquired (otf2_threads.h) */
    uint32_t lock_orders[REFRAIN_OTF2_MOST_LOCKS];
    struct refrain_held_locks held;           /* mutexes */
    enum refrain_construct_class thread_call; /* call that creates a thread or waits for one, in which it is */
    uint64_t thread_number;                   /* of the thread that it runs; 0: none, or unknown */
    /* The next point of the process's memory (struct refrain_resident), and its time: INT64_MAX if there is none, or if
     * this is not thread 0. */
    uint32_t memory_point;
    int64_t memory_due_ns;
};

/* Ranks of a communicator, by rank in MPI_COMM_WORLD. Unknown members are omitted. */
struct refrain_otf2_comm {
    const struct refrain_comm_info *info;
    uint64_t *members; /* world ranks; null: all, in order, or MPI_COMM_SELF */
    uint32_t n;
    uint64_t *remote_members;
    uint32_t n_remote;
    int32_t *rank_of; /* by world rank: rank in its group, -1 none; null if members is null */
    int32_t n_ranks;  /* size of rank_of and is_remote: ranks of the trace */
    bool *is_remote;  /* by world rank; null unless an intercommunicator */
};

/* The metric of the waiting time of a location, in all or for senders, in nanoseconds since the start. */
#define REFRAIN_OTF2_WAITING 0

/* The metric of a marker or counter. These follow the metric of waiting without gaps, as markers and counters are
 * the last regions. `first`: from refrain_otf2_first_value(). */
static inline OTF2_MetricRef refrain_otf2_value(size_t first, const struct refrain_region_info *region) {
    return REFRAIN_OTF2_WAITING + 1 + (OTF2_MetricRef)(region->index - first);
}

/* The metric of the resident memory of a process, in bytes, which follows them. */
static inline OTF2_MetricRef refrain_otf2_resident(const struct refrain_trace *trace, size_t first) {
    return REFRAIN_OTF2_WAITING + 1 + (OTF2_MetricRef)(trace->n_regions - first);
}

/* The index of the first region that is a marker or counter; the number of regions if there is none. */
size_t refrain_otf2_first_value(const struct refrain_trace *trace);

/* Attributes of a metric event of waiting, if events have their waits. */
enum refrain_otf2_wait {
    REFRAIN_OTF2_WAIT_FOR,  /* a string: the kind of the wait */
    REFRAIN_OTF2_WAITED,    /* nanoseconds */
    REFRAIN_OTF2_WAIT_BY,   /* a rank */
    REFRAIN_OTF2_WAIT_AT,   /* a region: its call */
    REFRAIN_OTF2_WAIT_CALL, /* the call that waited; it may have ended before the wait is known */
    REFRAIN_OTF2_WAIT_ATTRIBUTES
};

static inline OTF2_StringRef refrain_otf2_wait_kind(enum refrain_wait_kind kind) {
    return 1 + (OTF2_StringRef)kind;
}

/* One per communicator of the trace; null without memory. */
struct refrain_otf2_comm *refrain_otf2_comms(const struct refrain_trace *trace);
void refrain_otf2_comms_free(struct refrain_otf2_comm *comms, const struct refrain_trace *trace);

/* The rank in `comm` of `peer`, a rank in MPI_COMM_WORLD. In an intercommunicator it is the rank within the group that
 * has `peer`. False if `peer` is no member of `comm`; in MPI_COMM_SELF, if it is not `own`. */
static inline bool refrain_otf2_comm_rank(const struct refrain_otf2_comm *comm, int32_t own, int32_t peer,
                                          uint32_t *rank) {
    if (comm->info->index == 1) {
        *rank = 0;
        return peer == own;
    }
    *rank = (uint32_t)peer;
    if (!comm->rank_of)
        return peer < comm->info->size;
    if (peer >= comm->n_ranks || comm->rank_of[peer] < 0)
        return false;
    *rank = (uint32_t)comm->rank_of[peer];
    return true;
}

/* The number of a region in the archive. */
static inline OTF2_RegionRef refrain_otf2_region(const struct refrain_trace *trace,
                                                 const struct refrain_region_info *region) {
    return region && region->index < trace->n_regions ? region->index : (OTF2_RegionRef)trace->n_regions;
}

/* Writes all definitions. `waiting`: events have their waits. */
OTF2_ErrorCode refrain_otf2_define(OTF2_GlobalDefWriter *writer, const struct refrain_trace *trace,
                                   const struct refrain_otf2_location *locations, size_t n_locations,
                                   const struct refrain_otf2_comm *comms, const struct refrain_otf2_objects *objects,
                                   const struct refrain_otf2_groups *groups, const struct refrain_call_tree *calls,
                                   const struct refrain_construct_regions *constructs, uint64_t end_ns, bool waiting);

/* The first reference after those of the groups of communicators. */
OTF2_GroupRef refrain_otf2_next_group(const struct refrain_trace *trace, const struct refrain_otf2_comm *comms);

#endif
