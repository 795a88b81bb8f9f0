/* picture.h: what is drawn of a window of time (events of all locations -> spans, messages, shares of time -> page,
 * SVG).
 *
 *     events in time order --> open regions of each location
 *                                |--> spans: what was entered and left, how deep, how long it waited
 *                                '--> shares of each interval of the window: which region had how much
 *                          --> picture_match.h --> messages, collectives
 *
 * All but the lists of records is in the arena in use (common/arena.h), so that a picture can go back to a checkpoint.
 * A picture takes all events from the start of the run, or from a checkpoint, so that it knows which regions
 * are open when the window begins. It keeps what lies in the window at least in part. The page runs it as WebAssembly
 * and reads the records below from memory, byte by byte as they are declared: they hold no pointers and no padding.
 *
 * A region's own time is the time in which nothing it called is open. Waiting is what the
 * events say of it: they are those of waiting_settled.h, so that a call that is left has all that it waited.
 *
 * Threads: a picture belongs to one thread. */
#ifndef REFRAIN_PICTURE_H
#define REFRAIN_PICTURE_H

#include "match/event.h"

enum refrain_picture_flags {
    REFRAIN_PICTURE_APPROXIMATE = 1, /* not known to be exact */
    REFRAIN_PICTURE_OPEN = 2,        /* its end is not known: it lies beyond the window, or never came */
    REFRAIN_PICTURE_WAITING = 4,     /* of a share: the region waited */
    REFRAIN_PICTURE_NONBLOCKING = 8
};

/* A location is a thread of a rank; they are numbered by rank, then thread. */
struct refrain_picture_location {
    int32_t rank;
    uint32_t thread;
    double begin_ns, end_ns; /* its first and last clock read */
};

/* What was entered and left. */
struct refrain_picture_span {
    double from_ns, to_ns; /* to_ns: infinity when it is OPEN */
    double waits_until_ns; /* it waited from its beginning until then; 0: it did not */
    uint32_t region;       /* index; n_regions: unknown */
    uint32_t location, depth, flags;
    uint32_t first_operation; /* its operations are so many in a row, counted from the window's first one */
    uint32_t n_operations;
    uint32_t wait_kind; /* enum refrain_wait_kind, where it waited ... */
    int32_t cause_rank; /* ... and for whom */
};

/* Own time in one piece: nothing that the region called is open, and it waits or does not. A location's do not overlap.
 */
struct refrain_picture_segment {
    double from_ns, to_ns;
    uint32_t region, location, flags, depth;
};

/* What happened inside an MPI call: the fields of the event. */
struct refrain_picture_operation {
    double time_ns, bytes, received, tag, request;
    double other_ns;    /* RECV: when the message was sent; -1 unknown */
    int32_t peer, comm; /* comm: index, -1 unknown */
    uint32_t kind;      /* enum refrain_event_kind */
    uint32_t flags;
};

struct refrain_picture_message {
    double sent_ns, received_ns; /* received_ns: infinity when it is OPEN */
    double bytes, tag;
    uint32_t from, to; /* locations; of an OPEN one, `to` is the first of its rank */
    int32_t comm;
    uint32_t flags;
    uint32_t sent_in, received_in; /* regions: the calls at both ends; n_regions: unknown, as of an OPEN one */
};

/* One collective call of all members of a communicator. */
struct refrain_picture_collective {
    double first_ns, last_ns; /* when the first and the last one entered */
    double left_ns;           /* when the last one left; infinity when it is OPEN */
    double bytes;             /* sent, by all together */
    uint32_t region, last;    /* of the last one to enter, and its location */
    uint32_t lowest, highest; /* locations */
    uint32_t entered, size;
    int32_t comm, root;
};

/* In interval `bin` of the window (bin 0 begins where it begins), a region had a share of a location's time. `what` is
 * region << 17 | it waited << 16 | share, of 65535; it is so in the page, too (page/shares.ts). */
struct refrain_picture_share {
    uint32_t location, bin, what;
};
#define REFRAIN_PICTURE_WHOLE 65535u
#define REFRAIN_PICTURE_MOST_REGION ((1u << 15) - 1) /* all from there on count as this one */

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

/* Over all locations, in the window. */
struct refrain_picture_total {
    double count; /* times it was left */
    double own_ns, waiting_ns;
    double inclusive_ns; /* from entering to leaving, where either lies in the window: the part in it */
};

/* What went from one rank to another, and how long either waited for it. */
struct refrain_picture_pair {
    int32_t from, to; /* ranks */
    double count, bytes, waiting_ns;
};

/* One of the longest times that a location waited in one call. */
struct refrain_picture_wait {
    double from_ns, to_ns;
    uint32_t location, region, depth;
    int32_t cause_rank; /* for whom; -1: not known */
};
#define REFRAIN_PICTURE_WAITS 64u

/* When a marked span was left (refrain_picture_mark); what is never left ends with its location's last clock read. */
struct refrain_picture_end {
    double from_ns, to_ns;
    uint32_t location, depth;
    uint32_t region, flags; /* OPEN: never left */
};

/* Records of one kind; the picture grows it, who reads it may set n to 0 at any time. */
struct refrain_picture_list {
    void *items;
    size_t n, capacity;
};

struct refrain_picture {
    const struct refrain_trace *trace;
    struct refrain_picture_location *locations;
    uint32_t n_locations, n_regions;
    double end_ns;  /* of the run, as the last clock read says */
    double last_ns; /* of the last event so far, which may have been moved behind that */
    /* the window */
    double from_ns, to_ns;
    uint32_t n_bins;
    bool keeps_spans; /* spans, segments, operations, messages, collectives; shares and totals are always kept */
    struct refrain_picture_list spans, segments, operations, messages, collectives, shares;
    uint64_t n_operations_given;                              /* operations that the reader has taken already */
    struct refrain_picture_total *totals;                     /* by region; [n_regions]: unknown */
    struct refrain_picture_wait waits[REFRAIN_PICTURE_WAITS]; /* longest first */
    uint32_t n_waits;
    struct refrain_picture_list pairs; /* filled by refrain_picture_list_pairs */
    struct refrain_picture_list ends;
    uint64_t events;
    uint32_t n_unfinished;  /* behind the window: locations whose MPI call of its end has not been left ... */
    uint32_t events_behind; /* ... and events since then; 0: not yet behind */
    bool done, no_memory;
    struct refrain_picture *next; /* of the same events (followed.h) */
    struct refrain_picture_state *state;
};

/* A picture of the trace whose window lies behind the run; null without memory. The caller closes it, before the
 * trace. */
struct refrain_picture *refrain_picture_open(const struct refrain_trace *trace);
void refrain_picture_close(struct refrain_picture *picture);

/* Frees the lists of records, as who frees the arena of a picture must. */
void refrain_picture_free_records(struct refrain_picture *picture);

/* A region by its index in records; n_regions and more: the one of all that the trace does not name. */
const struct refrain_region_info *refrain_picture_region(const struct refrain_picture *picture, uint32_t index);

/* The window from now on: what was kept of the one before is dropped. Events fed so far lie before `from_ns`, or at it.
 * False without memory. */
bool refrain_picture_window(struct refrain_picture *picture, double from_ns, double to_ns, uint32_t n_bins,
                            bool keeps_spans);

/* Takes an event of waiting_settled.h, in time order. Behind the window, where that does not reach the end of the run,
 * the picture is done once the MPI calls that are open at its end have been left, as only then it is known whether they
 * waited, or after so many events. It takes no events then, and no other window. */
#define REFRAIN_PICTURE_BEHIND 50000u
void refrain_picture_event(struct refrain_picture *picture, const struct refrain_event *event);

/* From now on the end of each span that is open now is given in `ends`, wherever the window lies; with `later`, of
 * those that begin later, too. (A window shows of what is open at its end only that it goes on.) */
void refrain_picture_mark(struct refrain_picture *picture, bool later);

/* Gives what is still open at the window's end. `ended`: there are no further events. */
void refrain_picture_finish(struct refrain_picture *picture, bool ended);

/* Fills picture->pairs with what was received in the window. */
bool refrain_picture_list_pairs(struct refrain_picture *picture);

/* ---- for picture_match.c and picture_shares.c ---- */

/* The number that records have of a region. */
static inline uint32_t refrain_picture_number(const struct refrain_picture *picture,
                                              const struct refrain_region_info *region) {
    return region->index < picture->n_regions ? region->index : picture->n_regions;
}

/* Room for one more record of `bytes` bytes; null without memory. */
void *refrain_picture_append(struct refrain_picture *picture, struct refrain_picture_list *list, size_t bytes);

#endif
