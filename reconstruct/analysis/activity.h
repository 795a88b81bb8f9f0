/* activity.h: sums of times, calls, messages and waits over a replay or a window of it (events -> stats, diff).
 *
 *     events in time order --> waiting.h --> call paths     main > solve > MPI_Recv line 12: calls, time, waiting
 *                                        '-> regions        per function and call site, over all paths; how times vary
 *                                        '-> by rank        of each region: how even it is
 *                                        '-> partners       per call site, rank and partner: messages, bytes, time
 *                                        '-> waits          who waited where for whom, who came with which call
 *
 * The time of an MPI call besides waiting is transmission (Li and Zhang, "Supporting scalable performance monitoring
 * and analysis of parallel programs", section 6: copying, the network, the library itself) or management, depending
 * on its function (mpi_calls.def). A call that moves several messages is divided among them evenly. Memory does not
 * depend on the number of events. */
#ifndef REFRAIN_ACTIVITY_H
#define REFRAIN_ACTIVITY_H

#include "analysis/layers.h"
#include "analysis/waiting.h"
#include "common/table.h"

/* The kinds of time, which add up to the whole. */
struct refrain_activity_times {
    int64_t own_ns[REFRAIN_OWN_TIMES]; /* time besides waiting, by kind */
    int64_t waiting_ns;                /* in MPI calls */
};

static inline int64_t refrain_activity_mpi_ns(const struct refrain_activity_times *times) {
    return times->own_ns[REFRAIN_OWN_TIME_TRANSMISSION] + times->own_ns[REFRAIN_OWN_TIME_MANAGEMENT] +
           times->waiting_ns;
}

/* A node in the tree of calls: a region below the regions that it was entered from. */
struct refrain_activity_path {
    const struct refrain_region_info *region; /* null: the root, outside of all regions */
    struct refrain_activity_path *parent, *first, *next;
    uint64_t count;
    int64_t total_ns, own_ns;            /* own: without the regions inside */
    int64_t waiting_ns;                  /* of own_ns, if this path is an MPI call */
    struct refrain_activity_times below; /* including all paths below; set at the end */
};

/* The next path in pre-order (before those below it); null after the last one. Paths may be nested as deeply as a
 * trace has regions, so do not use recursion. */
static inline struct refrain_activity_path *refrain_activity_next_path(const struct refrain_activity_path *path) {
    if (path->first)
        return path->first;
    while (path && !path->next)
        path = path->parent;
    return path ? path->next : NULL;
}

/* The part of a region that a rank has. */
struct refrain_activity_part {
    const struct refrain_region_info *region;
    int32_t rank;
    uint64_t count;
    int64_t own_ns, waiting_ns;
};

#define REFRAIN_STRETCHES 32u /* of the visits of a region */

/* A function, call site or user region over all call paths and ranks. */
struct refrain_activity_region {
    const struct refrain_region_info *region;
    uint64_t count, messages, bytes;
    uint64_t collective_bytes; /* bytes sent and received in collectives, as their calls say */
    int64_t total_ns;          /* in a recursion, the outermost level counts */
    bool recursive;            /* it was entered while it was open */
    int64_t own_ns, waiting_ns;
    struct refrain_activity_times below; /* including callees; set at the end */
    /* Its own time by stretches of its visits: visit v is counted in stretch_ns[v >> shift]. */
    double stretch_ns[REFRAIN_STRETCHES];
    unsigned shift;
    struct refrain_activity_part **parts; /* by rank, only ranks that have the region; set at the end */
    size_t n_parts;
};

struct refrain_activity_partner {
    const struct refrain_region_info *region; /* call site */
    int32_t rank, peer;
    bool receives;
    uint64_t messages, bytes;
    int64_t transmission_ns, waiting_ns;
};

/* Waits of one kind in one region, caused by one region. */
struct refrain_activity_wait {
    enum refrain_wait_kind kind;
    const struct refrain_region_info *region, *cause;
    uint64_t count;
    int64_t ns;
    int32_t worst_rank, worst_cause; /* the pair of ranks with the longest time */
    int64_t worst_ns;
    struct refrain_activity_pair *pairs; /* private: ns by pair of ranks */
};

struct refrain_activity_rank {
    int32_t rank;
    bool counts;                         /* included in the request; else only caused_ns is known */
    int64_t run_ns;                      /* all of its threads together, within the window */
    struct refrain_activity_times times; /* run_ns divided by kind */
    int64_t caused_ns;                   /* time that others waited for it */
    uint64_t sent, received, sent_bytes, received_bytes, calls;
};

struct refrain_activity {
    int64_t from_ns, to_ns; /* the requested window, cut to the run */
    struct refrain_activity_path *root;
    struct refrain_activity_region *regions; /* by index: those of the trace, then those of layers */
    size_t n_regions;
    struct refrain_activity_rank *ranks;        /* those with a trace, by rank */
    size_t n_ranks, n_counted;                  /* n_counted: ranks included in the request */
    struct refrain_activity_partner **partners; /* in no particular order */
    size_t n_partners;
    struct refrain_activity_wait **waits;
    size_t n_waits;
    int64_t run_ns;                      /* over all included ranks */
    struct refrain_activity_times times; /* run_ns divided by kind */
    uint64_t events, approximate;        /* replayed from the start of the window on */
    struct refrain_cursor_report report; /* of this replay: messages with one end only, whose waiting is unknown */
};

struct refrain_activity_request {
    int32_t rank;           /* -1: all. Other ranks are replayed, too, since the rank may have waited for them */
    int64_t from_ns, to_ns; /* events outside do not count; INT64_MIN, INT64_MAX: the whole run */
    bool recorded;          /* use recorded events instead of learned ones */
    bool compensate;        /* subtract the cost of probes from times */
    struct refrain_layers
        *layers; /* calls in these layers count for their callers; must outlive the activity. Null: none */
    /* Wraps the collecting writer in one that reports progress (progress.h); null: none. */
    struct refrain_writer *(*around)(void *data, struct refrain_writer *inner);
    void *around_data;
    /* Also gets each event, with its waits. Returns false without memory. May be null. */
    bool (*watch)(void *data, const struct refrain_event *event);
    void *watch_data;
};

/* Replays the trace. The caller closes *activity; the trace must stay open as long. If a rank is damaged, it ends
 * early, and there is both an activity and an error. */
enum refrain_status refrain_activity_open(struct refrain_trace *trace, const struct refrain_activity_request *request,
                                          struct refrain_activity **activity, struct refrain_error *error);
void refrain_activity_close(struct refrain_activity *activity);

#endif
