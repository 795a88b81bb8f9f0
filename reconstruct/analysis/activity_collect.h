/* activity_collect.h: the state while sums are collected, private to analysis/ (activity.c <-> activity_collect.c).
 *
 *     refrain_activity_open()  ranks and regions of the trace --> events, one by one --> open regions end, lists */
#ifndef REFRAIN_ACTIVITY_COLLECT_H
#define REFRAIN_ACTIVITY_COLLECT_H

#include "analysis/activity.h"
#include "analysis/followed.h"
#include "analysis/open_regions.h"
#include "match/replay.h"

/* An open region. */
struct refrain_activity_frame {
    struct refrain_region_frame head;
    struct refrain_activity_path *path;
    int64_t waited_ns;
    bool outermost; /* it is the outermost activation of its region in this stack; inner ones of a recursion use its
                       path */
    size_t first_message; /* MPI: index in location->messages */
};

/* State of a region in one location. */
struct refrain_activity_open {
    struct refrain_activity_path *path;
    uint32_t levels;
};

struct refrain_activity_location {
    struct refrain_activity_open *open;         /* by region index + 1; [0] is for regions without an index */
    size_t capacity_open;                       /* 0: the location had no event yet */
    struct refrain_region_stack stack;          /* of struct refrain_activity_frame */
    struct refrain_activity_partner **messages; /* messages of the open calls */
    size_t n_messages, capacity_messages;
    bool begun; /* it had an event */
    int64_t first_ns, last_ns;
};

struct refrain_activity_pair {
    struct refrain_table table;
};

struct refrain_activity_collector {
    struct refrain_writer writer;
    struct refrain_activity *activity;
    const struct refrain_activity_request *request;
    struct refrain_replay replay; /* followed by refrain_waiting_follower */
    struct refrain_location_index index;
    struct refrain_activity_location *locations; /* index.n */
    struct refrain_activity_rank **by_rank;
    size_t n_ranks;
    size_t capacity_regions; /* of activity->regions */
    struct refrain_table parts, partners, waits;
    int64_t last_ns; /* of the latest event */
    size_t n_calls;  /* open MPI calls that began before the end of the window */
    bool is_over;    /* later events cannot count */
    bool no_memory;
};

/* A time, cut to the window. */
static inline int64_t refrain_activity_cut(const struct refrain_activity_collector *collector, int64_t ns) {
    if (ns < collector->request->from_ns)
        return collector->request->from_ns;
    return ns > collector->request->to_ns ? collector->request->to_ns : ns;
}

/* The part of a time span that is inside the window. */
static inline int64_t refrain_activity_span(const struct refrain_activity_collector *collector, int64_t begin_ns,
                                            int64_t end_ns) {
    return refrain_activity_cut(collector, end_ns) - refrain_activity_cut(collector, begin_ns);
}

static inline bool refrain_activity_counts(const struct refrain_activity_collector *collector, int32_t rank) {
    return collector->request->rank < 0 || collector->request->rank == rank;
}

/* Null if the trace does not list the region. */
static inline struct refrain_activity_region *refrain_activity_region_of(struct refrain_activity_collector *collector,
                                                                         const struct refrain_region_info *region) {
    return region->index < collector->activity->n_regions ? &collector->activity->regions[region->index] : NULL;
}

/* Processes an event: the function of the struct refrain_writer. */
int refrain_activity_take(struct refrain_writer *writer, const struct refrain_event *given);

/* The innermost open region of a location ends. */
void refrain_activity_pop(struct refrain_activity_collector *collector, struct refrain_activity_location *location,
                          int32_t rank, int64_t now_ns);

#endif
