/* waiting.h: finds how long each MPI call waited for another rank, for which rank and for which call (events in time
 * order -> the same events with their waits).
 *
 *     late sender    rank 0  |--- MPI_Recv ---------|        late receiver  |--- MPI_Ssend --------|
 *                            <-- waits -->                                  <-- waits -->
 *                    rank 1               |MPI_Send |                                    |MPI_Recv |
 *
 * The names are those of Scalasca's patterns. Times are the begins of MPI calls:
 *
 *     late sender      a receive began before the send of its message: until the send began
 *     late receiver    a send began before the receive of its message was posted, and was not over then, as for
 *                      synchronous and mostly for large sends: until the receive was posted
 *     barrier          until the last rank entered
 *     n-to-n           allreduce, alltoall, allgather, reduce_scatter ...: until the last rank entered
 *     late broadcast   bcast, scatter, on the others: until the root entered
 *     early reduce     reduce, gather, on the root: until the last of the others entered (it cannot leave before)
 *     completion       the same in a call that completes nonblocking operations (MPI_Wait ...), from its begin on
 *
 * A call that waits for several events waits once: time covered by an earlier part of its waiting does not count
 * again. So the waiting of a call is never longer than the call. Waiting in MPI_Probe, in one-sided communication,
 * files, and the making of communicators is unknown and counts as transmission or management.
 *
 * Memory: messages in transit, pending requests and collectives; none for partners whose rank has no trace. */
#ifndef REFRAIN_WAITING_H
#define REFRAIN_WAITING_H

#include "match/event.h"
#include "model/trace_read.h"

enum refrain_wait_kind {
    REFRAIN_WAIT_LATE_SENDER,
    REFRAIN_WAIT_LATE_RECEIVER,
    REFRAIN_WAIT_BARRIER,
    REFRAIN_WAIT_N_TO_N,
    REFRAIN_WAIT_EARLY_REDUCE,
    REFRAIN_WAIT_LATE_BROADCAST,
    REFRAIN_WAIT_COMPLETION_SEND,       /* late receiver, in MPI_Wait ... */
    REFRAIN_WAIT_COMPLETION_RECEIVE,    /* late sender, in MPI_Wait ... */
    REFRAIN_WAIT_COMPLETION_COLLECTIVE, /* in MPI_Wait ... */
    REFRAIN_WAIT_KINDS
};

struct refrain_wait {
    enum refrain_wait_kind kind;
    bool approximate; /* one of the events that it follows from is approximate */
    int32_t rank;     /* who waited */
    uint32_t thread;
    int64_t begin_ns, ns; /* how long, > 0 */
    const struct refrain_region_info *region;
    int32_t cause_rank;                      /* for whom: the rank that came last */
    const struct refrain_region_info *cause; /* the call with which it came */
    void *mark;                              /* of the call that waited: refrain_waiting_mark() */
};

/* The name of a kind of wait, such as "late sender", as in tables and JSON. */
const char *refrain_wait_kind_name(enum refrain_wait_kind kind);

/* True if the call waits for a message or its receiver, false for a collective. */
static inline bool refrain_wait_is_for_message(enum refrain_wait_kind kind) {
    return kind == REFRAIN_WAIT_LATE_SENDER || kind == REFRAIN_WAIT_LATE_RECEIVER ||
           kind == REFRAIN_WAIT_COMPLETION_SEND || kind == REFRAIN_WAIT_COMPLETION_RECEIVE;
}

struct refrain_waiting;

/* Null without memory. The trace must stay open. One thread. */
struct refrain_waiting *refrain_waiting_open(const struct refrain_trace *trace);

/* Processes the next event, in time order over all locations, and sets its wait and peer_wait. False without memory. */
bool refrain_waiting_event(struct refrain_waiting *waiting, struct refrain_event *event);

/* After the ENTER of an MPI call, which may have been long ago: each of the call's waits will have this region and this
 * mark, also those that are known only when it has been left, and each wait that the call causes this region. */
void refrain_waiting_mark(struct refrain_waiting *waiting, const struct refrain_event *enter,
                          const struct refrain_region_info *region, void *mark);

/* Null is allowed. */
void refrain_waiting_close(struct refrain_waiting *waiting);

/* Makes a writer that passes each event with its waits to `inner`, whose end function it calls. `error` gets
 * failures. Null without memory; inner then still belongs to the caller. */
struct refrain_writer *refrain_waiting_writer(struct refrain_writer *inner, struct refrain_error *error);

#endif
