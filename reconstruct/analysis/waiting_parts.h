/* waiting_parts.h: who waited for whom, while that is found out (private to waiting*.c).
 *
 *     waiting.c             calls, messages -> waits; collectives by
 *     waiting_collective.c  collectives -> waits; both by
 *     waiting_parts.c       what is kept of calls, messages and requests
 *
 * waiting_settled.c gives a call's end only when it is known what the call waited; waiting_writer.c is the writer that
 * gives events with what was waited in them to another one. */
#ifndef REFRAIN_WAITING_PARTS_H
#define REFRAIN_WAITING_PARTS_H

#include "analysis/open_regions.h"
#include "analysis/waiting.h"
#include "common/table.h"
#include "match/collective_rule.h"

/* An MPI call. */
struct refrain_waiting_call {
    struct refrain_waiting_call *outer; /* the call it was made in (callbacks), or the next free one */
    unsigned references;
    int32_t rank;
    uint32_t thread;
    const struct refrain_region_info *region;
    int64_t enter_ns, leave_ns;                /* leave: INT64_MAX while it is open */
    int64_t waited_until_ns;                   /* what lies before is in waits already */
    struct refrain_waiting_collective *inside; /* a blocking collective, until it is left */
    bool is_root;
    void *mark;
    /* Of a waiting that settles calls (waiting_settled.h): */
    struct refrain_waiting_message *unsettled; /* sent or completed by the call, and not received when that was */
    struct refrain_wait as_sender;             /* what it waited for receivers, as one; ns 0: nothing so far */
    bool given;                                /* its end was given before all was settled */
};

/* Sends of a message that have not been received, sends that have not been completed. */
struct refrain_waiting_message {
    uint64_t match;
    struct refrain_waiting_message *next;           /* of the free ones */
    struct refrain_waiting_message *next_unsettled; /* of its call */
    unsigned references;
    bool approximate, nonblocking;
    bool gone; /* received or cancelled */
    int64_t sent_ns;
    struct refrain_waiting_call *send;
    struct refrain_waiting_call *completion; /* the call that completed it, when that is no longer ahead */
    int64_t completed_ns;
    /* Received before it was completed: by whom, and when that was posted. */
    bool received;
    int64_t posted_ns;
    int32_t receiver; /* rank it was sent to */
    const struct refrain_region_info *receive;
};

struct refrain_waiting_request {
    uint64_t of, number;                           /* key of the table */
    struct refrain_waiting_message *message;       /* of a send, else null */
    struct refrain_waiting_collective *collective; /* of a collective, else null */
    bool is_root;
    int64_t posted_ns; /* of a receive */
    const struct refrain_region_info *posted_in;
    struct refrain_waiting_location *location;       /* of a receive: where it was posted, ... */
    struct refrain_waiting_request *earlier, *later; /* ... and those under way there, by when they were posted */
};

/* The last one to enter, of all, of the root, of the others. */
struct refrain_waiting_arrival {
    int64_t ns; /* INT64_MIN: nobody yet */
    int32_t rank;
    const struct refrain_region_info *region;
};

struct refrain_waiting_collective {
    uint64_t match;
    struct refrain_waiting_kind *kind;
    struct refrain_waiting_collective *before, *behind; /* of its kind, by match */
    enum refrain_collective_rule rule;
    int32_t size, entered, left;
    bool approximate;
    bool incomplete; /* who has not entered never will: that was in a pause */
    struct refrain_waiting_arrival last, root, last_other;
};

/* The collectives under way that are of one kind and on one communicator. */
struct refrain_waiting_kind {
    struct refrain_waiting_collective *first, *last;
};

struct refrain_waiting_location {
    struct refrain_waiting_call *call;        /* the innermost that is open */
    struct refrain_waiting_request *receives; /* under way, the one posted last */
};

struct refrain_waiting {
    const struct refrain_trace *trace;
    struct refrain_location_index index;
    struct refrain_waiting_location *locations; /* index.n */
    size_t n_ranks;
    bool *has_trace;                  /* by rank */
    signed char *whole;               /* by index of the communicator: all members have a trace; -1 not yet looked at */
    struct refrain_table messages;    /* by match, until they are received or cancelled */
    struct refrain_table requests;    /* by location and number */
    struct refrain_table collectives; /* by match */
    struct refrain_table kinds;       /* by match without the ordinal */
    struct refrain_waiting_call *free_calls;
    struct refrain_waiting_message *free_messages;
    bool no_memory;
    struct refrain_wait wait, peer_wait; /* of the current event */
    bool settles;                        /* keeps what settled calls take */
    struct refrain_waiting_call *left;   /* ... and the call that the current event leaves, which the reader releases */
    uint64_t n_unseen;                   /* waits that were found out when the end of their call had been given */
};

/* The call waited until `until_ns` for `cause_rank`. False when it did not, or when that counts already. */
bool refrain_waiting_set(struct refrain_wait *wait, struct refrain_waiting_call *call, enum refrain_wait_kind kind,
                         int64_t until_ns, int32_t cause_rank, const struct refrain_region_info *cause,
                         bool approximate);

/* The request that the event takes, new, and the one that it names; null without memory, and where there is none. */
struct refrain_waiting_request *refrain_waiting_request(struct refrain_waiting *waiting,
                                                        const struct refrain_event *event);
struct refrain_waiting_request *refrain_waiting_find_request(struct refrain_waiting *waiting,
                                                             const struct refrain_event *event);
void refrain_waiting_drop_request(struct refrain_waiting *waiting, struct refrain_waiting_request *request);

/* What the call sent need not be known of it any more. */
void refrain_waiting_drop_unsettled(struct refrain_waiting *waiting, struct refrain_waiting_call *call);

/* One that refers to it does so no longer. */
void refrain_waiting_release_call(struct refrain_waiting *waiting, struct refrain_waiting_call *call);
void refrain_waiting_release_message(struct refrain_waiting *waiting, struct refrain_waiting_message *message);

/* Is there a trace of the rank? */
bool refrain_waiting_is_traced(const struct refrain_waiting *waiting, int32_t rank);

#endif
