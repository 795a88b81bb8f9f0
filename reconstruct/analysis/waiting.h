/* waiting.h: how long each MPI call waited for another rank, for whom, and where that one was late (events in time
 * order
 * -> the same events with what they waited for).
 *
 *     late sender    rank 0  |--- MPI_Recv ---------|        late receiver  |--- MPI_Ssend --------|
 *                            <-- waits -->                                  <-- waits -->
 *                    rank 1               |MPI_Send |                                    |MPI_Recv |
 *
 * What is called so here is what Scalasca's patterns call so; times are of MPI calls' entries:
 *
 *     late sender      a receive was entered before its message's send: until the send was entered
 *     late receiver    a send was entered before its message's receive was posted, and was still in it then, as
 *                      synchronous sends are and large ones mostly: until the receive was posted
 *     barrier          until the last rank entered
 *     n-to-n           allreduce, alltoall, allgather, reduce_scatter ...: until the last rank entered
 *     late broadcast   bcast, scatter, on the others: until the root entered
 *     early reduce     reduce, gather, on the root: until the last of the others entered (it cannot leave before)
 *     completion       the same in a call that completes nonblocking operations (MPI_Wait ...), from its entry on
 *
 * A call that waits for several things waits once: what an earlier part of its waiting covers does not count again. So
 * the waiting of a call is never longer than the call. Waiting in MPI_Probe, in one-sided communication, files, and the
 * making of communicators is not known and counts as transmission or management.
 *
 * Memory: messages in flight, requests and collectives under way; none for partners whose rank has no trace. */
#ifndef REFRAIN_WAITING_H
#define REFRAIN_WAITING_H

#include "match/event.h"
#include "match/follower.h"
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
    bool approximate; /* something of the events that it follows from is */
    int32_t rank;     /* who waited */
    uint32_t thread;
    int64_t begin_ns, ns; /* how long, > 0 */
    const struct refrain_region_info *region;
    int32_t cause_rank;                      /* for whom: who came last */
    const struct refrain_region_info *cause; /* the call it came with */
    void *mark;                              /* of the call that waited: refrain_waiting_mark */
};

/* The name of a kind of wait, such as "late sender", as tables and JSON have it. */
const char *refrain_wait_kind_name(enum refrain_wait_kind kind);

/* Does a call wait so for a message or its receiver, and not for a collective? */
static inline bool refrain_wait_is_for_message(enum refrain_wait_kind kind) {
    return kind == REFRAIN_WAIT_LATE_SENDER || kind == REFRAIN_WAIT_LATE_RECEIVER ||
           kind == REFRAIN_WAIT_COMPLETION_SEND || kind == REFRAIN_WAIT_COMPLETION_RECEIVE;
}

struct refrain_waiting;

/* Null without memory. The trace has to stay open. One thread. */
struct refrain_waiting *refrain_waiting_open(const struct refrain_trace *trace);

/* Takes the next event, in time order over all locations, and sets its wait and peer_wait. False without memory. */
bool refrain_waiting_event(struct refrain_waiting *waiting, struct refrain_event *event);

/* After the ENTER of an MPI call, which may have been long ago: each of the call's waits will have this region and this
 * mark, also those that are known only when it has been left, and each wait that the call causes this region. */
void refrain_waiting_mark(struct refrain_waiting *waiting, const struct refrain_event *enter,
                          const struct refrain_region_info *region, void *mark);

void refrain_waiting_close(struct refrain_waiting *waiting);

/* Follows a cursor: its state is a struct refrain_waiting. */
extern const struct refrain_follower refrain_waiting_follower;

/* A writer that gives each event with its waits to `inner`, whose end it calls; `error` says what went wrong. Null
 * without memory, inner is then still the caller's. */
struct refrain_writer *refrain_waiting_writer(struct refrain_writer *inner, struct refrain_error *error);

#endif
