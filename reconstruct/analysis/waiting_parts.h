/* waiting_parts.h: the state while waits are found (private to waiting*.c).
 *
 *     waiting.c             calls, messages -> waits; uses both files below
 *     waiting_collective.c  collectives -> waits; uses waiting_parts.c
 *     waiting_parts.c       stores calls, messages and requests
 *
 * waiting_settled.c delays the end of a call until its waits are known. waiting_writer.c passes events with their
 * waits to another writer. */
#ifndef REFRAIN_WAITING_PARTS_H
#define REFRAIN_WAITING_PARTS_H

#include "analysis/open_regions.h"
#include "analysis/waiting.h"
#include "common/table.h"
#include "match/collective_rule.h"

/* An MPI call. */
struct refrain_waiting_call {
    struct refrain_waiting_call *outer; /* the call that it was made in (callbacks), or the next free one */
    unsigned references;
    int32_t rank;
    uint32_t thread;
    const struct refrain_region_info *region;
    int64_t enter_ns, leave_ns;                /* leave: INT64_MAX while it is open */
    int64_t waited_until_ns;                   /* time before this is in waits already */
    struct refrain_waiting_collective *inside; /* its blocking collective, until it ends */
    bool is_root;
    void *mark;
    /* Used only by waiting_settled.h: */
    struct refrain_waiting_message *unsettled; /* messages sent or completed by the call and not received by then */
    struct refrain_wait as_sender;             /* its waits for receivers as one wait; ns 0: none so far */
    bool given;                                /* its end was returned before all waits were known */
};

/* A message that was sent and not received, or sent and not completed. */
struct refrain_waiting_message {
    uint64_t match;
    struct refrain_waiting_message *next;           /* of the list of free ones */
    struct refrain_waiting_message *next_unsettled; /* of its call */
    unsigned references;
    bool approximate, nonblocking;
    bool gone; /* received or cancelled */
    int64_t sent_ns;
    struct refrain_waiting_call *send;
    struct refrain_waiting_call *completion; /* the call that completed it, if that has happened */
    int64_t completed_ns;
    /* If it was received before it was completed: by whom, and when the receive was posted. */
    bool received;
    int64_t posted_ns;
    int32_t receiver; /* destination rank */
    const struct refrain_region_info *receive;
};

struct refrain_waiting_request {
    uint64_t of, number;                           /* key of the table */
    struct refrain_waiting_message *message;       /* of a send, else null */
    struct refrain_waiting_collective *collective; /* of a collective, else null */
    bool is_root;
    int64_t posted_ns; /* of a receive */
    const struct refrain_region_info *posted_in;
    struct refrain_waiting_location *location;       /* of a receive: where it was posted */
    struct refrain_waiting_request *earlier, *later; /* pending receives there, in the order of posting */
};

/* The last one to enter: of all, of the root, of the others. */
struct refrain_waiting_arrival {
    int64_t ns; /* INT64_MIN: none yet */
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
    bool incomplete; /* members that have not entered never will: they did so during a pause */
    struct refrain_waiting_arrival last, root, last_other;
};

/* The pending collectives of one kind on one communicator. */
struct refrain_waiting_kind {
    struct refrain_waiting_collective *first, *last;
};

struct refrain_waiting_location {
    struct refrain_waiting_call *call;        /* the innermost open one */
    struct refrain_waiting_request *receives; /* pending ones, the one posted last */
};

struct refrain_waiting {
    const struct refrain_trace *trace;
    struct refrain_location_index index;
    struct refrain_waiting_location *locations; /* index.n */
    size_t n_ranks;
    bool *has_trace;                  /* by rank */
    signed char *whole;               /* by index of the communicator: all members have a trace; -1 not checked yet */
    struct refrain_table messages;    /* by match, until they are received or cancelled */
    struct refrain_table requests;    /* by location and number */
    struct refrain_table collectives; /* by match */
    struct refrain_table kinds;       /* by match without the ordinal */
    struct refrain_waiting_call *free_calls;
    struct refrain_waiting_message *free_messages;
    bool no_memory;
    struct refrain_wait wait, peer_wait; /* of the current event */
    bool settles;                        /* keeps data for waiting_settled.h */
    struct refrain_waiting_call *left;   /* the call that the current event leaves; the reader releases it */
    uint64_t n_unseen;                   /* waits that became known after the end of their call was returned */
};

/* Sets the wait: the call waited until `until_ns` for `cause_rank`. False if it did not, or if that time counts
 * already. */
bool refrain_waiting_set(struct refrain_wait *wait, struct refrain_waiting_call *call, enum refrain_wait_kind kind,
                         int64_t until_ns, int32_t cause_rank, const struct refrain_region_info *cause,
                         bool approximate);

/* A new request for the event; the request that the event names. Null without memory, and if there is none. */
struct refrain_waiting_request *refrain_waiting_request(struct refrain_waiting *waiting,
                                                        const struct refrain_event *event);
struct refrain_waiting_request *refrain_waiting_find_request(struct refrain_waiting *waiting,
                                                             const struct refrain_event *event);
void refrain_waiting_drop_request(struct refrain_waiting *waiting, struct refrain_waiting_request *request);

/* Forgets the unsettled messages of the call. */
void refrain_waiting_drop_unsettled(struct refrain_waiting *waiting, struct refrain_waiting_call *call);

/* Releases a reference to the call; to the message. */
void refrain_waiting_release_call(struct refrain_waiting *waiting, struct refrain_waiting_call *call);
void refrain_waiting_release_message(struct refrain_waiting *waiting, struct refrain_waiting_message *message);

/* True if the rank has a trace. */
bool refrain_waiting_is_traced(const struct refrain_waiting *waiting, int32_t rank);

#endif
