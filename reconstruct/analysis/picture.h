/* picture.h: collects what a picture of a window of the run shows (events of all locations -> spans, messages, shares
 * of time -> page, SVG).
 *
 *     events in time order --> open regions of each location
 *                                |--> spans: a region from its ENTER to its LEAVE, its depth, its waiting
 *                                '--> shares: how the regions divide the time of each interval of the window
 *                          --> picture_match.h --> messages, collectives
 *
 * A picture gets all events from the start of the run, or from a checkpoint, so that it knows which regions are open
 * when the window begins. It keeps the records that lie in the window at least in part. The events come from
 * waiting_settled.h, so a LEAVE has the whole waiting of its call. The own time of a region is the time in which no
 * region that it called is open.
 *
 * All memory of a picture, except for the lists of records, is in the arena in use (common/arena.h). So a checkpoint
 * has the picture, too. The page runs this code as WebAssembly, and reads the records below from its memory, byte by
 * byte as they are declared. They hold no pointers and no padding.
 *
 * Threads: a picture belongs to one thread. */
#ifndef REFRAIN_PICTURE_H
#define REFRAIN_PICTURE_H

#include "match/event.h"

enum refrain_picture_flags {
    REFRAIN_PICTURE_APPROXIMATE = 1, /* its order or time is not exact */
    REFRAIN_PICTURE_OPEN = 2,        /* its end is unknown: it lies behind the window, or never came */
    REFRAIN_PICTURE_WAITING = 4,     /* of a share or segment: time in which the region waited */
    REFRAIN_PICTURE_NONBLOCKING = 8
};

/* A location is a thread of a rank. Locations are numbered by rank, then by thread. */
struct refrain_picture_location {
    int32_t rank;
    uint32_t thread;
    double begin_ns, end_ns; /* first and last clock read */
};

/* A region from its ENTER to its LEAVE. */
struct refrain_picture_span {
    double from_ns, to_ns; /* to_ns: infinity if OPEN */
    double waits_until_ns; /* it waited from its beginning until then; 0: it did not wait */
    uint32_t region;       /* index; n_regions: unknown */
    uint32_t location, depth, flags;
    uint32_t first_operation; /* its operations are n_operations consecutive ones from this one on, counted from the
                                 first of the window */
    uint32_t n_operations;
    uint32_t wait_kind; /* if it waited: enum refrain_wait_kind ... */
    int32_t cause_rank; /* ... and the rank for which it waited */
};

/* A piece of own time of a region, in which the region either waits or does not wait. The segments of a location do not
 * overlap. */
struct refrain_picture_segment {
    double from_ns, to_ns;
    uint32_t region, location, flags, depth;
};

/* An event inside an MPI call, with the fields of the event. */
struct refrain_picture_operation {
    double time_ns, bytes, received, tag, request;
    double other_ns;    /* RECV: when the message was sent; -1: unknown */
    int32_t peer, comm; /* comm: index; -1: unknown */
    uint32_t kind;      /* enum refrain_event_kind */
    uint32_t flags;
};

struct refrain_picture_message {
    double sent_ns, received_ns; /* received_ns: infinity if OPEN */
    double bytes, tag;
    uint32_t from, to; /* locations; if OPEN, `to` is the first location of its rank */
    int32_t comm;
    uint32_t flags;
    uint32_t sent_in, received_in; /* regions of the calls at both ends; n_regions: unknown, or OPEN */
};

/* A collective, in which all members of a communicator take part. */
struct refrain_picture_collective {
    double first_ns, last_ns; /* when the first and the last location entered */
    double left_ns;           /* when the last location left; infinity if OPEN */
    double bytes;             /* sent by all together */
    uint32_t region, last;    /* region of the call that entered last, and its location */
    uint32_t lowest, highest; /* lowest and highest location in it */
    uint32_t entered, size;
    int32_t comm, root;
};

/* The share that a region has of a location's time in interval `bin` of the window. `what` has three parts: region <<
 * 17 | waiting << 16 | share, where 65535 is the whole interval. The page reads the same form (page/shares.ts). */
struct refrain_picture_share {
    uint32_t location, bin, what;
};
#define REFRAIN_PICTURE_WHOLE 65535u
#define REFRAIN_PICTURE_MOST_REGION ((1u << 15) - 1) /* all regions from this index on share it */

static inline uint32_t refrain_picture_share_of(uint32_t region, bool waits, uint32_t share) {
    return (region < REFRAIN_PICTURE_MOST_REGION ? region : REFRAIN_PICTURE_MOST_REGION) << 17 | (uint32_t)waits << 16 |
           share;
}
static inline uint32_t refrain_picture_share_region(uint32_t what) {
    return what >> 17;
}
static inline bool refrain_picture_share_waits(uint32_t what) {
    return what >> 16 & 1;
}
static inline uint32_t refrain_picture_share_part(uint32_t what) {
    return what & REFRAIN_PICTURE_WHOLE;
}

/* Sums of a region over all locations, in the window. */
struct refrain_picture_total {
    double count; /* number of times it was left */
    double own_ns, waiting_ns;
    double inclusive_ns; /* time between its ENTER and its LEAVE, as far as it lies in the window */
};

/* Sums of the messages from one rank to another, and the waiting at both ends. */
struct refrain_picture_pair {
    int32_t from, to; /* ranks */
    double count, bytes, waiting_ns;
};

/* One of the longest waits. */
struct refrain_picture_wait {
    double from_ns, to_ns;
    uint32_t location, region, depth;
    int32_t cause_rank; /* the rank for which it waited; -1: unknown */
};
#define REFRAIN_PICTURE_WAITS 64u

/* The end of a marked span (refrain_picture_mark). A span that is never left ends with the last clock read of its
 * location. */
struct refrain_picture_end {
    double from_ns, to_ns;
    uint32_t location, depth;
    uint32_t region, flags; /* flags: OPEN if it was never left */
};

/* A list of records. The picture appends to it. Its reader may set n to 0 at any time. */
struct refrain_picture_list {
    void *items;
    size_t n, capacity;
};

struct refrain_picture {
    const struct refrain_trace *trace;
    struct refrain_picture_location *locations;
    uint32_t n_locations, n_regions;
    double end_ns;  /* the last clock read of the run */
    double last_ns; /* time of the last event so far; it may be later than end_ns, since events are moved */
    /* the window */
    double from_ns, to_ns;
    uint32_t n_bins;
    bool keeps_spans; /* spans, segments, operations, messages, collectives; shares and totals are always kept */
    struct refrain_picture_list spans, segments, operations, messages, collectives, shares;
    uint64_t n_operations_copied;         /* number of operations that the reader has removed from the list */
    struct refrain_picture_total *totals; /* by region; [n_regions]: unknown */
    struct refrain_picture_wait waits[REFRAIN_PICTURE_WAITS]; /* longest first */
    uint32_t n_waits;
    struct refrain_picture_list pairs; /* filled by refrain_picture_list_pairs */
    struct refrain_picture_list ends;
    uint64_t events;
    uint32_t events_behind; /* number of events behind the window so far */
    uint32_t n_unfinished;  /* locations that are still in the MPI call in which they were at the end of the window */
    bool done, no_memory;
    struct refrain_picture *next; /* another picture of the same events (followed.h) */
    struct refrain_picture_state *state;
};

/* Makes a picture of the trace, with a window behind the run. Null without memory. The caller closes it, before the
 * trace. */
struct refrain_picture *refrain_picture_open(const struct refrain_trace *trace);
void refrain_picture_close(struct refrain_picture *picture);

/* Frees the lists of records. To be called before the arena of a picture is freed. */
void refrain_picture_free_records(struct refrain_picture *picture);

/* The region with an index in records. From n_regions on: the region that stands for all that are not in the trace. */
const struct refrain_region_info *refrain_picture_region(const struct refrain_picture *picture, uint32_t index);

/* Sets the window, and drops the records of the last one. All events so far must be at or before `from_ns`. False
 * without memory. */
bool refrain_picture_window(struct refrain_picture *picture, double from_ns, double to_ns, uint32_t n_bins,
                            bool keeps_spans);

/* Takes the next event of waiting_settled.h. If the window ends before the run, events behind it are still needed: only
 * when an MPI call is left, it is known whether it waited. The picture is `done` when all calls that were open at the
 * end of the window have been left, or after REFRAIN_PICTURE_BEHIND such events. Then it takes
 * no further events and no other window. */
#define REFRAIN_PICTURE_BEHIND 50000u
void refrain_picture_event(struct refrain_picture *picture, const struct refrain_event *event);

/* Requests the ends of all spans that are open now; with `later`, also of spans that begin later. They are appended to
 * `ends`, also if they lie behind the window. */
void refrain_picture_mark(struct refrain_picture *picture, bool later);

/* Ends the window: appends the spans that are still open. `ended`: there are no further events. */
void refrain_picture_finish(struct refrain_picture *picture, bool ended);

/* Fills picture->pairs from the messages that were received in the window. False without memory. */
bool refrain_picture_list_pairs(struct refrain_picture *picture);

/* ---- for picture_match.c and picture_shares.c ---- */

/* The index of a region in records. */
static inline uint32_t refrain_picture_number(const struct refrain_picture *picture,
                                              const struct refrain_region_info *region) {
    return region->index < picture->n_regions ? region->index : picture->n_regions;
}

/* Appends a record of `bytes` bytes. Null without memory. */
void *refrain_picture_append(struct refrain_picture *picture, struct refrain_picture_list *list, size_t bytes);

#endif
