/* activity.h: what was done where, and what was waited for, summed up over a replay or a window of it (events -> stats,
 * diff).
 *
 *     events in time order --> waiting.h --> call paths     main > solve > MPI_Recv line 12: calls, time, waiting
 *                                        '-> regions        per function and call site, over all paths; how times vary
 *                                        '-> by rank        of each region: how even it is
 *                                        '-> partners       per call site, rank and partner: messages, bytes, time
 *                                        '-> waits          who waited where for whom, who came with which call
 *
 * The time of an MPI call that is not waiting is transmission (Li and Zhang, "Supporting scalable performance
 * monitoring and analysis of parallel programs", section 6: copying, the network, the library itself) or management;
 * its function says which (mpi_calls.def). A call that moves several messages is divided among them evenly. Memory does
 * not depend on the number of events. */
#ifndef REFRAIN_ACTIVITY_H
#define REFRAIN_ACTIVITY_H

#include "analysis/layers.h"
#include "analysis/waiting.h"
#include "common/table.h"

/* Times that add up to a whole. */
struct refrain_activity_times {
    int64_t own_ns[REFRAIN_OWN_TIMES]; /* by what it counts as, without waiting */
    int64_t waiting_ns;                /* in MPI calls */
};

static inline int64_t refrain_activity_mpi_ns(const struct refrain_activity_times *times) {
    return times->own_ns[REFRAIN_OWN_TIME_TRANSMISSION] + times->own_ns[REFRAIN_OWN_TIME_MANAGEMENT] +
           times->waiting_ns;
}

/* A node in the tree of calls: a region, entered by way of the regions above it. */
struct refrain_activity_path {
    const struct refrain_region_info *region; /* null: the root, outside of all */
    struct refrain_activity_path *parent, *first, *next;
    uint64_t count;
    int64_t total_ns, own_ns;            /* own: less what it called */
    int64_t waiting_ns;                  /* of own_ns, where this path is an MPI call */
    struct refrain_activity_times below; /* with all below; filled at the end */
};

/* The path after this one, where each comes before those below it; null after the last one. Paths may lie in each other
 * as deep as a trace has regions: nobody goes through them by calling himself. */
static inline struct refrain_activity_path *refrain_activity_next_path(const struct refrain_activity_path *path) {
    if (path->first)
        return path->first;
    while (path && !path->next)
        path = path->parent;
    return path ? path->next : NULL;
}

/* How much of a region a rank has. */
struct refrain_activity_part {
    const struct refrain_region_info *region;
    int32_t rank;
    uint64_t count;
    int64_t own_ns, waiting_ns;
};

/* A function, call site or user region over all call paths and ranks. */
struct refrain_activity_region {
    const struct refrain_region_info *region;
    uint64_t count, messages, bytes;
    uint64_t collective_bytes; /* sent and received in collectives, by what their calls say */
    int64_t total_ns;          /* of recursion, the outermost level counts */
    bool recursive;            /* it was entered while it was open */
    int64_t own_ns, waiting_ns;
    struct refrain_activity_times below; /* with callees; filled at the end */
    /* Its own time by stretches of its visits, as in struct refrain_history: visit v counts in stretch[v >> shift]. */
    double stretch_ns[REFRAIN_HISTORY_STRETCHES];
    unsigned shift;
    struct refrain_activity_part **parts; /* by rank, those that there are; filled at the end */
    size_t n_parts;
};

struct refrain_activity_partner {
    const struct refrain_region_info *region; /* call site */
    int32_t rank, peer;
    bool receives;
    uint64_t messages, bytes;
    int64_t transmission_ns, waiting_ns;
};

/* A kind of waiting in one region, on account of one region. */
struct refrain_activity_wait {
    enum refrain_wait_kind kind;
    const struct refrain_region_info *region, *cause;
    uint64_t count;
    int64_t ns;
    int32_t worst_rank, worst_cause; /* the pair of ranks with most of it */
    int64_t worst_ns;
    struct refrain_activity_pair *pairs; /* private: ns by pair of ranks */
};

struct refrain_activity_rank {
    int32_t rank;
    bool counts;                         /* the request asked for it; else only caused_ns is known */
    int64_t run_ns;                      /* of its threads together, within the window */
    struct refrain_activity_times times; /* run_ns by kinds */
    int64_t caused_ns;                   /* what others waited for it */
    uint64_t sent, received, sent_bytes, received_bytes, calls;
};

struct refrain_activity {
    int64_t from_ns, to_ns; /* the window that was asked for, cut to the run */
    struct refrain_activity_path *root;
    struct refrain_activity_region *regions; /* by index: the trace's, and behind them those of layers */
    size_t n_regions;
    struct refrain_activity_rank *ranks;        /* those with a trace, by rank */
    size_t n_ranks, n_counted;                  /* counted: that the request asked for */
    struct refrain_activity_partner **partners; /* in no order */
    size_t n_partners;
    struct refrain_activity_wait **waits;
    size_t n_waits;
    int64_t run_ns;                      /* over all ranks that count */
    struct refrain_activity_times times; /* run_ns by kinds */
    uint64_t events, approximate;        /* that were replayed from the window's beginning on */
    struct refrain_cursor_report report; /* of that replay: ends without their other ends, whose waiting is not known */
};

struct refrain_activity_request {
    int32_t rank;                  /* -1: all. Others are replayed too, as it may have waited for them */
    int64_t from_ns, to_ns;        /* what lies outside does not count; INT64_MIN, INT64_MAX: the whole run */
    bool recorded;                 /* recorded events in place of what was learned */
    bool compensate;               /* times without what probes took */
    struct refrain_layers *layers; /* whose calls are their callers'; they outlive the activity. Null: none */
    /* Makes a writer around the one that collects, which says how far it is (progress.h); null: nothing is said. */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner);
    void *around_data;
    /* Also takes each event, with its waits; false: there is no memory for that. Null: nobody does. */
    bool (*watch)(void *data, const struct refrain_event *event);
    void *watch_data;
};

/* Replays the trace. The caller closes *activity; the trace has to stay open as long. A damaged rank ends early: then
 * there is an activity and an error. */
enum refrain_status refrain_activity_open(struct refrain_trace *trace, const struct refrain_activity_request *request,
                                          struct refrain_activity **activity, struct refrain_error *error);
void refrain_activity_close(struct refrain_activity *activity);

#endif
